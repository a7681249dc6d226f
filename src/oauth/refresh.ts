import type { TokenSet } from "../credentials/record.ts";
import { OAuthFailure } from "./failure.ts";
import { storedContext } from "./stored-context.ts";
import { requestTokens } from "./token-request.ts";
import type { ProtocolOptions, StoredGrant } from "./types.ts";

/** Redeems the refresh token. The old one is kept if no new one comes back. */
export async function refreshTokens(
  grant: StoredGrant,
  options: ProtocolOptions = {},
): Promise<TokenSet> {
  const { refreshToken, scope } = grant.token;
  if (refreshToken === undefined)
    throw new OAuthFailure("refused", "The login cannot be renewed: there is no refresh token", {
      hint: "Log in again",
    });
  // No scope: it can only become less, and some servers then forget the rest.
  return requestTokens(storedContext(grant, options), {
    grantType: "refresh_token",
    parameters: { refresh_token: refreshToken, resource: grant.resource },
    previous: { scope, refreshToken },
  });
}
