import type { AuthorizationServer } from "oauth4webapi";

import type { JsonObject } from "../text/json.ts";
import { allowedUrl } from "./allowed-url.ts";
import { OAuthFailure } from "./failure.ts";
import { foreignText } from "./foreign-text.ts";
import { getMetadata, textsIn } from "./get-metadata.ts";
import type { GuardedFetch } from "./guarded-fetch.ts";

const ENDPOINTS = [
  "authorization_endpoint",
  "token_endpoint",
  "registration_endpoint",
  "revocation_endpoint",
  "device_authorization_endpoint",
] as const;
const LISTS = [
  "scopes_supported",
  "grant_types_supported",
  "token_endpoint_auth_methods_supported",
  "token_endpoint_auth_signing_alg_values_supported",
  "code_challenge_methods_supported",
  "id_token_signing_alg_values_supported",
  "prompt_values_supported",
] as const;
const SWITCHES = [
  "authorization_response_iss_parameter_supported",
  "client_id_metadata_document_supported",
] as const;

export interface MetadataSource {
  readonly serverUrl: string;
  readonly fetch: GuardedFetch;
  readonly now: () => number;
}

/** The metadata of an authorization server, or why there is none. */
export type ServerMetadataAnswer =
  | { readonly server: AuthorizationServer }
  | { readonly server?: undefined; readonly problem: string };

/**
 * Gets the metadata of an issuer and checks every address in it. The document must name this issuer,
 * character by character; otherwise one authorization server could pass for another.
 */
export async function getServerMetadata(
  issuer: string,
  { serverUrl, fetch, now }: MetadataSource,
  alsoAccepted: readonly string[] = [],
): Promise<ServerMetadataAnswer> {
  const url = allowedUrl(issuer, "address of the authorization server", serverUrl);
  if (url.search !== "")
    throw new OAuthFailure("metadata", `The issuer ${issuer} contains a query (?)`);
  const problems: string[] = [];
  for (const address of metadataUrls(url)) {
    const answer = await getMetadata(fetch, address, now);
    if (answer.document !== undefined) {
      const named = answer.document["issuer"];
      if (named !== issuer && !alsoAccepted.some((other) => other === named))
        throw issuerMismatch(address, issuer, named);
      return { server: checkedServer(String(named), answer.document, serverUrl) };
    }
    problems.push(answer.problem);
  }
  return { problem: problems.join("; ") };
}

/** In the order that MCP prescribes. */
export function metadataUrls({ origin, pathname }: URL): string[] {
  const path = pathname.replace(/\/$/, "");
  const oauth = `${origin}/.well-known/oauth-authorization-server${path}`;
  const openId = `${origin}/.well-known/openid-configuration${path}`;
  return path === ""
    ? [oauth, openId]
    : [oauth, openId, `${origin}${path}/.well-known/openid-configuration`];
}

function issuerMismatch(address: string, issuer: string, named: unknown): OAuthFailure {
  const shown = foreignText(named) ?? "(missing)";
  return new OAuthFailure(
    "metadata",
    `The metadata at ${address} is for the issuer '${shown}', but the server refers to '${issuer}'`,
    {
      hint: 'Ask the operator of the server which one is right, then set "issuer" in "oauth" to exactly that',
    },
  );
}

/** Only what was checked; everything else in the document is dropped. */
function checkedServer(
  issuer: string,
  document: JsonObject,
  serverUrl: string,
): AuthorizationServer {
  const server: Record<string, string | string[] | boolean> & { issuer: string } = { issuer };
  for (const name of ENDPOINTS) {
    const value = document[name];
    if (value === undefined || value === null) continue;
    allowedUrl(value, name.replaceAll("_", " "), serverUrl);
    // Kept as it was written.
    server[name] = String(value);
  }
  for (const name of LISTS) {
    const list = textsIn(document[name]);
    if (list !== undefined) server[name] = list;
  }
  for (const name of SWITCHES) if (document[name] === true) server[name] = true;
  return server;
}
