/** A scripted MCP server and authorization server for unit tests of the OAuth client. */
import type { OAuthSettings } from "../../src/config/types.ts";
import type { Disposables } from "./disposables.ts";
import { type Answer, type ScriptedHttp, scriptedHttp } from "./scripted-http.ts";

export const AUTOMATIC: OAuthSettings = { account: "default", grant: "authorization_code" };

export const PRM_PATH = "/.well-known/oauth-protected-resource";
export const AS_PATH = "/.well-known/oauth-authorization-server";
export const OIDC_PATH = "/.well-known/openid-configuration";

/** Valid metadata of an authorization server at this issuer. */
export function serverMetadata(issuer: string): Record<string, unknown> {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    registration_endpoint: `${issuer}/register`,
    revocation_endpoint: `${issuer}/revoke`,
    device_authorization_endpoint: `${issuer}/device`,
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none", "client_secret_basic", "client_secret_post"],
  };
}

export interface OAuthScript {
  /** The MCP server, at `/mcp`. */
  readonly mcp: ScriptedHttp;
  /** Its authorization server. */
  readonly as: ScriptedHttp;
  readonly serverUrl: string;
}

/** Both servers with valid metadata, changed as the test says. */
export async function oauthScript(
  disposables: Disposables,
  changes: {
    readonly prm?: (origins: { mcp: string; as: string }) => object;
    readonly as?: (issuer: string) => object;
    readonly answers?: Readonly<Record<string, Answer>>;
  } = {},
): Promise<OAuthScript> {
  const as = await scriptedHttp(disposables, (origin) => ({
    [`GET ${AS_PATH}`]: { ...serverMetadata(origin), ...changes.as?.(origin) },
    ...changes.answers,
  }));
  const mcp = await scriptedHttp(disposables, (origin) => ({
    [`GET ${PRM_PATH}/mcp`]: {
      resource: `${origin}/mcp`,
      authorization_servers: [as.origin],
      ...changes.prm?.({ mcp: origin, as: as.origin }),
    },
  }));
  return { mcp, as, serverUrl: `${mcp.origin}/mcp` };
}
