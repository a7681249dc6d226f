/** The words of all tool and server names, to correct words of a query that are not in the index. */

import { editDistance } from "../text/edit-distance.ts";

interface Entry {
  readonly word: string;
  /** The letters that occur, as a bit set: a cheap test before the distance is computed. */
  readonly letters: number;
  uses: number;
}

interface Near {
  readonly entry: Entry;
  readonly distance: number;
}

const MIN_PREFIX_LENGTH = 3;
const MIN_TYPO_LENGTH = 4;
const TWO_TYPOS_FROM = 8;

function letterSet(word: string): number {
  let bits = 0;
  for (let i = 0; i < word.length; i++) bits |= 1 << (word.charCodeAt(i) & 31);
  return bits;
}

/** Adds neighbouring bits up, then pairs, then groups of four; without a loop, because it runs for every word. */
function bitCount(bits: number): number {
  const pairs = bits - ((bits >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Short words have too many similar words to correct a typo. */
function allowedTypos(word: string): number {
  if (word.length < MIN_TYPO_LENGTH) return 0;
  return word.length < TWO_TYPOS_FROM ? 1 : 2;
}

export class Spelling {
  readonly #entries = new Map<string, Entry>();
  readonly #byStart = new Map<string, Set<Entry>>();
  readonly #byLength = new Map<number, Set<Entry>>();

  add(words: Iterable<string>): void {
    for (const word of words) {
      const known = this.#entries.get(word);
      if (known !== undefined) {
        known.uses++;
        continue;
      }
      const entry = { word, letters: letterSet(word), uses: 1 };
      this.#entries.set(word, entry);
      addTo(this.#byStart, startOf(word), entry);
      addTo(this.#byLength, word.length, entry);
    }
  }

  remove(words: Iterable<string>): void {
    for (const word of words) {
      const entry = this.#entries.get(word);
      if (entry === undefined || --entry.uses > 0) continue;
      this.#entries.delete(word);
      removeFrom(this.#byStart, startOf(word), entry);
      removeFrom(this.#byLength, word.length, entry);
    }
  }

  /** The words that begin with this one or differ by a typo; the closest, then the most used, first. */
  nearest(word: string, limit: number): string[] {
    const found: Near[] = [];
    for (const entry of this.#longer(word)) found.push({ entry, distance: 1 });
    const typos = allowedTypos(word);
    if (typos === 0) return ranked(found, limit);
    const letters = letterSet(word);
    for (let longer = -typos; longer <= typos; longer++)
      for (const entry of this.#byLength.get(word.length + longer) ?? []) {
        if (bitCount(letters ^ entry.letters) > 2 * typos || isLonger(entry, word)) continue;
        const distance = editDistance(word, entry.word, typos);
        if (distance !== undefined) found.push({ entry, distance });
      }
    return ranked(found, limit);
  }

  #longer(word: string): Entry[] {
    if (word.length < MIN_PREFIX_LENGTH) return [];
    return [...(this.#byStart.get(startOf(word)) ?? [])].filter((entry) => isLonger(entry, word));
  }
}

function ranked(found: Near[], limit: number): string[] {
  found.sort(
    (a, b) =>
      a.distance - b.distance ||
      b.entry.uses - a.entry.uses ||
      (a.entry.word < b.entry.word ? -1 : 1),
  );
  return found.slice(0, limit).map(({ entry }) => entry.word);
}

function startOf(word: string): string {
  return word.slice(0, MIN_PREFIX_LENGTH);
}

/** Whether an entry begins with the word and goes on. */
function isLonger(entry: Entry, word: string): boolean {
  return (
    word.length >= MIN_PREFIX_LENGTH &&
    entry.word.length > word.length &&
    entry.word.startsWith(word)
  );
}

function addTo<K>(groups: Map<K, Set<Entry>>, key: K, entry: Entry): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, new Set([entry]));
  else group.add(entry);
}

function removeFrom<K>(groups: Map<K, Set<Entry>>, key: K, entry: Entry): void {
  const group = groups.get(key);
  group?.delete(entry);
  if (group?.size === 0) groups.delete(key);
}
