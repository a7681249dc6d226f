import { createHash } from "node:crypto";

import type { Principal } from "../../calls/principal.ts";
import { NAME_PATTERN } from "./token-names.ts";
import { isObject, parseJson } from "../../text/json.ts";
import { TOKEN_HASH, TOKEN_ID } from "./token-format.ts";

/** What is stored about an access token. The token itself is not stored. */
export interface TokenRecord {
  /** Stays the same when the token is rotated. */
  readonly id: string;
  readonly name: string;
  /** `sha256:` and the hash of the token. */
  readonly hash: string;
  /** The toolboxes it may use. If both lists are absent, it may use all. */
  readonly toolboxes?: readonly string[];
  /** Single servers it may use in addition, as `toolbox/server`. */
  readonly servers?: readonly string[];
  readonly readOnly: boolean;
  readonly createdAt: string;
  readonly rotatedAt?: string;
  /** Absent if it does not expire. */
  readonly expiresAt?: string;
  /** To the minute; absent if it was never used. */
  readonly lastUsedAt?: string;
}

/** What the store contains. */
export interface TokenList {
  readonly tokens: readonly TokenRecord[];
  /** The ids of tokens that were revoked, so that no copy of the list can bring them back. */
  readonly revoked: readonly string[];
}

const VERSION = 1;
const ISSUE_CHARS = 16;
const REQUIRED = ["id", "name", "hash", "readOnly", "createdAt"];
const TIMES = ["createdAt", "rotatedAt", "expiresAt", "lastUsedAt"];
const LISTS = ["toolboxes", "servers"];
const MEMBERS = new Set([...REQUIRED, ...TIMES, ...LISTS]);

export function tokensText({ tokens, revoked }: TokenList): string {
  const content = { version: VERSION, tokens, ...(revoked.length > 0 && { revoked }) };
  return `${JSON.stringify(content, null, 2)}\n`;
}

/**
 * Reads the text of the store. Throws at anything unexpected, also at unknown members: a later version
 * may limit tokens by them, and ignoring a limit would give access.
 */
export function parseTokens(text: string): TokenList {
  const content = parseJson(text);
  if (!isObject(content)) throw new Error("it is damaged: it is not a JSON object");
  if (content["version"] !== VERSION)
    throw new Error("a different version of the workbench wrote it");
  const { tokens, revoked = [] } = content;
  if (!Array.isArray(tokens)) throw new Error("it is damaged: it has no list of tokens");
  const records = tokens.map((token: unknown, i) => {
    const problem = recordProblem(token);
    if (problem !== undefined) throw new Error(`it is damaged: tokens[${i}] ${problem}`);
    return token as TokenRecord;
  });
  // Names may be equal: replicas that could not reach each other may have given the same one.
  if (new Set(records.map(({ id }) => id)).size < records.length)
    throw new Error("it is damaged: two tokens have the same id");
  if (!isTextList(revoked)) throw new Error("it is damaged: it has an invalid list of revoked ids");
  return { tokens: records, revoked };
}

/** Milliseconds since the epoch at which a token expires. */
export function expiryOf({ expiresAt }: Pick<TokenRecord, "expiresAt">): number {
  return expiresAt === undefined ? Infinity : Date.parse(expiresAt);
}

/** Whom a token stands for. Its id is not reused, so what belongs to it never belongs to another. */
export function principalOf(record: TokenRecord): Principal {
  const { id, name, toolboxes, servers, readOnly } = record;
  const isLimited = toolboxes !== undefined || servers !== undefined;
  const scope = isLimited ? { toolboxes: toolboxes ?? [], servers: servers ?? [] } : {};
  return { kind: "token", id: `token:${id}`, issue: issueOf(record), name, ...scope, readOnly };
}

/** The same on all replicas; says nothing about the token itself. */
function issueOf({ hash, toolboxes, servers, readOnly }: TokenRecord): string {
  const text = JSON.stringify([hash, toolboxes, servers, readOnly]);
  return createHash("sha256").update(text).digest("base64url").slice(0, ISSUE_CHARS);
}

function recordProblem(record: unknown): string | undefined {
  if (!isObject(record)) return "is not an object";
  const has = (key: string, pattern: RegExp): boolean =>
    typeof record[key] === "string" && pattern.test(record[key]);
  const missing = REQUIRED.find((key) => !(key in record));
  if (missing !== undefined) return `has no ${missing}`;
  const unknown = Object.keys(record).find((key) => !MEMBERS.has(key));
  if (unknown !== undefined) return "has a member that this version does not know";
  if (!has("id", TOKEN_ID)) return "has an invalid id";
  if (!has("name", NAME_PATTERN)) return "has an invalid name";
  if (!has("hash", TOKEN_HASH)) return "has an invalid hash";
  if (typeof record["readOnly"] !== "boolean") return "has an invalid readOnly";
  for (const key of TIMES)
    if (key in record && Number.isNaN(timeOf(record[key]))) return `has an invalid ${key}`;
  for (const key of LISTS)
    if (key in record && !isTextList(record[key])) return `has invalid ${key}`;
  return undefined;
}

function timeOf(value: unknown): number {
  return typeof value === "string" ? Date.parse(value) : NaN;
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
