/**
 * Why a step of OAuth failed:
 * - `network`: not reachable, overloaded or not answering properly; try later, keep everything
 * - `refused`: the grant is no longer valid (`invalid_grant`); the user has to log in
 * - `client`: the authorization server does not accept the client (`invalid_client`)
 * - `metadata`: what the server says about its authorization server cannot be trusted
 * - `denied`: the user or the authorization server refused this login
 * - `unsupported`: the authorization server cannot do what is needed, or a setting is missing
 */
export type OAuthFailureKind =
  | "network"
  | "refused"
  | "client"
  | "metadata"
  | "denied"
  | "unsupported";

export interface OAuthFailureDetails {
  /** What to do about it. */
  readonly hint?: string | undefined;
  /** The error code of the authorization server, such as `invalid_grant`. */
  readonly error?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** Its message is for the user. It never contains a token, a code or a secret. */
export class OAuthFailure extends Error {
  override readonly name = "OAuthFailure";
  /** Several bundles contain this class, so it is recognized by this property. */
  readonly isOAuthFailure = true;
  readonly kind: OAuthFailureKind;
  readonly hint: string | undefined;
  readonly error: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(kind: OAuthFailureKind, reason: string, details: OAuthFailureDetails = {}) {
    const { hint, error, retryAfterMs, cause } = details;
    super(hint === undefined ? reason : `${reason}. ${hint}`, cause === undefined ? {} : { cause });
    this.kind = kind;
    this.hint = hint;
    this.error = error;
    this.retryAfterMs = retryAfterMs;
  }
}

export function isOAuthFailure(error: unknown): error is OAuthFailure {
  return typeof error === "object" && error !== null && "isOAuthFailure" in error;
}
