/** The words of all tool and server names, to correct words of a query that are not in the index. */

import { editDistance } from "../text/edit-distance.ts";

interface Entry {
  readonly word: string;
  /** The letters that occur, as a bit set: a cheap test before the distance is computed. */
  readonly letters: number;
  uses: number;
}

const MIN_PREFIX_LENGTH = 3;
const MIN_TYPO_LENGTH = 4;
const TWO_TYPOS_FROM = 8;

function letterSet(word: string): number {
  let bits = 0;
  for (let i = 0; i < word.length; i++) bits |= 1 << (word.charCodeAt(i) & 31);
  return bits;
}

function bitCount(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++;
  return count;
}

/** Short words have too many similar words to correct a typo. */
function allowedTypos(word: string): number {
  if (word.length < MIN_TYPO_LENGTH) return 0;
  return word.length < TWO_TYPOS_FROM ? 1 : 2;
}

export class Spelling {
  readonly #entries = new Map<string, Entry>();

  add(words: Iterable<string>): void {
    for (const word of words) {
      const entry = this.#entries.get(word);
      if (entry === undefined) this.#entries.set(word, { word, letters: letterSet(word), uses: 1 });
      else entry.uses++;
    }
  }

  remove(words: Iterable<string>): void {
    for (const word of words) {
      const entry = this.#entries.get(word);
      if (entry !== undefined && --entry.uses === 0) this.#entries.delete(word);
    }
  }

  /** The words that begin with this one or differ by a typo; the closest, then the most used, first. */
  nearest(word: string, limit: number): string[] {
    const typos = allowedTypos(word);
    const letters = letterSet(word);
    const found: { entry: Entry; distance: number }[] = [];
    for (const entry of this.#entries.values()) {
      const distance = distanceTo(entry, word, letters, typos);
      if (distance !== undefined) found.push({ entry, distance });
    }
    found.sort(
      (a, b) =>
        a.distance - b.distance ||
        b.entry.uses - a.entry.uses ||
        (a.entry.word < b.entry.word ? -1 : 1),
    );
    return found.slice(0, limit).map(({ entry }) => entry.word);
  }
}

function distanceTo(
  entry: Entry,
  word: string,
  letters: number,
  typos: number,
): number | undefined {
  const longer = entry.word.length - word.length;
  if (longer > 0 && word.length >= MIN_PREFIX_LENGTH && entry.word.startsWith(word)) return 1;
  if (typos === 0 || Math.abs(longer) > typos) return undefined;
  if (bitCount(letters ^ entry.letters) > 2 * typos) return undefined;
  return editDistance(word, entry.word, typos);
}
