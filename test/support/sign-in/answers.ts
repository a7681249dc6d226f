/** What tests of answers to challenges share. */
import { isSignInNeeded } from "../../../src/sign-in/sign-in-errors.ts";
import type { AuthStatus, BearerToken, SignInControl } from "../../../src/sign-in/types.ts";

/** The state that the user is asked to change. */
export async function stateAsked(
  answer: Promise<BearerToken>,
): Promise<AuthStatus["state"] | undefined> {
  const error: unknown = await answer.catch((reason: unknown) => reason);
  return isSignInNeeded(error) ? error.auth.state : undefined;
}

export const lacksScope = (sent: BearerToken | undefined, scope: string) =>
  ({ status: 403, header: `Bearer error="insufficient_scope", scope="${scope}"`, sent }) as const;

export async function login(signIn: SignInControl): Promise<void> {
  const pending = await signIn.beginLogin("http://127.0.0.1:1/callback");
  await pending.finish("?code=the-code&state=the-state");
}
