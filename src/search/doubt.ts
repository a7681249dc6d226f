/** What an answer says if none of the tools fits the query well. */

import { STOP_WORDS } from "./stop-words.ts";
import { splitWords } from "./text.ts";
import type { Hit } from "./types.ts";

/** Below this, the best hit is more often wrong than right. */
const MIN_FIT = 0.3;
/** A longer query mostly describes several steps, and no tool does them all. */
const MAX_STEP_WORDS = 10;
const HIGHER_LIMIT = 10;

/** A sentence with one suggestion; empty if a tool fits. */
export function doubtAbout(query: string, hits: readonly Hit[], limit: number): string {
  if (hits.some(({ fit = 1 }) => fit >= MIN_FIT)) return "";
  const words = splitWords(query)
    .flat()
    .filter((word) => !STOP_WORDS.has(word));
  const isLong = words.length > MAX_STEP_WORDS;
  if (isLong) return "None may fit well. Search for one step at a time";
  return limit < HIGHER_LIMIT
    ? `None may fit well. limit ${HIGHER_LIMIT} shows more`
    : "None may fit well. Search in other words";
}
