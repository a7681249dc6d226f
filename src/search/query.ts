/** Parses a query into weighted index terms and the tool names it mentions. */

import { stem } from "./stem.ts";
import { STOP_WORDS } from "./stop-words.ts";
import { nameKey, splitWords, type Word } from "./text.ts";

/** Weight of terms that the query only implies: parts of words, joined words, corrections. */
const IMPLIED = 0.5;
export const MAX_QUERY_LENGTH = 2_000;
/** Each correction costs a pass over all known names, which proper names in a long query do not merit. */
const MAX_CORRECTIONS = 4;
const CORRECTIONS_PER_WORD = 3;
const ONLY_LETTERS = /^\p{L}+$/u;
const SEPARATED_NAME = /[\p{L}\p{N}\p{M}]+(?:[_.-][\p{L}\p{N}\p{M}]+)+/gu;

/** The part of the index that parsing a query needs. */
export interface KnownTerms {
  has(term: string): boolean;
  nearest(term: string, limit: number): readonly string[];
}

export interface ParsedQuery {
  /** Terms in the index, with their weights. */
  readonly terms: ReadonlyMap<string, number>;
  /** Keys (see `nameKey`) of compound words, which may be names of tools. */
  readonly names: ReadonlySet<string>;
  /** The key of the query as a whole. */
  readonly wholeName: string;
}

export function parseQuery(query: string, known: KnownTerms): ParsedQuery {
  const text = query.slice(0, MAX_QUERY_LENGTH);
  const words = splitWords(text);
  return {
    terms: weightedTerms(words, known),
    names: compoundNames(text, words),
    wholeName: words.flat().join(""),
  };
}

/** Only compounds count: a tool called `search` is not mentioned by every query with that word. */
function compoundNames(text: string, words: readonly Word[]): Set<string> {
  const names = new Set<string>();
  for (const parts of words) if (parts.length > 1) names.add(parts.join(""));
  for (const [name] of text.matchAll(SEPARATED_NAME)) names.add(nameKey(name));
  return names;
}

function weightedTerms(words: readonly Word[], known: KnownTerms): Map<string, number> {
  const terms = new Map<string, number>();
  const addKnown = (word: string, weight: number): boolean => {
    const term = stem(word);
    if (!known.has(term)) return false;
    terms.set(term, Math.max(terms.get(term) ?? 0, weight));
    return true;
  };
  const unknown = new Map<string, number>();
  let previous = "";
  for (const parts of meaningful(words)) {
    const whole = parts.join("");
    const isKnownCompound = parts.length > 1 && addKnown(whole, 1);
    const weight = isKnownCompound ? IMPLIED : 1;
    for (const part of parts) if (!addKnown(part, weight)) unknown.set(part, weight);
    if (previous !== "") addKnown(previous + whole, IMPLIED);
    previous = whole;
  }
  const misspelt = [...unknown].filter(([word]) => ONLY_LETTERS.test(word));
  for (const [word, weight] of misspelt.slice(0, MAX_CORRECTIONS)) {
    for (const term of known.nearest(stem(word), CORRECTIONS_PER_WORD)) {
      if (!terms.has(term)) terms.set(term, weight * IMPLIED);
    }
  }
  return terms;
}

function meaningful(words: readonly Word[]): readonly Word[] {
  const chosen = words.filter(([first = "", ...more]) => more.length > 0 || !STOP_WORDS.has(first));
  return chosen.length > 0 ? chosen : words;
}
