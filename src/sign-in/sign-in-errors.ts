import { reasonOf } from "../errors.ts";
import type { AuthStatus } from "./types.ts";

/** The user has to sign in. `auth` says how, and with which account. */
export class SignInNeeded extends Error {
  override readonly name = "SignInNeeded";
  /** Several bundles contain this class, so it is recognized by this property. */
  readonly isSignInNeeded = true;
  readonly auth: AuthStatus;

  constructor(auth: AuthStatus) {
    super(`the user has to sign in: ${auth.login}`);
    this.auth = auth;
  }
}

export function isSignInNeeded(error: unknown): error is SignInNeeded {
  return typeof error === "object" && error !== null && "isSignInNeeded" in error;
}

/** A login would not help now: the authorization server cannot be reached, or refuses the client. */
export class SignInUnavailable extends Error {
  override readonly name = "SignInUnavailable";
  readonly isSignInUnavailable = true;
  readonly auth: AuthStatus;
  /** When the next attempt makes sense. */
  readonly retryAfterMs: number;

  constructor(auth: AuthStatus, reason: string, retryAfterMs: number, cause?: unknown) {
    super(reason, cause === undefined ? {} : { cause });
    this.auth = auth;
    this.retryAfterMs = retryAfterMs;
  }
}

export function isSignInUnavailable(error: unknown): error is SignInUnavailable {
  return typeof error === "object" && error !== null && "isSignInUnavailable" in error;
}

/** The reason of a failure, without the full stop that another sentence would follow. */
export function shortReason(error: unknown): string {
  return reasonOf(error).replace(/\.$/, "");
}
