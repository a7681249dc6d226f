/** Parses a query into weighted index terms and the tool names it mentions. */

import { areLetters } from "./characters.ts";
import { isFiller, queryWords } from "./query-words.ts";
import { stem } from "./stem.ts";
import { synonymsOf } from "./synonyms.ts";
import type { Word } from "./text.ts";

/** Weight of terms that the query only implies: parts of words, joined words, corrections. */
const IMPLIED = 0.5;
/** Weight of another word for the same: more than a guess, less than the word itself. */
const SYNONYM = 0.75;
/** Each correction costs a pass over all known names, which proper names in a long query do not merit. */
const MAX_CORRECTIONS = 4;
const CORRECTIONS_PER_WORD = 3;
const ONE_LETTER = /^[a-z]$/;

/** The part of the index that parsing a query needs. */
export interface KnownTerms {
  has(term: string): boolean;
  /** The terms of the words that are most similar to a written one. */
  nearest(word: string, limit: number): readonly string[];
}

/** The words that have a vector. */
export interface Vocabulary {
  has(term: string): boolean;
  /** The term of the word that a misspelt one most likely stands for. */
  corrected(word: string): string | undefined;
}

const NO_VOCABULARY: Vocabulary = { has: () => false, corrected: () => undefined };

interface Synonym {
  /** The term of the query that it is a synonym of. */
  readonly of: string;
  readonly weight: number;
}

/** What is looked up in the index. */
export interface QueryTerms {
  /** Terms in the index, with their weights. */
  readonly terms: ReadonlyMap<string, number>;
  /** Further terms in the index that mean the same as one of those. */
  readonly synonyms: ReadonlyMap<string, Synonym>;
  /** Keys (see `nameKey`) of compound words, which may be names of tools. */
  readonly names: ReadonlySet<string>;
}

export interface ParsedQuery extends QueryTerms {
  /** Words that have a vector, with their weights; corrected, and whether a tool contains them or not. */
  readonly meant: ReadonlyMap<string, number>;
  /** The number of words that no tool contains, and that are not similar to one that does. */
  readonly unmatched: number;
  /** The number of these that have no vector either: nothing is known about them. */
  readonly unknown: number;
  /** The key of the query as a whole. */
  readonly wholeName: string;
}

export function parseQuery(
  query: string,
  known: KnownTerms,
  vocabulary: Vocabulary = NO_VOCABULARY,
): ParsedQuery {
  const { written, meant, names } = queryWords(query);
  const meaningful = meant.filter((word) => !isFiller(word));
  return {
    // A query of filler words and fragments of words only is taken as it is.
    ...weightedTerms(meaningful.length > 0 ? meaningful : written, known, vocabulary),
    names,
    wholeName: written.flat().join("") || query.trim(),
  };
}

function weightedTerms(
  words: readonly Word[],
  known: KnownTerms,
  vocabulary: Vocabulary,
): Pick<ParsedQuery, "terms" | "synonyms" | "meant" | "unmatched" | "unknown"> {
  const terms = new Map<string, number>();
  const synonyms = new Map<string, Synonym>();
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
  /** Also adds its synonyms; the first of them replaces a word that no tool contains. */
  const addWord = (word: string, weight: number): boolean => {
    const term = stem(word);
    let isKnown = addKnown(word, weight);
    addMeant(term, weight);
    for (const other of synonymsOf(term)) {
      addMeant(other, weight * IMPLIED);
      if (!known.has(other)) continue;
      const lower = weight * SYNONYM;
      if (!isKnown) keepLarger(terms, other, lower);
      else if (lower > (synonyms.get(other)?.weight ?? 0))
        synonyms.set(other, { of: term, weight: lower });
      isKnown = true;
    }
    return isKnown;
  };
  const unknown = new Map<string, number>();
  let previous = "";
  for (const parts of words) {
    const whole = parts.join("");
    const isKnownCompound = parts.length > 1 && addKnown(whole, 1);
    if (isKnownCompound) addMeant(stem(whole), 1);
    const isWeak = isKnownCompound || (words.length > 1 && ONE_LETTER.test(whole));
    const weight = isWeak ? IMPLIED : 1;
    for (const part of wordsIn(parts)) {
      if (!addWord(part, weight)) unknown.set(part, weight);
    }
    if (previous !== "") addKnown(previous + whole, IMPLIED);
    previous = whole;
  }
  const misspelt = [...unknown].filter(([word]) => areLetters(word));
  const rest = misspelt.slice(MAX_CORRECTIONS);
  let unmatched = rest.length;
  let unexplained = rest.filter(([word]) => !vocabulary.has(stem(word))).length;
  for (const [word, weight] of misspelt.slice(0, MAX_CORRECTIONS)) {
    const term = stem(word);
    // A word that the table knows is spelt correctly, even if no tool contains it.
    const near = vocabulary.has(term) ? [] : known.nearest(word, CORRECTIONS_PER_WORD);
    if (near.length === 0) unmatched++;
    for (const other of near) if (!terms.has(other)) terms.set(other, weight * IMPLIED);
    if (vocabulary.has(term)) continue;
    const correct = near.find((other) => vocabulary.has(other)) ?? vocabulary.corrected(word);
    if (correct !== undefined) addMeant(correct, weight);
    else if (near.length === 0) unexplained++;
  }
  for (const term of terms.keys()) synonyms.delete(term);
  return { terms, synonyms, meant, unmatched, unknown: unexplained };
}

function keepLarger(weights: Map<string, number>, term: string, weight: number): void {
  weights.set(term, Math.max(weights.get(term) ?? 0, weight));
}

/** The parts of a compound without single letters, such as the last of "k8s": they are in too many tools. */
function wordsIn(parts: Word): Word {
  if (parts.length === 1) return parts;
  const words = parts.filter((part) => part.length > 1);
  return words.length > 0 ? words : [parts.join("")];
}
