import type { TokenSet } from "../credentials/record.ts";
import { requestTokens } from "./token-request.ts";
import type { GrantRequest, ProtocolOptions } from "./types.ts";

/** Gets a token for the client itself, without a user. */
export async function clientCredentials(
  { discovery, client, scope, settings }: GrantRequest,
  options: ProtocolOptions = {},
): Promise<TokenSet> {
  const { serverUrl, server, resource } = discovery;
  const { privateKey } = settings;
  return requestTokens(
    { serverUrl, server, client, privateKey, options },
    {
      grantType: "client_credentials",
      parameters: { scope, resource },
      previous: { scope },
    },
  );
}
