/** How the words of a query and its meaning make the score of a tool. */

/** Above any other score, so that a tool whose name is the query comes first. */
export const EXACT_NAME = 1e6;
/** The best match by words has 1, the closest possible meaning has this. */
const CLOSENESS_WEIGHT = 1.5;
/** A tool that shares no word with the query has to be at least this close. */
export const MIN_CLOSENESS = 0.35;
/** How close a tool often is that has nothing to do with the query. */
const UNRELATED = 0.3;
/** Beside a tool whose name is the query, others have to fit at least this well. */
export const MIN_FIT_BESIDE_EXACT = 0.6;

/** Squared, because a moderate closeness says little. */
export function byMeaning(closeness: number): number {
  return closeness <= 0 ? 0 : CLOSENESS_WEIGHT * closeness * closeness;
}

/**
 * How well a tool answers a query, from 0 to 1: by the share of the words that it covers, or by its meaning, as far
 * as that is known.
 */
export function fitOf(covered: number, closeness: number, unknownShare: number): number {
  return Math.max(covered, (closeness - UNRELATED) * (1 - unknownShare));
}
