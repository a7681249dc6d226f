import { neededSignIn } from "../../../calls/sign-in-error.ts";
import { isWorkbenchError, type WorkbenchError } from "../../../errors.ts";
import { isSignInUnavailable, shortReason } from "../../../sign-in/sign-in-errors.ts";
import type { AuthChallenge, AuthStatus, BearerToken } from "../../../sign-in/types.ts";
import type { Authorization } from "../authorization.ts";
import type { HttpResponse } from "./http-response.ts";
import { RemoteFailure } from "./remote-failure.ts";

export type SendWith = (token: BearerToken | undefined) => Promise<HttpResponse>;

/** At first, with a token that was stored, and with one that was issued for this request. */
const MAX_SENDS = 3;

/**
 * Sends a request with the token of the sign-in, if there is one. If the server asks for other
 * credentials, which means that it did not process the request, the sign-in answers, and the request
 * is sent once more. A token that another process has stored may be as old as the rejected one, so
 * only a fresh token is the last that is tried. Rejects with a RemoteFailure.
 */
export async function sendAuthorized(
  authorization: Authorization,
  host: string,
  send: SendWith,
  request: () => string,
  isOptional = false,
): Promise<HttpResponse> {
  let header = "";
  const failed = (error: unknown): never => {
    throw failureOf(error, host, header);
  };
  let token = authorization.isInUse ? await authorization.token().catch(failed) : undefined;
  for (let sends = 1; ; sends++) {
    const response = await send(token);
    const challenge = challengeIn(response, token, authorization);
    if (challenge === undefined) {
      if (token !== undefined && response.ok) authorization.onAccepted(token, request);
      return response;
    }
    const { isUnspecific = false } = challenge;
    if (!isUnspecific) response.discard();
    ({ header } = challenge);
    // The sign-in learns that this token is of no use, also if the request is not sent again.
    const asked = { ...challenge, request: request(), ...(isOptional && { isOptional }) };
    const next = await authorization.answer(asked).catch((error: unknown) =>
      // Nothing shows that a sign-in would help, so the response is that of the request.
      isUnspecific && neededSignIn(error) === undefined ? undefined : failed(error),
    );
    if (next === undefined) return response;
    if (isUnspecific) response.discard();
    if (sends === MAX_SENDS || token?.isFresh === true)
      throw new RemoteFailure(challenge.status === 401 ? "unauthorized" : "forbidden", host);
    token = next;
  }
}

const BEARER = /(?:^|[\s,])Bearer(?=[\s,]|$)/i;
/** Only servers with OAuth send this. */
const NAMES_METADATA = /\bresource_metadata\s*=/i;
const INSUFFICIENT_SCOPE = /\berror\s*=\s*"?insufficient_scope\b/i;

/** The challenge in a response; undefined if a sign-in would not help. */
function challengeIn(
  { status, headers }: Pick<HttpResponse, "status" | "headers">,
  sent: BearerToken | undefined,
  { isConfigured }: Authorization,
): AuthChallenge | undefined {
  if (status !== 401 && status !== 403) return undefined;
  const header = headers["www-authenticate"] ?? "";
  const isBearer = BEARER.test(header);
  if (status === 403)
    return isBearer && INSUFFICIENT_SCOPE.test(header) ? { status, header, sent } : undefined;
  // Some servers leave the header out, or name a different scheme. Then it has to be known that they use OAuth.
  const isKnown = sent !== undefined || (header === "" && isConfigured);
  if (isBearer || isKnown) return { status, header, sent };
  // Or their metadata has to show it.
  return header === "" ? { status, header, sent, isUnspecific: true } : undefined;
}

function failureOf(error: unknown, host: string, header: string): RemoteFailure {
  if (neededSignIn(error)) return new RemoteFailure("signInRequired", host, "", false, error);
  // A server that only asks for a token, as for an API key: `login` explains what it lacks.
  if (isSignInUnavailable(error) && isUnknownIssuer(error.auth) && !NAMES_METADATA.test(header))
    return new RemoteFailure("unauthorized", host);
  if (isUnreadable(error))
    return new RemoteFailure("signInUnreadable", host, error.reason ?? error.message);
  const isRefused = isSignInUnavailable(error) && error.auth.state === "refused";
  const code = isRefused ? "signInRefused" : "signInUnavailable";
  // The failure has its own words for that.
  return new RemoteFailure(code, host, shortReason(error).replace(/\. Try again later$/, ""));
}

/** It is damaged, or the keychain does not give the key. */
function isUnreadable(error: unknown): error is WorkbenchError {
  return isWorkbenchError(error) && error.code === "CREDENTIAL_UNUSABLE";
}

function isUnknownIssuer({ state, issuer }: AuthStatus): boolean {
  return state === "refused" && issuer === null;
}
