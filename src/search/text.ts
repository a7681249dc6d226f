/**
 * From text to index terms. Both sides of a match go through here: tool definitions and queries.
 *
 * Words are split as people and identifiers split them (`listPullRequests`, `list_pull_requests`,
 * "list pull requests"), lower-cased, stripped of accents and stemmed. Scripts written without spaces
 * become overlapping pairs of characters.
 */

import { stem } from "./stem.ts";

/** The lower-case parts of a written word; mostly just one. */
export type Word = readonly string[];

const NOT_ASCII = /[^\p{ASCII}]/u;
const WORDS = /[\p{L}\p{N}\p{M}]+/gu;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const SCRIPT_RUNS = new RegExp(`${UNSPACED.source}+|(?:(?!${UNSPACED.source}).)+`, "gu");
/** "GitHub" = Git·Hub, "XMLHttp" = XML·Http, "userIDs" = user·IDs, "getS3Key" = get·S3·Key. */
const PARTS = /\p{Lu}{2,}s(?!\p{Ll})|\p{Lu}+(?!\p{Ll})\p{N}*|\p{Lu}?[^\p{Lu}\p{N}]+\p{N}*|\p{N}+/gu;
/** Longer "words" are hashes, keys or pasted data, which would only waste memory as terms. */
const MAX_WORD_LENGTH = 64;

/** Accents are removed, but not the vowel signs of Indic scripts. */
function fold(text: string): string {
  if (!NOT_ASCII.test(text)) return text;
  return text
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .normalize("NFKC");
}

function characterPairs(run: string): string[] {
  const characters = Array.from(run);
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, i) => `${characters[i]}${character}`);
}

/** The words in a run of letters and digits: one, or several without spaces between them. */
function wordsOfRun(run: string): Word[] {
  if (!NOT_ASCII.test(run)) return wordWithSpaces(run);
  return (run.match(SCRIPT_RUNS) ?? []).flatMap((part) =>
    UNSPACED.test(part) ? characterPairs(part).map((pair) => [pair]) : wordWithSpaces(part),
  );
}

function wordWithSpaces(word: string): Word[] {
  if (word.length > MAX_WORD_LENGTH) return [];
  return [(word.match(PARTS) ?? [word]).map((part) => part.toLowerCase())];
}

export function splitWords(text: string): Word[] {
  return (fold(text).match(WORDS) ?? []).flatMap(wordsOfRun);
}

/**
 * The terms of a text, in order, with repetitions. A compound of two parts is also indexed as a
 * whole, because product names are written both ways ("GitHub", "github").
 */
export function termsOf(text: string): string[] {
  const terms: string[] = [];
  for (const run of fold(text).match(WORDS) ?? []) {
    for (const term of termsOfRun(run)) terms.push(term);
  }
  return terms;
}

/** Words repeat; caching their terms nearly halves the time to index. */
const cache = new Map<string, readonly string[]>();
const MAX_CACHED = 5_000;

function termsOfRun(run: string): readonly string[] {
  let terms = cache.get(run);
  if (terms === undefined) {
    terms = wordsOfRun(run).flatMap(termsOfWord);
    if (run.length > MAX_WORD_LENGTH) return terms;
    if (cache.size >= MAX_CACHED) cache.clear();
    cache.set(run, terms);
  }
  return terms;
}

const LETTERS_THEN_DIGITS = /^([a-z]{3,})[0-9]+$/;

function termsOfWord(parts: Word): string[] {
  const terms = parts.length === 2 ? [stem(parts.join(""))] : [];
  for (const part of parts) {
    terms.push(stem(part));
    const letters = LETTERS_THEN_DIGITS.exec(part)?.[1];
    if (letters !== undefined) terms.push(stem(letters));
  }
  return terms;
}

/** A name without case and separators: the same for `read_file` and `readFile`. */
export function nameKey(name: string): string {
  return splitWords(name).flat().join("");
}
