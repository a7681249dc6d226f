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
/** The same for ASCII, which is compiled and run faster. */
const ASCII_PARTS = /[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])[0-9]*|[A-Z]?[^A-Z0-9]+[0-9]*|[0-9]+/g;
/** Longer "words" are hashes, keys or pasted data, which would only waste memory as terms. */
export const MAX_WORD_LENGTH = 64;

/** Accents are removed, but not the vowel signs of Indic scripts. */
export function fold(text: string): string {
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
export function wordsOfRun(run: string): Word[] {
  if (!NOT_ASCII.test(run)) return wordWithSpaces(run, ASCII_PARTS);
  return (run.match(SCRIPT_RUNS) ?? []).flatMap((part) =>
    UNSPACED.test(part) ? characterPairs(part).map((pair) => [pair]) : wordWithSpaces(part, PARTS),
  );
}

function wordWithSpaces(word: string, parts: RegExp): Word[] {
  if (word.length > MAX_WORD_LENGTH) return [];
  return [(word.match(parts) ?? [word]).map((part) => part.toLowerCase())];
}

export function splitWords(text: string): Word[] {
  return writtenWords(text).flatMap(wordsOfRun);
}

/** The runs of letters and digits in a text, in order, with repetitions. */
export function writtenWords(text: string): readonly string[] {
  return fold(text).match(WORDS) ?? [];
}

/** The terms of a text, in order, with repetitions. */
export function termsOf(text: string): string[] {
  return writtenWords(text).flatMap(termsOfWritten);
}

/**
 * The terms of one of the written words. A compound of two parts is also indexed as a whole, because
 * product names are written both ways ("GitHub", "github").
 */
export function termsOfWritten(word: string): string[] {
  if (word.length <= MAX_WORD_LENGTH && LOWER_CASE.test(word)) return [stem(word)];
  return wordsOfRun(word).flatMap(termsOfWord);
}

const LOWER_CASE = /^[a-z]+$/;
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

const SNAKE_CASE = /^[a-z]+(?:_[a-z]+)*$/;

/** The words of a name as they are written, not stemmed; names of two parts also whole. */
export function spellingsIn(name: string): string[] {
  // Most names are this simple.
  if (name.length <= MAX_WORD_LENGTH && SNAKE_CASE.test(name)) return name.split("_");
  return splitWords(name).flatMap((parts) =>
    parts.length === 2 ? [...parts, parts.join("")] : parts,
  );
}

const SEPARATORS = /[^A-Za-z0-9]+/g;

/** A name without case and separators: the same for `read_file` and `readFile`. */
export function nameKey(name: string): string {
  const isSimple = name.length <= MAX_WORD_LENGTH && !NOT_ASCII.test(name);
  if (isSimple) return name.replace(SEPARATORS, "").toLowerCase();
  return splitWords(name).flat().join("");
}

/** The key of the name of a tool. A name without words is its own key; otherwise all such names would have the same one. */
export function toolKey(name: string): string {
  return nameKey(name) || name;
}
