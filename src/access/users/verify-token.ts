import { jwtVerify } from "jose";

import type { IdentityProvider } from "../../config/types.ts";
import { codeOf } from "../../text/error-code.ts";
import type { JsonObject } from "../../text/json.ts";
import { type TokenUser, userIn } from "./claims.ts";
import type { IssuerKeys } from "./issuer-keys.ts";

/** Clocks differ; also when a token expires. */
export const TOLERANCE_SECONDS = 30;
/** The types of access tokens: that of RFC 9068, and what most identity providers write. */
const TYPES = new Set(["jwt", "at+jwt", "application/at+jwt"]);

/** Why a token is refused. The texts contain nothing of the token. */
const REASONS: Readonly<Record<string, string>> = {
  ERR_JWT_EXPIRED: "the token has expired",
  ERR_JOSE_ALG_NOT_ALLOWED: "the token is signed with an algorithm that is not accepted",
  ERR_JWKS_NO_MATCHING_KEY: "the token is signed with an unknown key",
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: "the signature of the token is wrong",
};
const CLAIM_REASONS: Readonly<Record<string, string>> = {
  aud: "the token is for a different audience",
  iss: "the token is of a different issuer",
  exp: "the token has no valid expiry",
  nbf: "the token is not valid yet",
};
export const NOT_VALID = "the token is not valid";

/** The user of a token, or why it is refused. Rejects with `KeysUnavailable` if that is not known. */
export async function verifyToken(
  token: string,
  { issuer, audiences, algorithms, claims }: IdentityProvider,
  keys: Pick<IssuerKeys, "find">,
  now: number,
): Promise<TokenUser | string> {
  try {
    const { payload, protectedHeader } = await jwtVerify(token, keys.find, {
      issuer,
      audience: [...audiences],
      algorithms: [...algorithms],
      clockTolerance: TOLERANCE_SECONDS,
      requiredClaims: ["exp"],
      currentDate: new Date(now),
    });
    const { typ } = protectedHeader;
    if (typ !== undefined && !TYPES.has(String(typ).toLowerCase()))
      return "the token is not an access token";
    const user = userIn(payload as JsonObject, claims);
    return typeof user === "string" ? `the token is not accepted: ${user}` : user;
  } catch (error) {
    const code = codeOf(error) ?? "";
    if (!code.startsWith("ERR_J")) throw error;
    return REASONS[code] ?? CLAIM_REASONS[claimOf(error)] ?? NOT_VALID;
  }
}

function claimOf(error: unknown): string {
  return error instanceof Error && "claim" in error ? String(error.claim) : "";
}
