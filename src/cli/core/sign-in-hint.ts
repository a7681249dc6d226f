import { type NeededSignIn, neededSignIn } from "../../calls/sign-in-error.ts";
import type { WorkbenchError } from "../../errors.ts";

/** What to do about an error. The hint to sign in is for agents; people get the command. */
export function hintOf(error: WorkbenchError): string | undefined {
  const needed: Partial<NeededSignIn> | undefined = neededSignIn(error);
  return needed?.auth === undefined ? error.hint : `Sign in with: ${needed.auth.login}`;
}
