/**
 * Passes over the scores of all tools. They are small functions of numbers only, so that they are compiled soon and
 * once, whatever kinds of queries follow.
 */

import { byMeaning, MIN_CLOSENESS } from "./score.ts";

/** The scores of tools by slot. */
export interface Scores {
  /** By words; `best` is the best of those that may be found. */
  readonly words: Float64Array;
  readonly best: number;
  /** By meaning, from -1 to 1. */
  readonly closeness: Float64Array;
  /** The number of slots. */
  readonly count: number;
}

export function scoreAt({ words, best, closeness }: Scores, slot: number): number {
  return (words[slot] as number) / best + byMeaning(closeness[slot] as number);
}

/** Whether a tool has something in common with the query. */
export function isCandidate({ words, closeness }: Scores, slot: number): boolean {
  return words[slot] !== 0 || (closeness[slot] as number) >= MIN_CLOSENESS;
}

/** The next slot with at least the needed score, or the number of slots. */
export function nextCandidate(scores: Scores, from: number, needed: number): number {
  const { words, best, closeness, count } = scores;
  for (let slot = from; slot < count; slot++) {
    const byWords = words[slot] as number;
    const close = closeness[slot] as number;
    if (byWords === 0 && close < MIN_CLOSENESS) continue;
    if (byWords / best + byMeaning(close) >= needed) return slot;
  }
  return count;
}

/** The next slot with a value above this one, or the number of slots. */
export function nextAbove(
  values: Float64Array,
  from: number,
  count: number,
  value: number,
): number {
  let slot = from;
  while (slot < count && (values[slot] as number) <= value) slot++;
  return slot;
}
