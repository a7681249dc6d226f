import { setTimeout as delay } from "node:timers/promises";

import type { ClusterParts } from "./cluster-parts.ts";

const POLL_MS = 50;
/** Load balancers need a moment to learn that this replica is not ready. */
const MIN_MS = 3_000;
/** How long other replicas may need to learn that it has ended. */
const LAST_MS = 500;
/** When clients open their streams again, with another replica. */
const RETRY_MS = 500;

/** The clients without a session. */
export interface DrainedClients {
  /** Whether a call waits for one of them to return with input, which has to reach this replica. */
  readonly isAsked: () => boolean;
  /** Ends their streams. */
  readonly endStreams: () => void;
}

export interface DrainOptions extends DrainedClients {
  readonly drainMs: number;
  /** Whether Redis is there, without which no other replica can take a session. */
  readonly isUp: () => boolean;
  /** How many responses are not complete. */
  readonly openResponses: () => number;
}

/**
 * Gives all sessions to other replicas, each as soon as it waits for nothing, and lets calls finish. Requests are served until
 * the end: a load balancer may not know yet, and a session that begins now is given away at once.
 */
export async function drain(
  { owned, finder, router, lease }: ClusterParts,
  { drainMs, isUp, openResponses, isAsked, endStreams }: DrainOptions,
): Promise<void> {
  const begin = performance.now();
  finder.mayClaim = false;
  for (;;) {
    router.endStreams(RETRY_MS);
    endStreams();
    if (isUp()) {
      for (const { session } of owned.all) session.streams.end(RETRY_MS);
      for (const each of owned.all) if (!each.session.awaits()) await owned.release(each);
    }
    const passed = performance.now() - begin;
    if (passed >= drainMs) break;
    // Sessions that could not be given away are served until then: Redis may be back in time.
    const [kept] = owned.all;
    if (passed >= MIN_MS && kept === undefined && openResponses() === 0 && !isAsked()) break;
    await delay(Math.min(POLL_MS, drainMs - passed));
  }
  // Their calls are about to be cut off; the sessions continue.
  for (const each of owned.all) await owned.giveAway(each);
  await lease.end();
  // What others have sent before they knew gets an answer.
  await delay(LAST_MS);
}
