import { createHash, timingSafeEqual } from "node:crypto";

import {
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  generateRandomState,
} from "oauth4webapi";

import type { TokenSet } from "../credentials/record.ts";
import { authorizationUrl } from "./authorization-url.ts";
import { errorFailure } from "./error-response.ts";
import { OAuthFailure } from "./failure.ts";
import { returnedParameters } from "./returned-parameters.ts";
import { requestTokens } from "./token-request.ts";
import type {
  AuthorizationRequest,
  Discovery,
  ProtocolOptions,
  StartedAuthorization,
} from "./types.ts";

/** Prepares a login in a browser. */
export async function startAuthorization(
  request: AuthorizationRequest,
  startOptions: ProtocolOptions = {},
): Promise<StartedAuthorization> {
  const { discovery, client, redirectUri, scope, settings } = request;
  const { server, serverUrl, resource } = discovery;
  const verifier = generateRandomCodeVerifier();
  const state = generateRandomState();
  const challenge = await calculatePKCECodeChallenge(verifier);
  let isRedeemed = false;
  const finish = async (returned: string, options = startOptions): Promise<TokenSet> => {
    const code = acceptedCode(returned, state, discovery);
    if (isRedeemed)
      throw new OAuthFailure("denied", "This login is already finished", { hint: "Log in again" });
    isRedeemed = true;
    return requestTokens(
      { serverUrl, server, client, privateKey: settings.privateKey, options },
      {
        grantType: "authorization_code",
        parameters: { code, redirect_uri: redirectUri, code_verifier: verifier, resource },
        previous: { scope },
      },
    );
  };
  const url = authorizationUrl(request, state, challenge);
  return { url, state, issuer: server.issuer, redirectUri, finish };
}

/**
 * Checks what the browser returned with, then redeems the code. An answer that is not accepted can be
 * followed by another one.
 */
export function finishAuthorization(
  started: StartedAuthorization,
  returned: string,
  options?: ProtocolOptions,
): Promise<TokenSet> {
  return started.finish(returned, options);
}

/**
 * The code in an answer. `state` shows that it belongs to this login, `iss` that it comes from the
 * authorization server that was asked. Until then nothing in it is used, or shown.
 */
function acceptedCode(returned: string, state: string, { server }: Discovery): string {
  const parameters = returnedParameters(returned);
  if (!isEqual(parameters.get("state"), state))
    throw new OAuthFailure("denied", "The answer belongs to a different login", {
      hint: "Use the address of the login that was started last, or log in again",
    });
  const iss = parameters.get("iss");
  const isMissing = iss === undefined && server.authorization_response_iss_parameter_supported;
  if (isMissing === true || (iss !== undefined && iss !== server.issuer))
    throw new OAuthFailure(
      "metadata",
      `The answer to the login does not come from the authorization server ${server.issuer}, so it was not used`,
      { hint: "If this happens again, ask the operator of the server" },
    );
  if (parameters.has("error"))
    throw errorFailure(Object.fromEntries(parameters), server.issuer, [state]);
  const code = parameters.get("code");
  if (code === undefined)
    throw new OAuthFailure("denied", "The answer to the login contains no code", {
      hint: "Log in again",
    });
  return code;
}

function isEqual(one: string | undefined, other: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return one !== undefined && timingSafeEqual(digest(one), digest(other));
}
