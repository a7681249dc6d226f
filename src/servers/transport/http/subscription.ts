import { RPC } from "../../../errors.ts";
import { Reopening, isWorthRetrying } from "../../handshake/reopening.ts";
import { isSuccess } from "./http-response.ts";
import type { Post } from "./post.ts";
import type { Refusal } from "./refusal.ts";

/**
 * Keeps a subscription open: one that ends or cannot be opened is tried again, which repeats no
 * effect. `pauseMs` is how long the server has asked for no requests at all.
 */
export async function keepSubscribed(
  post: Post,
  attempt: () => Promise<void>,
  pauseMs: () => number,
): Promise<void> {
  const reopening = new Reopening();
  while (!post.cancelled) {
    const startedAt = performance.now();
    post.status = undefined;
    try {
      await attempt();
      return;
    } catch (error) {
      if (!isWorthRetrying(post.status, post.streamed)) throw error;
      if (post.status !== undefined && isSuccess(post.status))
        reopening.ended(performance.now() - startedAt, false);
      else reopening.failed();
      post.missedEvents ||= reopening.hasMissedEvents;
    }
    await post.sleep(Math.max(reopening.pauseMs(), pauseMs()));
  }
}

/** Whether a refusal only means that a subscription cannot be opened at this time. */
export function isTemporary({ isSubscription, streamed }: Post, { status, rpc }: Refusal): boolean {
  return isSubscription && rpc?.code !== RPC.methodNotFound && isWorthRetrying(status, streamed);
}
