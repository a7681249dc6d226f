/** Finds the words that differ from another by a typing error, without comparing all of them letter by letter. */

import { editDistance } from "../text/edit-distance.ts";

const MIN_TYPO_LENGTH = 4;
const TWO_TYPOS_FROM = 8;

/** Short words have too many similar words to correct a typo. */
export function allowedTypos(word: string): number {
  if (word.length < MIN_TYPO_LENGTH) return 0;
  return word.length < TWO_TYPOS_FROM ? 1 : 2;
}

/** The letters that occur in a word, as a bit set. */
export function letterSet(word: string): number {
  let bits = 0;
  for (let i = 0; i < word.length; i++) bits |= 1 << (word.charCodeAt(i) & 31);
  return bits;
}

/** Words of one length. */
export interface SameLength {
  readonly words: readonly string[];
  /** The letters of each; in an array of their own, because a correction reads all of them. */
  readonly letters: readonly number[];
}

/** Calls `use` with the place and the distance of each word that differs by at most as many typos. */
export function forEachSimilar(
  word: string,
  typos: number,
  { words, letters }: SameLength,
  use: (place: number, distance: number) => void,
): void {
  const own = letterSet(word);
  const count = letters.length;
  for (let at = nextSimilar(letters, 0, count, own, 2 * typos); at < count;) {
    const distance = editDistance(word, words[at] as string, typos);
    if (distance !== undefined) use(at, distance);
    at = nextSimilar(letters, at + 1, count, own, 2 * typos);
  }
}

/**
 * The next place with at most as many different letters, or the number of places. A small function of numbers only,
 * so that it is compiled soon and once. Bits are counted without a loop: neighbours, then pairs, then groups of four.
 */
function nextSimilar(
  letters: readonly number[],
  from: number,
  count: number,
  own: number,
  most: number,
): number {
  for (let at = from; at < count; at++) {
    const bits = own ^ (letters[at] as number);
    const pairs = bits - ((bits >>> 1) & 0x55555555);
    const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
    const bitCount = Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
    if (bitCount <= most) return at;
  }
  return count;
}
