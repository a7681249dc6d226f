import {
  allowInsecureRequests,
  type AuthorizationServer,
  type Client,
  type ClientAuth,
  ClientSecretPost,
  customFetch,
  genericTokenEndpointRequest,
  None,
  PrivateKeyJwt,
} from "oauth4webapi";

import type { OAuthClient, TokenSet } from "../credentials/record.ts";
import { clientSecretBasic } from "./client-secret-basic.ts";
import { errorFailure } from "./error-response.ts";
import { OAuthFailure } from "./failure.ts";
import { createGuardedFetch } from "./guarded-fetch.ts";
import { isTemporary, jsonOf, temporaryFailure } from "./json-response.ts";
import { signingKey } from "./private-key.ts";
import { type PreviousGrant, tokenSetOf } from "./token-response.ts";
import type { ProtocolOptions } from "./types.ts";

/** What every request of a client to its authorization server needs. */
export interface ClientContext {
  readonly serverUrl: string;
  readonly server: AuthorizationServer;
  readonly client: OAuthClient;
  readonly privateKey: string | undefined;
  readonly options: ProtocolOptions;
}

export interface TokenRequest {
  readonly grantType: string;
  /** Undefined values are not sent. */
  readonly parameters: Readonly<Record<string, string | undefined>>;
  readonly previous: PreviousGrant;
}

/** Asks the token endpoint, and checks its answer. */
export async function requestTokens(
  context: ClientContext,
  { grantType, parameters, previous }: TokenRequest,
): Promise<TokenSet> {
  const { server, client, options } = context;
  const { now = Date.now } = options;
  const sent = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] satisfies [string, string]],
  );
  const auth = await clientAuth(context);
  // The life of a token may begin before its answer arrives.
  const askedAt = now();
  const response = await genericTokenEndpointRequest(
    server,
    clientOf(client),
    auth,
    grantType,
    new URLSearchParams(sent),
    requestOptions(context),
  );
  const document = await answerOf(response, server.issuer, now());
  if (response.ok && document["error"] === undefined)
    return tokenSetOf(document, server.issuer, askedAt, previous);
  throw errorFailure(document, server.issuer, secretsOf(client, Object.values(parameters)));
}

/** The JSON of an answer; rejects if it is not one, for then it is unknown what happened. */
export async function answerOf(
  response: Response,
  issuer: string,
  now: number,
): Promise<Readonly<Record<string, unknown>>> {
  const where = `The authorization server ${issuer}`;
  const isRedirect = response.status >= 300 && response.status < 400;
  if (isRedirect)
    throw new OAuthFailure("metadata", `${where} redirects requests, which is not allowed`, {
      hint: "Ask its operator to correct its metadata",
    });
  const document = await jsonOf(response);
  if (isTemporary(response)) throw temporaryFailure(response, where, now);
  if (document === undefined || (!response.ok && typeof document["error"] !== "string"))
    throw new OAuthFailure(
      "network",
      `${where} answered with the status ${response.status} and nothing that can be understood`,
      { hint: "Try again later" },
    );
  return document;
}

/** Texts that must not appear in an error, even if the authorization server repeats them. */
export function secretsOf(
  client: OAuthClient,
  sent: readonly (string | undefined)[] = [],
): readonly string[] {
  // Short values are words, such as a scope.
  return [client.clientSecret, ...sent].filter((text): text is string => (text?.length ?? 0) >= 8);
}

export function clientOf({ clientId }: OAuthClient): Client {
  return { client_id: clientId };
}

export async function clientAuth({
  client,
  server,
  privateKey,
}: ClientContext): Promise<ClientAuth> {
  const { authMethod, clientSecret } = client;
  if (authMethod === "none") return None();
  if (authMethod === "private_key_jwt") {
    const accepted = server.token_endpoint_auth_signing_alg_values_supported;
    return PrivateKeyJwt(await signingKey(privateKey, accepted));
  }
  if (clientSecret === undefined || clientSecret === "")
    throw new OAuthFailure("client", `The client needs a secret for ${authMethod}`, {
      hint: 'Set "clientSecret" in "oauth"',
    });
  return authMethod === "client_secret_post"
    ? ClientSecretPost(clientSecret)
    : clientSecretBasic(clientSecret);
}

/** All requests of `oauth4webapi` go through the guarded HTTP client. */
export function requestOptions({ serverUrl, options }: ClientContext): {
  readonly [customFetch]: (
    url: string,
    request: {
      readonly method: string;
      readonly headers: Record<string, string>;
      readonly body?: unknown;
    },
  ) => Promise<Response>;
  readonly [allowInsecureRequests]: boolean;
} {
  return {
    [customFetch]: createGuardedFetch(serverUrl, options),
    // Which addresses may be contacted is decided there, with better messages.
    [allowInsecureRequests]: true,
  };
}
