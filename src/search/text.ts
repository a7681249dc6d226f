/**
 * From text to index terms. Both sides of a match go through here: tool definitions and queries.
 *
 * Words are cut where people and identifiers cut them (`listPullRequests`, `list_pull_requests`,
 * "list pull requests"), lower-cased, freed of accents and stemmed. Scripts written without spaces
 * become overlapping pairs of characters.
 */

import { stem } from "./stem.ts";

const NOT_ASCII = /[^\p{ASCII}]/u;
const WORDS = /[\p{L}\p{N}\p{M}]+/gu;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const SCRIPT_RUNS = new RegExp(`${UNSPACED.source}+|(?:(?!${UNSPACED.source}).)+`, "gu");
/** "GitHub" = Git·Hub, "XMLHttp" = XML·Http, "userIDs" = user·IDs, "getS3Key" = get·S3·Key. */
const PARTS = /\p{Lu}{2,}s(?!\p{Ll})|\p{Lu}+(?!\p{Ll})\p{N}*|\p{Lu}?[^\p{Lu}\p{N}]+\p{N}*|\p{N}+/gu;
/** Longer "words" are hashes, keys or pasted data: as terms they would only cost memory. */
const LONGEST_WORD = 64;

/** Accents go, letters stay; the vowel signs of Indic scripts are letters in this sense. */
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

/** A run of letters and digits as words, each the list of its lower-case parts. */
function partsOfWord(word: string): string[][] {
  if (word.length > LONGEST_WORD) return [];
  const runs = NOT_ASCII.test(word) ? (word.match(SCRIPT_RUNS) ?? []) : [word];
  return runs.flatMap((run) =>
    UNSPACED.test(run)
      ? characterPairs(run).map((pair) => [pair])
      : [(run.match(PARTS) ?? [run]).map((part) => part.toLowerCase())],
  );
}

/** The written words of a text, each as the list of its lower-case parts (mostly just one). */
export function splitWords(text: string): string[][] {
  return (fold(text).match(WORDS) ?? []).flatMap(partsOfWord);
}

const LETTERS_THEN_DIGITS = /^([a-z]{3,})[0-9]+$/;

/**
 * The terms of a text, in order, with repetitions. A compound of two parts is also indexed as a
 * whole, because product names are written both ways ("GitHub", "github").
 */
export function termsOf(text: string): string[] {
  const terms: string[] = [];
  for (const word of fold(text).match(WORDS) ?? []) {
    for (const term of termsOfWord(word)) terms.push(term);
  }
  return terms;
}

/** Texts repeat their words: remembering what became of them makes indexing three times faster. */
const remembered = new Map<string, readonly string[]>();
const MOST_REMEMBERED = 5_000;

function termsOfWord(word: string): readonly string[] {
  let terms = remembered.get(word);
  if (terms === undefined) {
    terms = partsOfWord(word).flatMap(termsOfParts);
    if (remembered.size >= MOST_REMEMBERED) remembered.clear();
    remembered.set(word, terms);
  }
  return terms;
}

function termsOfParts(parts: readonly string[]): string[] {
  const terms = parts.length === 2 ? [stem(parts.join(""))] : [];
  for (const part of parts) {
    terms.push(stem(part));
    const letters = LETTERS_THEN_DIGITS.exec(part)?.[1];
    if (letters !== undefined) terms.push(stem(letters));
  }
  return terms;
}

/** What remains of a name when case and separators are ignored: equal for `read_file`, `readFile`. */
export function nameKey(name: string): string {
  return splitWords(name).flat().join("");
}
