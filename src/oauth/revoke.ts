import { revocationRequest } from "oauth4webapi";

import { errorFailure } from "./error-response.ts";
import { storedContext } from "./stored-context.ts";
import { answerOf, clientAuth, clientOf, requestOptions, secretsOf } from "./token-request.ts";
import type { ProtocolOptions, StoredGrant } from "./types.ts";

/** Revokes the refresh token, then the access token; does nothing if the server cannot revoke. */
export async function revokeTokens(
  grant: StoredGrant,
  options: ProtocolOptions = {},
): Promise<void> {
  if (grant.endpoints.revocationEndpoint === undefined) return;
  const { refreshToken, accessToken } = grant.token;
  if (refreshToken !== undefined) await revoke(refreshToken, "refresh_token", grant, options);
  await revoke(accessToken, "access_token", grant, options);
}

async function revoke(
  token: string,
  hint: string,
  grant: StoredGrant,
  options: ProtocolOptions,
): Promise<void> {
  const context = storedContext(grant, options);
  const { server, client } = context;
  const response = await revocationRequest(
    server,
    clientOf(client),
    await clientAuth(context),
    token,
    { ...requestOptions(context), additionalParameters: { token_type_hint: hint } },
  );
  if (response.ok) return;
  const document = await answerOf(response, server.issuer, (options.now ?? Date.now)());
  // Many servers cannot revoke access tokens, which are valid for minutes only.
  if (document["error"] === "unsupported_token_type") return;
  throw errorFailure(document, server.issuer, secretsOf(client, [token]));
}
