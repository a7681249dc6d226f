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

/** The words that have a vector. */
export interface Vocabulary {
  has(term: string): boolean;
  /** The word that a misspelt one most likely stands for. */
  corrected(term: string): string | undefined;
}

const NO_VOCABULARY: Vocabulary = { has: () => false, corrected: () => undefined };

export interface ParsedQuery {
  /** Terms in the index, with their weights. */
  readonly terms: ReadonlyMap<string, number>;
  /** Words that have a vector, with their weights; corrected, and whether a tool contains them or not. */
  readonly meant: ReadonlyMap<string, number>;
  /** The number of words that no tool contains, and that are not similar to one that does. */
  readonly unmatched: number;
  /** Keys (see `nameKey`) of compound words, which may be names of tools. */
  readonly names: ReadonlySet<string>;
  /** The key of the query as a whole. */
  readonly wholeName: string;
}

export function parseQuery(
  query: string,
  known: KnownTerms,
  vocabulary: Vocabulary = NO_VOCABULARY,
): ParsedQuery {
  const text = query.slice(0, MAX_QUERY_LENGTH);
  const words = splitWords(text);
  return {
    ...weightedTerms(words, known, vocabulary),
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

function weightedTerms(
  words: readonly Word[],
  known: KnownTerms,
  vocabulary: Vocabulary,
): Pick<ParsedQuery, "terms" | "meant" | "unmatched"> {
  const terms = new Map<string, number>();
  const meant = new Map<string, number>();
  const addMeant = (term: string, weight: number): void => {
    if (vocabulary.has(term)) keepLarger(meant, term, weight);
  };
  const addKnown = (word: string, weight: number): boolean => {
    const term = stem(word);
    if (!known.has(term)) return false;
    keepLarger(terms, term, weight);
    return true;
  };
  const unknown = new Map<string, number>();
  let previous = "";
  for (const parts of meaningful(words)) {
    const whole = parts.join("");
    const isKnownCompound = parts.length > 1 && addKnown(whole, 1);
    if (isKnownCompound) addMeant(stem(whole), 1);
    const weight = isKnownCompound ? IMPLIED : 1;
    for (const part of parts) {
      if (!addKnown(part, weight)) unknown.set(part, weight);
      addMeant(stem(part), weight);
    }
    if (previous !== "") addKnown(previous + whole, IMPLIED);
    previous = whole;
  }
  const misspelt = [...unknown].filter(([word]) => ONLY_LETTERS.test(word));
  let unmatched = Math.max(0, misspelt.length - MAX_CORRECTIONS);
  for (const [word, weight] of misspelt.slice(0, MAX_CORRECTIONS)) {
    const term = stem(word);
    const near = known.nearest(term, CORRECTIONS_PER_WORD);
    if (near.length === 0) unmatched++;
    for (const other of near) if (!terms.has(other)) terms.set(other, weight * IMPLIED);
    if (vocabulary.has(term)) continue;
    const correct = near.find((other) => vocabulary.has(other)) ?? vocabulary.corrected(term);
    if (correct !== undefined) addMeant(correct, weight);
  }
  return { terms, meant, unmatched };
}

function keepLarger(weights: Map<string, number>, term: string, weight: number): void {
  weights.set(term, Math.max(weights.get(term) ?? 0, weight));
}

function meaningful(words: readonly Word[]): readonly Word[] {
  const chosen = words.filter(([first = "", ...more]) => more.length > 0 || !STOP_WORDS.has(first));
  return chosen.length > 0 ? chosen : words;
}
