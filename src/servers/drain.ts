import { setImmediate as nextTurn } from "node:timers/promises";
import { atMost } from "./deadline.ts";

const DRAIN_MS = 200;

/**
 * Waits until the output of a process that has ended is read. A child of it may hold the pipes open
 * forever, so not for long; but the time may be over before the event loop has looked at the pipes at all.
 */
export async function drain(allRead: Promise<unknown>): Promise<void> {
  await atMost(DRAIN_MS, allRead);
  await nextTurn();
}
