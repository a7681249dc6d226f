import { type WorkbenchError, isWorkbenchError } from "../errors.ts";
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
  /** The same for programs, as the value of `NEEDS_AUTH_KEY`. */
  readonly meta: object;
  /** Where to sign in, if the call itself is not for that server: it opens a toolbox. */
  readonly signIn?: TargetSignIn | undefined;
}

/** What a sign-in error asks for; undefined for every other error. */
export function neededSignIn(error: unknown): NeededSignIn | undefined {
  if (!isWorkbenchError(error)) return undefined;
  const { code, cause } = error;
  if (code !== "SIGN_IN_REQUIRED" && code !== "TOOLBOX_UNREACHABLE") return undefined;
  return cause as NeededSignIn | undefined;
}

/** The error that asks for a sign-in, if this error or its cause is one. */
export function signInErrorOf(error: unknown): WorkbenchError | undefined {
  const cause = (error as { readonly cause?: unknown } | undefined)?.cause;
  return [error, cause].find((one) => neededSignIn(one) !== undefined) as
    | WorkbenchError
    | undefined;
}
