/** What a query asks for: weighted index terms and the tools it names. */

import { stem } from "./stem.ts";
import { STOP_WORDS } from "./stop-words.ts";
import { nameKey, splitWords } from "./text.ts";

/** For terms that the query implies rather than says: parts, joined neighbours, corrections. */
const IMPLIED = 0.5;
const LONGEST_QUERY = 2_000;
/** Each costs a pass over all known names; the proper names in a long task deserve none. */
const MOST_CORRECTIONS = 4;
const CORRECTIONS_PER_WORD = 3;
const ONLY_LETTERS = /^\p{L}+$/u;
const IDENTIFIER = /[\p{L}\p{N}\p{M}]+(?:[_.-][\p{L}\p{N}\p{M}]+)*/gu;

/** What a query needs to know of the index. */
export interface KnownTerms {
  has(term: string): boolean;
  nearest(term: string, limit: number): readonly string[];
}

export interface ParsedQuery {
  /** Terms that the index knows, with their weights. */
  readonly terms: ReadonlyMap<string, number>;
  /** Keys (see `nameKey`) of compound words: tools of that name are mentioned. */
  readonly names: ReadonlySet<string>;
  /** The key of the query as a whole. */
  readonly wholeName: string;
}

export function parseQuery(query: string, known: KnownTerms): ParsedQuery {
  const text = query.slice(0, LONGEST_QUERY);
  return {
    terms: weightedTerms(text, known),
    names: mentionedNames(text),
    wholeName: nameKey(text),
  };
}

/** Only compounds count: a tool called `search` is not mentioned by every query with that word. */
function mentionedNames(text: string): Set<string> {
  const names = new Set<string>();
  for (const [identifier] of text.matchAll(IDENTIFIER)) {
    const parts = splitWords(identifier).flat();
    if (parts.length > 1) names.add(parts.join(""));
  }
  return names;
}

function weightedTerms(text: string, known: KnownTerms): Map<string, number> {
  const terms = new Map<string, number>();
  const addKnown = (word: string, weight: number): boolean => {
    const term = stem(word);
    if (!known.has(term)) return false;
    terms.set(term, Math.max(terms.get(term) ?? 0, weight));
    return true;
  };
  const unknown = new Map<string, number>();
  let previous = "";
  for (const parts of meaningfulWords(text)) {
    const whole = parts.join("");
    const isKnownCompound = parts.length > 1 && addKnown(whole, 1);
    const weight = isKnownCompound ? IMPLIED : 1;
    for (const part of parts) if (!addKnown(part, weight)) unknown.set(part, weight);
    if (previous !== "") addKnown(previous + whole, IMPLIED);
    previous = whole;
  }
  const misspelt = [...unknown].filter(([word]) => ONLY_LETTERS.test(word));
  for (const [word, weight] of misspelt.slice(0, MOST_CORRECTIONS)) {
    for (const term of known.nearest(stem(word), CORRECTIONS_PER_WORD)) {
      if (!terms.has(term)) terms.set(term, weight * IMPLIED);
    }
  }
  return terms;
}

function meaningfulWords(text: string): string[][] {
  const words = splitWords(text);
  const meaningful = words.filter(
    (parts) => parts.length > 1 || !STOP_WORDS.has(parts[0] as string),
  );
  return meaningful.length > 0 ? meaningful : words;
}
