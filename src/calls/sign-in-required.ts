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
  const hint = `Ask the user to ${actionFor(auth, url)}, then try again. Do not look for another way`;
  const { state, account, user, login } = auth;
  const meta = { ...place, state, account, user, login, url };
  const needed: NeededSignIn = { code: SIGN_IN_REQUIRED, auth, place, meta };
  // A scope is a text of the server, which an agent could take for one of the workbench.
  const detail = auth.state === "needs-scope" ? null : auth.reason;
  const reason = detail === null ? REASONS[auth.state] : `${REASONS[auth.state]} (${detail})`;
  return workbenchError("SIGN_IN_REQUIRED", { ...place, reason }, hint, needed);
}

/** A user who has no access to this machine cannot run commands on it. */
function actionFor({ login, user }: AuthStatus, url: string | undefined): string {
  if (user !== undefined && url !== undefined)
    return `open ${url} (valid for 10 minutes) and sign in there`;
  if (user !== undefined) return `have the owner of the workbench run '${login}'`;
  const open = url === undefined ? "" : `open ${url} (valid for 10 minutes, on this computer) or `;
  return `${open}run '${login}'`;
}
