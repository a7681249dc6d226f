import type { TokenSet } from "../credentials/record.ts";
import type { JsonObject } from "../text/json.ts";
import { OAuthFailure } from "./failure.ts";
import { foreignText } from "./foreign-text.ts";
import { validScope } from "./scopes.ts";

/** What may be in a header. */
const TOKEN = /^[\x21-\x7e]+$/;
const MAX_TOKEN_CHARS = 32 * 1024;
/** Longer than any sensible lifetime. */
const MAX_SECONDS = 10 * 365 * 24 * 60 * 60;

/** What stays valid if the response does not mention it. */
export interface PreviousGrant {
  readonly scope?: string | undefined;
  readonly refreshToken?: string | undefined;
}

/** Checks the successful response of a token endpoint. */
export function tokenSetOf(
  document: JsonObject,
  issuer: string,
  now: number,
  previous: PreviousGrant,
): TokenSet {
  const invalid = (what: string): OAuthFailure =>
    new OAuthFailure("unsupported", `The authorization server ${issuer} ${what}`, {
      hint: "Ask its operator",
    });
  const { access_token, token_type, expires_in, refresh_token, scope } = document;
  if (typeof token_type !== "string" || token_type.toLowerCase() !== "bearer")
    throw invalid(`issued a token of type '${foreignText(token_type) ?? "(missing)"}', not Bearer`);
  if (!isToken(access_token)) throw invalid("issued an access token that cannot be sent");
  // Some servers write null for a value that they do not have.
  const hasRefreshToken =
    refresh_token !== undefined && refresh_token !== null && refresh_token !== "";
  if (hasRefreshToken && !isToken(refresh_token))
    throw invalid("issued a refresh token that cannot be sent");
  const refreshToken = hasRefreshToken ? refresh_token : previous.refreshToken;
  const named = typeof scope === "string" ? validScope(scope) : "";
  const grantedScope = named === "" ? previous.scope : named;
  const expiresAt = expiryOf(expires_in, now);
  return {
    accessToken: access_token,
    obtainedAt: now,
    ...(expiresAt !== undefined && { expiresAt }),
    ...(isToken(refreshToken) && { refreshToken }),
    ...(grantedScope !== undefined && { scope: grantedScope }),
  };
}

function isToken(value: unknown): value is string {
  return typeof value === "string" && value.length <= MAX_TOKEN_CHARS && TOKEN.test(value);
}

/**
 * The absolute time; undefined if it is not known. Zero, negative and huge values are used by servers
 * whose tokens do not expire, so such a token is used until the server rejects it.
 */
export function expiryOf(seconds: unknown, now: number): number | undefined {
  const value = typeof seconds === "string" && seconds.trim() !== "" ? Number(seconds) : seconds;
  if (typeof value !== "number" || !(value > 0) || value > MAX_SECONDS) return undefined;
  return now + Math.floor(value * 1000);
}
