/** Which tools were used after which queries: they are ranked higher for similar queries. */

import { meaningfulWords } from "./query-words.ts";
import { stem } from "./stem.ts";

/** A tool that was used after a query. Of the query, only its stems are kept. */
export interface PastUse {
  readonly terms: readonly string[];
  /** Toolbox, server and name of the tool. */
  readonly tool: string;
}

export const MAX_USES = 1_000;
const MAX_TERMS = 20;
/** Queries that have less in common are not similar. */
const MIN_SIMILARITY = 0.5;
/** What a tool gains if it was used after the same query. The best match by words has 1. */
const MAX_BOOST = 0.3;

export function pastUse(query: string, tool: string): PastUse {
  return { terms: queryTerms(query), tool };
}

/** Without repetitions, and without the oldest if there are too many. */
export function mergedUses(uses: readonly PastUse[]): PastUse[] {
  const latest = new Map<string, PastUse>();
  for (const use of uses) {
    const key = JSON.stringify([use.tool, use.terms]);
    latest.delete(key);
    latest.set(key, use);
  }
  return [...latest.values()].slice(-MAX_USES);
}

/** What each tool gains for a query. */
export function boostsFor(query: string, uses: readonly PastUse[]): ReadonlyMap<string, number> {
  const asked = new Set(queryTerms(query));
  const boosts = new Map<string, number>();
  for (const { terms, tool } of uses) {
    const shared = terms.filter((term) => asked.has(term)).length;
    const similarity = shared === 0 ? 0 : shared / Math.sqrt(asked.size * terms.length);
    if (similarity < MIN_SIMILARITY) continue;
    boosts.set(tool, Math.max(boosts.get(tool) ?? 0, similarity * MAX_BOOST));
  }
  return boosts;
}

function queryTerms(query: string): string[] {
  const words = meaningfulWords(query);
  const terms = new Set(words.flat().map(stem));
  return [...terms].sort().slice(0, MAX_TERMS);
}
