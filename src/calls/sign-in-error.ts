import { type WorkbenchError, isWorkbenchError, workbenchError } from "../errors.ts";
import { isSignInNeeded } from "../sign-in/sign-in-errors.ts";
import type { AuthStatus } from "../sign-in/types.ts";
import type { ServerRef } from "./identifier.ts";
import type { TargetSignIn } from "./target-sign-in.ts";

/** The stable name of the cause in a status and in JSON-RPC errors. */
export const SIGN_IN_REQUIRED = "signInRequired";

/** Where an agent finds out, in the result of a call, that its user has to sign in. */
export const NEEDS_AUTH_KEY = "mcp-workbench/needs-auth";

/** What the user has to do before a server can be used. */
export interface NeededSignIn {
  readonly code: typeof SIGN_IN_REQUIRED;
  readonly auth: AuthStatus;
  readonly place: ServerRef;
  /** Our own link, which leads to the sign-in; undefined if there can be none. */
  readonly url: string | undefined;
  /** Where to sign in, if the call itself is not for that server: it opens a toolbox. */
  readonly signIn?: TargetSignIn | undefined;
}

const REASONS: Readonly<Record<AuthStatus["state"], string>> = {
  "needs-login": "the user has to sign in",
  refused: "the sign-in is no longer accepted, so the user has to sign in again",
  "needs-scope": "the user has to sign in again to allow what the call needs",
  // A server may reject a token that looks valid.
  "signed-in": "the server does not accept the sign-in, so the user has to sign in again",
  unreachable: "the user has to sign in",
};

/** The error for a call that cannot continue before the user has signed in. */
export function signInRequired(place: ServerRef, auth: AuthStatus, url?: string): WorkbenchError {
  const open = url === undefined ? "" : `open ${url} (valid for 10 minutes, on this computer) or `;
  const hint = `Ask the user to ${open}run '${auth.login}', then try again. Do not look for another way`;
  const needed: NeededSignIn = { code: SIGN_IN_REQUIRED, auth, place, url };
  const reason =
    auth.reason === null ? REASONS[auth.state] : `${REASONS[auth.state]} (${auth.reason})`;
  return workbenchError("SIGN_IN_REQUIRED", { ...place, reason }, hint, needed);
}

/** What a sign-in error asks for; undefined for every other error. */
export function neededSignIn(error: unknown): NeededSignIn | undefined {
  if (!isWorkbenchError(error)) return undefined;
  const { code, cause } = error;
  if (code !== "SIGN_IN_REQUIRED" && code !== "TOOLBOX_UNREACHABLE") return undefined;
  return cause as NeededSignIn | undefined;
}

/** Any error that says that the user has to sign in, as the error for callers. */
export function signInErrorOf(error: unknown, place: ServerRef): WorkbenchError | undefined {
  if (neededSignIn(error) !== undefined) return error as WorkbenchError;
  const cause = (error as { readonly cause?: unknown } | undefined)?.cause;
  const needed = [error, cause].find(isSignInNeeded);
  return needed && signInRequired(place, needed.auth);
}

/** The same for programs, as the value of `NEEDS_AUTH_KEY`. */
export function needsAuthMeta({ place, auth, url }: NeededSignIn): object {
  const { state, account, login } = auth;
  return { ...place, state, account, login, ...(url !== undefined && { url }) };
}
