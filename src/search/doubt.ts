/** What an answer says if none of the tools fits the query well, or not every step of it has one. */

import { meaningfulWords } from "./query-words.ts";
import { stepsIn } from "./steps.ts";
import type { Hit } from "./types.ts";

/** Below this, the best hit is more often wrong than right. */
const MIN_FIT = 0.3;
/** A longer query mostly describes several steps, and no tool does them all. */
const MAX_STEP_WORDS = 10;
/** Below this, the hits rarely have all tools that a long query needs. */
const MIN_FIT_OF_LONG = 0.4;
const HIGHER_LIMIT = 10;
const ONE_STEP = "Search for one step at a time";
/** A step is covered if one of its best tools is shown. */
const HITS_PER_STEP = 3;

/** Searches as the query was searched. */
type Find = (query: string, limit: number) => readonly Hit[];

/** A sentence with one suggestion; empty if the tools fit. */
export function doubtAbout(
  query: string,
  hits: readonly Hit[],
  limit: number,
  find: Find = () => [],
): string {
  // Only a tool whose name is the query is worth more than filler words.
  if (hits.some(({ fit = 1 }) => fit === 1)) return "";
  const isMeaningless = meaningfulWords(query).length === 0;
  const minFit = isLong(query) ? MIN_FIT_OF_LONG : MIN_FIT;
  const isPoor = isMeaningless || hits.every(({ fit = 1 }) => fit < minFit);
  const steps = stepsIn(query);
  if (!isPoor) {
    const isCovered = (step: string): boolean => isStepCovered(find(step, HITS_PER_STEP), hits);
    return steps.every(isCovered) ? "" : `Not every step has a tool here. ${ONE_STEP}`;
  }
  const isMore = hits.length >= limit && limit < HIGHER_LIMIT && !isMeaningless;
  const isOneStep = steps.length === 0 && !isLong(query);
  const advice = isMore && isOneStep ? `A limit of ${HIGHER_LIMIT} shows more` : otherQuery(query);
  return `None may fit well. ${advice}`;
}

/** What to search for instead of a query that no tool matches. */
export function otherQuery(query: string): string {
  return isLong(query) || stepsIn(query).length > 0 ? ONE_STEP : "Search in other words";
}

/** Also if no tool fits it: a search for it would not help. */
function isStepCovered(best: readonly Hit[], shown: readonly Hit[]): boolean {
  const fitting = best.filter(({ fit = 1 }) => fit >= MIN_FIT);
  return fitting.length === 0 || fitting.some((hit) => shown.some((one) => isSame(one, hit)));
}

function isSame(shown: Hit, { toolbox, server, tool }: Hit): boolean {
  return (
    shown.tool.name === tool.name &&
    [shown, ...(shown.also ?? [])].some((at) => at.toolbox === toolbox && at.server === server)
  );
}

function isLong(query: string): boolean {
  return meaningfulWords(query).flat().length > MAX_STEP_WORDS;
}
