import type { JsonObject } from "../text/json.ts";
import { OAuthFailure, type OAuthFailureKind } from "./failure.ts";
import { foreignText } from "./foreign-text.ts";

const KINDS: Readonly<Record<string, OAuthFailureKind>> = {
  invalid_grant: "refused",
  // Not in the standard, but what GitHub answers.
  bad_refresh_token: "refused",
  bad_verification_code: "refused",
  invalid_client: "client",
  unauthorized_client: "client",
  incorrect_client_credentials: "client",
  invalid_client_metadata: "client",
  invalid_redirect_uri: "client",
  access_denied: "denied",
  consent_required: "denied",
  interaction_required: "denied",
  login_required: "denied",
  account_selection_required: "denied",
  expired_token: "denied",
  server_error: "network",
  temporarily_unavailable: "network",
};

const HINTS: Readonly<Record<OAuthFailureKind, string>> = {
  network: "Try again later",
  refused: "Log in again",
  client: 'Check "clientId", "clientSecret" and "clientAuth" in "oauth", or log in again',
  denied: "Log in again and allow the access",
  metadata: "Ask the operator of the server",
  unsupported: 'Check "scopes", "resource" and "authorizationParams" in "oauth"',
};

/** The failure that an error of an authorization server means; its texts are untrusted. */
export function errorFailure(
  document: JsonObject,
  issuer: string,
  secrets: readonly string[] = [],
): OAuthFailure {
  const error = foreignText(document["error"], secrets) ?? "unknown_error";
  const description = foreignText(document["error_description"], secrets);
  const kind = Object.hasOwn(KINDS, error) ? (KINDS[error] ?? "unsupported") : "unsupported";
  const reason = `The authorization server ${issuer} answered ${error}`;
  return new OAuthFailure(
    kind,
    description === undefined ? reason : `${reason} ("${description}")`,
    {
      hint: HINTS[kind],
      error,
    },
  );
}
