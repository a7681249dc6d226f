/** Assertions about time and memory; they hold for measured scenarios only. */
import { expect } from "vitest";
import { resourcesOf, watchMemory } from "./resources.ts";
import type { Rig, Run } from "./rig.ts";

/** How much memory may grow permanently. */
export const MAX_MB = 30;
/** How much garbage the engine lets pile up before it collects. */
const DEAD_BUFFERS_MB = 32;

/** Less than `ms` have passed since `begin`. */
export function expectWithin(rig: Rig, begin: number, ms: number): void {
  if (rig.measured) expect(performance.now() - begin).toBeLessThan(ms);
}

/** The program never uses so many bytes more than at its baseline while the work is done. */
export async function withinMemory<T>(
  rig: Rig,
  run: Run,
  bytes: number,
  work: () => Promise<T>,
): Promise<T> {
  if (!rig.measured) return work();
  const peak = watchMemory(run.pid);
  const result = await work();
  expect(peak() - run.baseline.rss).toBeLessThan(bytes);
  return result;
}

/**
 * For faults that move much data: the first of its kind brings the heap of the engine to its
 * working size, which is not released. After that the next one may add no more than anything else
 * may.
 */
export function atWorkingSize(rig: Rig, run: Run): void {
  if (!rig.measured) return;
  const now = resourcesOf(run.pid, run);
  const grownMb = Math.round((now.rss - run.baseline.rss) / 1024 ** 2);
  if (grownMb > MAX_MB + DEAD_BUFFERS_MB)
    throw new Error(`I7 the heap has grown by ${grownMb} MB to its working size`);
  run.baseline = now;
}
