import { allowedUrl } from "./allowed-url.ts";
import { OAuthFailure } from "./failure.ts";
import { textsIn } from "./get-metadata.ts";
import { hasOfflineAccess } from "./scopes.ts";
import type { AuthorizationRequest, Discovery } from "./types.ts";

/** Parameters that decide what the user agrees to, or who gets the code. */
const RESERVED = new Set([
  "client_id",
  "code_challenge",
  "code_challenge_method",
  "redirect_uri",
  "request",
  "request_uri",
  "resource",
  "response_mode",
  "response_type",
  "scope",
  "state",
]);

/** The address of the login page. */
export function authorizationUrl(
  { discovery, client, redirectUri, scope, settings }: AuthorizationRequest,
  state: string,
  challenge: string,
): string {
  const { server, serverUrl, resource } = discovery;
  if (server.code_challenge_methods_supported?.includes("S256") !== true)
    throw new OAuthFailure(
      "unsupported",
      `The authorization server ${server.issuer} does not state that it supports PKCE with S256, which MCP requires`,
    );
  const url = allowedUrl(server.authorization_endpoint, "authorization endpoint", serverUrl);
  const own = settings.authorizationParams ?? {};
  const reserved = Object.keys(own).find((name) => RESERVED.has(name.toLowerCase()));
  if (reserved !== undefined)
    throw new OAuthFailure("unsupported", `"authorizationParams" may not contain ${reserved}`, {
      hint: 'Use "clientId", "scopes", "resource" or "redirectUri" in "oauth" instead',
    });
  const parameters: Record<string, string | undefined> = {
    ...(needsConsent(discovery, scope) && { prompt: "consent" }),
    ...own,
    response_type: "code",
    client_id: client.clientId,
    redirect_uri: redirectUri,
    scope,
    state,
    code_challenge: challenge,
    code_challenge_method: "S256",
    resource,
  };
  // The address may have parameters of its own, but not these.
  for (const name of RESERVED) url.searchParams.delete(name);
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined) url.searchParams.set(name, value);
  return url.href;
}

/** OpenID providers ignore `offline_access` unless the user is asked for consent. */
function needsConsent({ server }: Discovery, scope: string | undefined): boolean {
  const isOpenId =
    server.scopes_supported?.includes("openid") === true ||
    server.id_token_signing_alg_values_supported !== undefined;
  const isPossible = textsIn(server["prompt_values_supported"])?.includes("consent") !== false;
  return isOpenId && isPossible && hasOfflineAccess(scope);
}
