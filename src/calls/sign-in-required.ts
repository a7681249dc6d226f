import { type WorkbenchError, workbenchError } from "../errors.ts";
import type { AuthStatus } from "../sign-in/types.ts";
import type { ServerRef } from "./identifier.ts";
import { type NeededSignIn, SIGN_IN_REQUIRED } from "./sign-in-error.ts";

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
  const { state, account, login } = auth;
  const meta = { ...place, state, account, login, ...(url !== undefined && { url }) };
  const needed: NeededSignIn = { code: SIGN_IN_REQUIRED, auth, place, meta };
  // A scope is a text of the server, which an agent could take for one of the workbench.
  const detail = auth.state === "needs-scope" ? null : auth.reason;
  const reason = detail === null ? REASONS[auth.state] : `${REASONS[auth.state]} (${detail})`;
  return workbenchError("SIGN_IN_REQUIRED", { ...place, reason }, hint, needed);
}
