import type { ClientCall, Route } from "../calls/call.ts";
import type { OnServer } from "../calls/destination.ts";
import type { Outcome } from "../calls/outcome.ts";
import { neededSignIn } from "../calls/sign-in-error.ts";

/** The connection of a call; its outcome if the user had to sign in and did not. */
export async function connected(call: ClientCall, { server }: OnServer): Promise<Route | Outcome> {
  const { caller } = call;
  for (;;) {
    try {
      return caller.connectionTo(server) ?? (await caller.connect(server));
    } catch (error) {
      const needed = neededSignIn(error);
      if (needed === undefined || caller.pipeline.signIn === undefined) throw error;
      const outcome = await caller.pipeline.signIn(call, needed);
      if (outcome !== undefined) return outcome;
    }
  }
}
