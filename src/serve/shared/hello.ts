import { isObject, parseJson } from "../../text/json.ts";
import type { Launch } from "./launch.ts";

/** What a client of the shared workbench says first. */
export interface SessionHello {
  readonly op: "session";
  /** Stays the same when the client connects again. */
  readonly client: string;
  /** How often it has connected before. */
  readonly epoch: number;
  readonly principal: "stdio" | "local";
  readonly toolbox?: readonly string[] | undefined;
  readonly server?: string | undefined;
  readonly launch: Launch;
  /** An `initialize` that has been answered, as text. */
  readonly answered?: string | undefined;
  /** The hash of the configuration file that the client has read. */
  readonly config: string;
  /** Whether changes of the file need the trust of the user; undefined for a single command. */
  readonly fromCurrentFolder?: boolean | undefined;
}

/** What commands and newer versions ask of the shared workbench. */
export type Order =
  | { readonly op: "stop" }
  /** End when the clients have moved to the workbench with this key. */
  | { readonly op: "drain"; readonly to: string }
  /** Read the tools of servers of which nothing is known. */
  | { readonly op: "discover" };

export type Hello = SessionHello | Order;

/** What the shared workbench says to a client at any time, in a line that begins with `!`. */
export type Control = { readonly event: "stop" } | { readonly event: "drain"; readonly to: string };

/** The answer to a hello. */
export type Welcome =
  | { readonly ok: true }
  /** `retry` if another process may accept it. */
  | { readonly ok: false; readonly reason: string; readonly retry: boolean };

export const MAX_HELLO_BYTES = 8 * 1024 * 1024;
/** No client connects more often; ids are derived from the number. */
const MAX_EPOCH = 1_000_000;
/** How long one side waits for the other, which may be busy but not suspended. */
export const ANSWER_MS = 15_000;

/** A hello with its proof; undefined if it is not valid. */
export function helloIn(text: string): { hello: Hello; proof: string } | undefined {
  const value = parseJson(text);
  if (!isObject(value)) return undefined;
  const { proof, ...hello } = value;
  if (typeof proof !== "string") return undefined;
  const isValid =
    hello["op"] === "stop" ||
    hello["op"] === "discover" ||
    (hello["op"] === "drain" && typeof hello["to"] === "string") ||
    isSession(hello);
  return isValid ? { hello: hello as unknown as Hello, proof } : undefined;
}

function isSession(hello: Readonly<Record<string, unknown>>): boolean {
  const { op, client, epoch, principal, toolbox, server, launch, answered, config } = hello;
  const { fromCurrentFolder: needsTrust } = hello;
  return (
    op === "session" &&
    typeof client === "string" &&
    /^[\w-]{1,64}$/.test(client) &&
    isCount(epoch) &&
    (principal === "stdio" || principal === "local") &&
    (toolbox === undefined || isTexts(toolbox)) &&
    isTextOrMissing(server) &&
    isTextOrMissing(answered) &&
    typeof config === "string" &&
    (needsTrust === undefined || typeof needsTrust === "boolean") &&
    isObject(launch) &&
    typeof launch["cwd"] === "string" &&
    isObject(launch["env"]) &&
    isTexts(Object.values(launch["env"]))
  );
}

const isCount = (value: unknown): boolean =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= MAX_EPOCH;

const isTextOrMissing = (value: unknown): boolean =>
  value === undefined || typeof value === "string";

const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((text) => typeof text === "string");
