import type { OAuthClient } from "../credentials/record.ts";
import { OAuthFailure } from "./failure.ts";
import { assertDeviceFlow } from "./device-flow.ts";
import { configureClient, methodFor, registerClient } from "./register-client.ts";
import type { OAuthSettings } from "../config/types.ts";
import type { Discovery, ProtocolOptions } from "./types.ts";

/** A secret that expires during the login is of no use. */
const MIN_LIFETIME_MS = 10 * 60 * 1000;

/**
 * The client to use: the configured one, a client metadata document, the known registration, or a new
 * registration. `redirectUris` are those that the caller can receive, the preferred one first; use the
 * `redirectUri` of the result. `known` is used only with `knownIssuer`, where it was registered.
 */
export async function chooseClient(
  discovery: Discovery,
  settings: OAuthSettings,
  redirectUris: readonly string[],
  known?: OAuthClient,
  knownIssuer?: string,
  options: ProtocolOptions = {},
): Promise<OAuthClient> {
  const { server } = discovery;
  const [redirectUri] = redirectUris;
  const redirect = redirectUri === undefined ? {} : { redirectUri };
  if (settings.clientId !== undefined) {
    assertSameIssuer(server.issuer, settings, known, knownIssuer);
    return { ...configuredClient(discovery, settings, settings.clientId), ...redirect };
  }
  const { clientMetadataUrl } = settings;
  if (clientMetadataUrl !== undefined && server.client_id_metadata_document_supported === true) {
    assertDocumentUrl(clientMetadataUrl);
    const authMethod = settings.clientAuth === "private_key_jwt" ? "private_key_jwt" : "none";
    return { kind: "cimd", clientId: clientMetadataUrl, authMethod, ...redirect };
  }
  if (settings.grant === "client_credentials")
    throw new OAuthFailure("client", "The client credentials grant needs a configured client", {
      hint: 'Set "clientId" and "clientSecret" (or "privateKey") in "oauth"',
    });
  const now = (options.now ?? Date.now)();
  if (known !== undefined && knownIssuer === server.issuer && isUsable(known, redirectUris, now))
    return known;
  // Its registration would be refused for a reason that does not help.
  if (settings.grant === "device_code") assertDeviceFlow(server);
  if (server.registration_endpoint === undefined) throw configureClient(server.issuer, redirectUri);
  return registerClient(discovery, settings, redirectUri, options);
}

function isUsable(known: OAuthClient, redirectUris: readonly string[], now: number): boolean {
  const { kind, redirectUri, secretExpiresAt } = known;
  if (kind !== "dcr") return false;
  if (secretExpiresAt !== undefined && secretExpiresAt < now + MIN_LIFETIME_MS) return false;
  return redirectUris.length === 0 || redirectUris.some((uri) => uri === redirectUri);
}

/** The id and the secret were issued by one authorization server and are not shown to another. */
function assertSameIssuer(
  issuer: string,
  settings: OAuthSettings,
  known: OAuthClient | undefined,
  knownIssuer: string | undefined,
): void {
  const isSame = knownIssuer === undefined || knownIssuer === issuer || settings.issuer === issuer;
  if (isSame || known?.kind !== "static" || known.clientId !== settings.clientId) return;
  throw new OAuthFailure(
    "client",
    `The server now refers to the authorization server ${issuer}, but the configured client belongs to ${knownIssuer}`,
    {
      hint: `If the operator of the server confirms the change, set "issuer" in "oauth" to ${issuer} and "clientId" to a client of it`,
    },
  );
}

function configuredClient(
  { server }: Discovery,
  { clientAuth, clientSecret, privateKey }: OAuthSettings,
  clientId: string,
): OAuthClient {
  const hasSecret = clientSecret !== undefined && clientSecret !== "";
  const guessed = hasSecret
    ? methodFor(server.token_endpoint_auth_methods_supported, true)
    : privateKey === undefined
      ? "none"
      : "private_key_jwt";
  const authMethod = clientAuth ?? guessed;
  const usesSecret = authMethod === "client_secret_basic" || authMethod === "client_secret_post";
  return {
    kind: "static",
    clientId,
    authMethod,
    ...(usesSecret && hasSecret && { clientSecret }),
  };
}

function assertDocumentUrl(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "https:" && url.pathname !== "/" && url.hash === "" && url.username === "")
    return;
  throw new OAuthFailure("client", `"clientMetadataUrl" in "oauth" is not usable: ${text}`, {
    hint: "It must be an https:// address with a path",
  });
}
