/** What an answer says if none of the tools fits the query well. */

import { isFiller, splitQuery } from "./query-words.ts";
import type { Hit } from "./types.ts";

/** Below this, the best hit is more often wrong than right. */
const MIN_FIT = 0.3;
/** A longer query mostly describes several steps, and no tool does them all. */
const MAX_STEP_WORDS = 10;
const HIGHER_LIMIT = 10;
const ONE_STEP = "Search for one step at a time";

/** A sentence with one suggestion; empty if a tool fits. */
export function doubtAbout(query: string, hits: readonly Hit[], limit: number): string {
  const isMeaningless = meaningfulWords(query).length === 0;
  const doubts = isMeaningless || hits.every(({ fit = 1 }) => fit < MIN_FIT);
  // Only a tool whose name is the query is worth more than filler words.
  if (!doubts || hits.some(({ fit = 1 }) => fit === 1)) return "";
  const isMore = hits.length >= limit && limit < HIGHER_LIMIT && !isMeaningless;
  return `None may fit well. ${isMore ? limitAdvice(query) : otherQuery(query)}`;
}

/** What to search for instead of a query that no tool matches. */
export function otherQuery(query: string): string {
  return isLong(query) ? ONE_STEP : "Search in other words";
}

function limitAdvice(query: string): string {
  return isLong(query) ? ONE_STEP : `limit ${HIGHER_LIMIT} shows more`;
}

function isLong(query: string): boolean {
  return meaningfulWords(query).length > MAX_STEP_WORDS;
}

function meaningfulWords(query: string): string[] {
  return splitQuery(query)
    .filter((word) => !isFiller(word))
    .flat();
}
