import { isObject, parseJson } from "../../text/json.ts";

/** How a user can answer the question whether a call may be made. */
export const DECISIONS = ["once", "session", "always", "deny"] as const;
export type ApprovalDecision = (typeof DECISIONS)[number];

/** What an approval is bound to. All of it must be the same for the approval to count. */
export interface ApprovalSubject {
  /** The id of the principal. */
  readonly principal: string;
  readonly toolbox: string;
  readonly server: string;
  readonly tool: string;
  /** A keyed hash of the settings that the server is started or reached with. */
  readonly serverHash: string;
  /** A keyed hash of the arguments that are sent, in any spelling. */
  readonly argumentsHash: string;
  /** Hashes of the policy and of the tool's definition. */
  readonly policy: string;
  readonly definition: string;
}

/** A question to the user, and its answer. */
export interface ApprovalRecord extends ApprovalSubject {
  readonly id: string;
  /** The name of the principal. */
  readonly client: string;
  /** The arguments for people: shortened, without secrets. */
  readonly shown: readonly string[];
  readonly reason: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly decision?: ApprovalDecision | undefined;
  /** Where it was answered. */
  readonly channel?: string | undefined;
  /** It was answered on this machine while the other replicas could not be reached. */
  readonly isAloneAnswer?: boolean | undefined;
}

/** A tool that a principal may always call. */
export type AlwaysAllowed = Omit<ApprovalSubject, "argumentsHash"> & {
  /** The id of the question that was answered, by which it can be withdrawn. */
  readonly id: string;
  /** The name of the principal. */
  readonly client: string;
  /** Set if the rule that asked is about arguments. */
  readonly argumentsHash?: string | undefined;
};

export interface Approvals {
  /** The key of the hashes of arguments. */
  readonly key: string;
  readonly records: readonly ApprovalRecord[];
  readonly always: readonly AlwaysAllowed[];
  readonly watchers: readonly Watcher[];
  /** Answers that were used or forgotten, until they would have expired: no copy of the file may bring them back. */
  readonly used?: readonly UsedAnswer[] | undefined;
  /** The ids in `always` that were withdrawn. */
  readonly withdrawn?: readonly string[] | undefined;
}

/** A process in which a person waits for questions. */
export interface Watcher {
  readonly host: string;
  readonly pid: number;
  /** When this was written, and until when it is true. */
  readonly at: number;
  readonly until: number;
}

export interface UsedAnswer {
  readonly id: string;
  readonly until: number;
}

const VERSION = 1;

export function approvalsText({ used = [], withdrawn = [], ...approvals }: Approvals): string {
  const ended = { ...(used.length > 0 && { used }), ...(withdrawn.length > 0 && { withdrawn }) };
  return `${JSON.stringify({ version: VERSION, ...approvals, ...ended }, undefined, 1)}\n`;
}

/** Throws if the text is not what `approvalsText` wrote. */
export function parseApprovals(text: string): Approvals {
  const value = parseJson(text);
  if (!isObject(value) || value["version"] !== VERSION) throw new Error("it is damaged");
  const { key, records, always, watchers, used = [], withdrawn = [] } = value;
  const isValid =
    typeof key === "string" &&
    key.length >= 32 &&
    isListOf(records, [
      "id",
      "principal",
      "toolbox",
      "server",
      "tool",
      "serverHash",
      "argumentsHash",
      "policy",
      "definition",
    ]) &&
    isListOf(always, [
      "id",
      "client",
      "principal",
      "toolbox",
      "server",
      "tool",
      "serverHash",
      "policy",
      "definition",
    ]) &&
    isListOf(watchers, []) &&
    isListOf(used, ["id"]) &&
    Array.isArray(withdrawn) &&
    withdrawn.every((id) => typeof id === "string");
  if (!isValid) throw new Error("it is damaged");
  return { key, records, always, watchers, used, withdrawn } as unknown as Approvals;
}

function isListOf(value: unknown, texts: readonly string[]): boolean {
  return (
    Array.isArray(value) &&
    value.every((item) => isObject(item) && texts.every((name) => typeof item[name] === "string"))
  );
}
