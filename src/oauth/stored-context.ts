import type { ClientContext } from "./token-request.ts";
import type { ProtocolOptions, StoredGrant } from "./types.ts";

/** For requests after the login, which need no discovery. */
export function storedContext(
  { serverUrl, endpoints, client, privateKey }: StoredGrant,
  options: ProtocolOptions,
): ClientContext {
  const { issuer, tokenEndpoint, revocationEndpoint } = endpoints;
  const server = {
    issuer,
    token_endpoint: tokenEndpoint,
    ...(revocationEndpoint !== undefined && { revocation_endpoint: revocationEndpoint }),
  };
  return { serverUrl, server, client, privateKey, options };
}
