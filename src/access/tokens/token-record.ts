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

const VERSION = 1;
const REQUIRED = ["id", "name", "hash", "readOnly", "createdAt"];
const TIMES = ["createdAt", "rotatedAt", "expiresAt", "lastUsedAt"];
const LISTS = ["toolboxes", "servers"];
const MEMBERS = new Set([...REQUIRED, ...TIMES, ...LISTS]);

export function tokensText(tokens: readonly TokenRecord[]): string {
  return `${JSON.stringify({ version: VERSION, tokens }, null, 2)}\n`;
}

/**
 * Reads the text of the store. Throws at anything unexpected, also at unknown members: a later version
 * may limit tokens by them, and ignoring a limit would give access.
 */
export function parseTokens(text: string): readonly TokenRecord[] {
  const content = parseJson(text);
  if (!isObject(content)) throw new Error("it is damaged: it is not a JSON object");
  if (content["version"] !== VERSION)
    throw new Error("a different version of the workbench wrote it");
  const { tokens } = content;
  if (!Array.isArray(tokens)) throw new Error("it is damaged: it has no list of tokens");
  const records = tokens.map((token: unknown, i) => {
    const problem = recordProblem(token);
    if (problem !== undefined) throw new Error(`it is damaged: tokens[${i}] ${problem}`);
    return token as TokenRecord;
  });
  for (const key of ["id", "name"] as const)
    if (new Set(records.map((record) => record[key])).size < records.length)
      throw new Error(`it is damaged: two tokens have the same ${key}`);
  return records;
}

/** Milliseconds since the epoch at which a token expires. */
export function expiryOf({ expiresAt }: Pick<TokenRecord, "expiresAt">): number {
  return expiresAt === undefined ? Infinity : Date.parse(expiresAt);
}

/** Whom a token stands for. Its id is not reused, so what belongs to it never belongs to another. */
export function principalOf({ id, name, toolboxes, servers, readOnly }: TokenRecord): Principal {
  const isLimited = toolboxes !== undefined || servers !== undefined;
  const scope = isLimited ? { toolboxes: toolboxes ?? [], servers: servers ?? [] } : {};
  return { kind: "token", id: `token:${id}`, name, ...scope, readOnly };
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

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
