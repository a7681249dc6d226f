import type { OAuthClient } from "../credentials/record.ts";
import { isLoopback } from "../text/loopback.ts";
import { hostOf } from "./allowed-url.ts";
import { errorFailure } from "./error-response.ts";
import { OAuthFailure } from "./failure.ts";
import { createGuardedFetch } from "./guarded-fetch.ts";
import type { OAuthSettings } from "../config/types.ts";
import { answerOf } from "./token-request.ts";
import type { Discovery, ProtocolOptions } from "./types.ts";

const DEVICE_CODE = "urn:ietf:params:oauth:grant-type:device_code";
const CLOSED = new Set([401, 403, 404, 405]);
const CLIENT_ID = /^[\x20-\x7e]{1,2048}$/;
type AuthMethod = OAuthClient["authMethod"];

/** Registers a client dynamically (RFC 7591), with one redirect URI. */
export async function registerClient(
  { serverUrl, server }: Discovery,
  settings: OAuthSettings,
  redirectUri: string | undefined,
  options: ProtocolOptions,
): Promise<OAuthClient> {
  const fetch = createGuardedFetch(serverUrl, options);
  const authMethod = methodFor(server.token_endpoint_auth_methods_supported, false);
  const response = await fetch(server.registration_endpoint ?? "", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      client_name: "MCP Workbench",
      application_type: isNative(redirectUri) ? "native" : "web",
      redirect_uris: redirectUri === undefined ? [] : [redirectUri],
      grant_types: [
        settings.grant === "device_code" ? DEVICE_CODE : "authorization_code",
        "refresh_token",
      ],
      response_types: settings.grant === "device_code" ? [] : ["code"],
      token_endpoint_auth_method: authMethod,
    }),
  });
  if (CLOSED.has(response.status)) throw configureClient(server.issuer, redirectUri);
  const document = await answerOf(response, server.issuer, (options.now ?? Date.now)());
  if (!response.ok || document["error"] !== undefined) throw errorFailure(document, server.issuer);
  return registeredClient(
    document,
    redirectUri,
    server.issuer,
    authMethod,
    server.token_endpoint_auth_methods_supported,
  );
}

/** For authorization servers at which no client can be obtained automatically. */
export function configureClient(issuer: string, redirectUri: string | undefined): OAuthFailure {
  const where = redirectUri === undefined ? "" : ` with the redirect URI ${redirectUri}`;
  return new OAuthFailure(
    "unsupported",
    `The authorization server ${issuer} does not let programs register themselves`,
    {
      hint: `Register an OAuth client there${where}, then set "clientId" (and "clientSecret" if it has one) in "oauth"`,
    },
  );
}

/** A program on a user's machine keeps no secret, so the best method is none. */
export function methodFor(
  supported: readonly string[] | undefined,
  hasSecret: boolean,
): AuthMethod {
  const order: readonly AuthMethod[] = hasSecret
    ? ["client_secret_basic", "client_secret_post"]
    : ["none", "client_secret_basic", "client_secret_post"];
  const [first = "none"] = order;
  return supported === undefined ? first : (order.find((one) => supported.includes(one)) ?? first);
}

function registeredClient(
  document: Readonly<Record<string, unknown>>,
  redirectUri: string | undefined,
  issuer: string,
  requested: AuthMethod,
  supported: readonly string[] | undefined,
): OAuthClient {
  const invalid = (what: string): OAuthFailure =>
    new OAuthFailure("unsupported", `The authorization server ${issuer} registered ${what}`, {
      hint: 'Register a client by hand and set "clientId" in "oauth"',
    });
  const { client_id, client_secret, client_secret_expires_at, redirect_uris } = document;
  if (typeof client_id !== "string" || !CLIENT_ID.test(client_id))
    throw invalid("a client without a usable client id");
  if (
    redirectUri !== undefined &&
    Array.isArray(redirect_uris) &&
    !redirect_uris.includes(redirectUri)
  )
    throw invalid("a client with a different redirect URI");
  const clientSecret =
    typeof client_secret === "string" && client_secret !== "" ? client_secret : undefined;
  const stated = document["token_endpoint_auth_method"];
  const known: readonly AuthMethod[] = ["none", "client_secret_basic", "client_secret_post"];
  const named = known.find((one) => one === stated);
  if (stated !== undefined && stated !== null && named === undefined)
    throw invalid("a client that has to authenticate in a way that is not supported");
  const unnamed = requested === "none" ? methodFor(supported, true) : requested;
  const authMethod = clientSecret === undefined ? "none" : (named ?? unnamed);
  const expires = client_secret_expires_at;
  return {
    kind: "dcr",
    clientId: client_id,
    authMethod,
    ...(redirectUri !== undefined && { redirectUri }),
    ...(authMethod !== "none" && clientSecret !== undefined && { clientSecret }),
    // Zero means that it does not expire.
    ...(typeof expires === "number" && expires > 0 && { secretExpiresAt: expires * 1000 }),
  };
}

function isNative(redirectUri: string | undefined): boolean {
  return redirectUri === undefined || isLoopback(hostOf(new URL(redirectUri)));
}
