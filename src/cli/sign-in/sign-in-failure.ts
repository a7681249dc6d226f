import { type WorkbenchError, isWorkbenchError, reasonOf, workbenchError } from "../../errors.ts";
import { isOAuthFailure } from "../../oauth/failure.ts";
import type { RemoteServer } from "./remote-server.ts";

/** A failure of a login as the user sees it; the exit code says whether trying again may help. */
export function signInFailure(
  error: unknown,
  { place }: Pick<RemoteServer, "place">,
): WorkbenchError {
  if (isWorkbenchError(error)) return error;
  if (!isOAuthFailure(error)) {
    const reason = withoutStop(reasonOf(error));
    return workbenchError("SIGN_IN_FAILED", { ...place, reason }, undefined, error);
  }
  const { hint, kind, message } = error;
  const reason = withoutStop(hint === undefined ? message : message.replace(`. ${hint}`, ""));
  const code = kind === "network" ? "CONNECTION_FAILED" : "SIGN_IN_FAILED";
  return workbenchError(code, { ...place, reason }, hint, { code: kind });
}

const withoutStop = (text: string): string => text.replace(/\.$/, "");
