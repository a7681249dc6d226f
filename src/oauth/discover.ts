import type { AuthorizationServer } from "oauth4webapi";

import type { IssuerEndpoints } from "../credentials/record.ts";
import { isOAuthFailure, OAuthFailure } from "./failure.ts";
import { createGuardedFetch } from "./guarded-fetch.ts";
import { findResourceMetadata } from "./resource-metadata.ts";
import { getServerMetadata, type MetadataSource } from "./server-metadata.ts";
import type { OAuthSettings } from "../config/types.ts";
import type { BearerChallenge, Discovery, ProtocolOptions } from "./types.ts";

/** A server that lists more authorization servers does not need them all. */
const MAX_SERVERS = 4;

/**
 * Finds the authorization server of an MCP server. Rejects with an `OAuthFailure` of kind `metadata` if
 * what the server says cannot be trusted, or `network` if a host does not answer properly.
 */
export async function discover(
  serverUrl: string,
  challenge: BearerChallenge | undefined,
  settings: OAuthSettings,
  options: ProtocolOptions = {},
): Promise<Discovery> {
  const { now = Date.now } = options;
  const fetch = createGuardedFetch(serverUrl, options);
  const source: MetadataSource = { serverUrl, fetch, now };
  const metadata = await findResourceMetadata(serverUrl, challenge, fetch, now);
  const issuers =
    settings.issuer === undefined ? (metadata?.authorizationServers ?? []) : [settings.issuer];
  const assumed = metadata === undefined ? assumedServer(new URL(serverUrl)) : undefined;
  const server =
    issuers.length > 0
      ? await firstUsable(issuers.slice(0, MAX_SERVERS), settings, source)
      : await serverAtOrigin(settings, source, assumed);
  const resource =
    settings.resource === false ? undefined : (settings.resource ?? metadata?.resource);
  return {
    serverUrl,
    server,
    endpoints: endpointsOf(server),
    isFallback: metadata === undefined && settings.issuer === undefined,
    isAssumed: server === assumed,
    ...(resource !== undefined && { resource }),
    ...(metadata?.scopesSupported && { scopesSupported: metadata.scopesSupported }),
  };
}

/** The first authorization server that can be used; rejects with what is wrong with the first one. */
async function firstUsable(
  issuers: readonly string[],
  settings: OAuthSettings,
  source: MetadataSource,
): Promise<AuthorizationServer> {
  let firstFailure: unknown;
  for (const issuer of issuers) {
    try {
      const answer = await getServerMetadata(issuer, source);
      if (answer.server !== undefined) return usable(answer.server, settings);
      throw new OAuthFailure(
        "metadata",
        `The authorization server ${issuer} has no metadata: ${answer.problem}`,
        { hint: 'If the address is wrong, set "issuer" in "oauth"' },
      );
    } catch (error) {
      if (!isOAuthFailure(error)) throw error;
      firstFailure ??= error;
    }
  }
  throw firstFailure;
}

/**
 * MCP 2025-03-26 had no resource metadata: the origin of the server is the authorization server, with
 * fixed addresses (`assumed`) if it has no metadata either.
 */
async function serverAtOrigin(
  settings: OAuthSettings,
  source: MetadataSource,
  assumed: AuthorizationServer | undefined,
): Promise<AuthorizationServer> {
  const { origin } = new URL(source.serverUrl);
  // Libraries for servers of that time wrote the origin with a slash.
  const answer = await getServerMetadata(origin, source, [`${origin}/`]);
  if (answer.server !== undefined) return usable(answer.server, settings);
  if (assumed !== undefined) return assumed;
  throw new OAuthFailure(
    "metadata",
    `The server names no authorization server, and its own address has no metadata: ${answer.problem}`,
    { hint: 'Set "issuer" in "oauth" to the address of its authorization server' },
  );
}

function assumedServer({ origin }: URL): AuthorizationServer {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    // That version of MCP requires PKCE of every authorization server.
    code_challenge_methods_supported: ["S256"],
  };
}

function usable(server: AuthorizationServer, { grant }: OAuthSettings): AuthorizationServer {
  const missing = (what: string): OAuthFailure =>
    new OAuthFailure("unsupported", `The authorization server ${server.issuer} ${what}`, {
      hint: "Ask its operator, or use an access token in the headers of the server instead",
    });
  if (server.token_endpoint === undefined) throw missing("has no token endpoint");
  if (grant === "authorization_code") {
    if (server.authorization_endpoint === undefined) throw missing("has no authorization endpoint");
    if (server.code_challenge_methods_supported?.includes("S256") !== true)
      throw missing("does not state that it supports PKCE with S256, which MCP requires");
  }
  return server;
}

function endpointsOf(server: AuthorizationServer): IssuerEndpoints {
  const { issuer, token_endpoint, revocation_endpoint, token_endpoint_auth_methods_supported } =
    server;
  return {
    issuer,
    tokenEndpoint: token_endpoint ?? "",
    ...(revocation_endpoint !== undefined && { revocationEndpoint: revocation_endpoint }),
    ...(token_endpoint_auth_methods_supported && {
      tokenAuthMethods: token_endpoint_auth_methods_supported,
    }),
  };
}
