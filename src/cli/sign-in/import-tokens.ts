import type { Readable } from "node:stream";

import { type WorkbenchError, workbenchError } from "../../errors.ts";
import { isScope, scopesOf } from "../../oauth/scopes.ts";
import { isObject } from "../../text/json.ts";
import { readInput } from "../core/read-input.ts";
import type { ImportedTokens } from "../../sign-in/types.ts";

const MAX_BYTES = 256 * 1024;
/** Printable characters without spaces: anything else could not be sent in a header. */
const TOKEN = /^[\x21-\x7e]+$/;
/** As OAuth defines it. */
const CLIENT_ID = /^[\x20-\x7e]+$/;
/** Longer ones are refused by every authorization server. */
const MAX_CHARS = 4000;

/** Reads tokens as JSON, as a token endpoint sends them, with the client that they were issued to. */
export async function readTokens(input: Readable, now: number): Promise<ImportedTokens> {
  const text = await readInput(input, MAX_BYTES);
  if (text === undefined) throw refused(`more than ${MAX_BYTES / 1024} KB`);
  return parseTokens(text, now);
}

export function parseTokens(text: string, now: number): ImportedTokens {
  let value: unknown;
  try {
    // Windows programs begin a file with a byte order mark.
    value = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    // The message of the parser quotes the text, which contains tokens.
    throw refused("not JSON");
  }
  if (!isObject(value)) throw refused("not a JSON object");
  const accessToken = tokenIn(value, "access_token");
  if (accessToken === undefined) throw refused("access_token is missing");
  const type = value["token_type"] ?? "bearer";
  if (String(type).toLowerCase() !== "bearer") throw refused("token_type is not Bearer");
  const refreshToken = tokenIn(value, "refresh_token");
  const clientId = textIn(value, "client_id", (text) => CLIENT_ID.test(text));
  const clientSecret = tokenIn(value, "client_secret");
  const scope = textIn(value, "scope", (text) => scopesOf(text).every(isScope));
  const expiresAt = expiryIn(value, now);
  if (expiresAt !== undefined && expiresAt <= now && refreshToken === undefined)
    throw refused("the access token has expired, and there is no refresh_token");
  return {
    accessToken,
    ...(refreshToken !== undefined && { refreshToken }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(scope !== undefined && { scope }),
    ...(clientId !== undefined && { clientId }),
    ...(clientSecret !== undefined && { clientSecret }),
  };
}

type Fields = Readonly<Record<string, unknown>>;

function fieldIn(value: Fields, key: string): string | undefined {
  const found = value[key];
  if (found === undefined || found === null || found === "") return undefined;
  if (typeof found === "string") return found;
  throw refused(`${key} is not a text`);
}

/** What is sent to the authorization server and shown to users. */
function textIn(
  value: Fields,
  key: string,
  isAllowed: (text: string) => boolean,
): string | undefined {
  const text = fieldIn(value, key)?.trim();
  if (text === undefined || text === "") return undefined;
  if (text.length > MAX_CHARS) throw refused(`${key} has more than ${MAX_CHARS} characters`);
  if (isAllowed(text)) return text;
  throw refused(`${key} contains control characters or others that OAuth does not allow`);
}

function tokenIn(value: Fields, key: string): string | undefined {
  const text = fieldIn(value, key);
  if (text === undefined || TOKEN.test(text)) return text;
  throw refused(`${key} contains characters that tokens do not have`);
}

/** No time in seconds is as late, and no time in milliseconds as early (1973). */
const FIRST_MILLISECONDS = 100_000_000_000;

/** `expires_at` since the epoch or as a date, or `expires_in` in seconds from now. */
function expiryIn(value: Fields, now: number): number | undefined {
  const at = value["expires_at"] ?? undefined;
  const within = value["expires_in"] ?? undefined;
  if (at === undefined && within === undefined) return undefined;
  if (at === undefined && secondsOf(within) <= 0) return undefined;
  const time = at === undefined ? now + secondsOf(within) * 1000 : timeOf(at);
  // A date that cannot be shown is not stored either.
  if (!Number.isNaN(new Date(time).getTime())) return time;
  throw refused("expires_at or expires_in is not a time");
}

/** Some programs store milliseconds. */
function timeOf(value: unknown): number {
  const number = secondsOf(value);
  if (Number.isNaN(number) && typeof value === "string") return Date.parse(value);
  return number < FIRST_MILLISECONDS ? number * 1000 : number;
}

/** Some token endpoints send numbers as text. */
function secondsOf(value: unknown): number {
  if (typeof value === "string" && /^\d+$/.test(value)) return Number(value);
  return typeof value === "number" ? value : Number.NaN;
}

function refused(reason: string): WorkbenchError {
  return workbenchError(
    "USAGE",
    { reason: `The tokens on standard input cannot be used: ${reason}` },
    'Pass JSON such as {"access_token": "…", "refresh_token": "…", "expires_in": 3600, "client_id": "…"}',
  );
}
