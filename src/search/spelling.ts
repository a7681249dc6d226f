/** Words as they are written in names, to correct words of a query that are not in the index. */

import { stem } from "./stem.ts";
import { allowedTypos, forEachSimilar, letterSet } from "./typos.ts";

interface Entry {
  readonly word: string;
  uses: number;
  /** Its place among the words of the same length. */
  place: number;
}

/** Words of one length. */
interface Group {
  readonly entries: Entry[];
  readonly words: string[];
  readonly letters: number[];
}

interface Near {
  readonly entry: Entry;
  readonly distance: number;
}

const MIN_PREFIX_LENGTH = 3;
/** A word of a script that is written without spaces; text in it is stored as pairs of characters. */
const ONE_CHARACTER = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]$/u;
/** About as many written words have the same stem: "list", "lists", "listing". */
const FORMS_PER_STEM = 3;

export class Spelling {
  readonly #entries = new Map<string, Entry>();
  /** By their first letters. */
  readonly #byStart = new Map<number, Entry[]>();
  readonly #byLength = new Map<number, Group>();

  add(words: Iterable<string>): void {
    for (const word of words) {
      const known = this.#entries.get(word);
      if (known !== undefined) {
        known.uses++;
        continue;
      }
      const group = this.#groupOf(word);
      const entry = { word, uses: 1, place: group.entries.length };
      this.#entries.set(word, entry);
      group.entries.push(entry);
      group.words.push(word);
      group.letters.push(letterSet(word));
      const start = startOf(word);
      const sameStart = this.#byStart.get(start);
      if (sameStart === undefined) this.#byStart.set(start, [entry]);
      else sameStart.push(entry);
    }
  }

  remove(words: Iterable<string>): void {
    for (const word of words) {
      const entry = this.#entries.get(word);
      if (entry === undefined || --entry.uses > 0) continue;
      this.#entries.delete(word);
      this.#removeFromStart(entry);
      takeOut(this.#groupOf(word), entry);
    }
  }

  /** The words that begin with this one, contain this ideograph or differ by a typo; the closest, then the most used, first. */
  nearest(word: string, limit: number): string[] {
    const found: Near[] = [];
    for (const entry of this.#longer(word)) found.push({ entry, distance: 1 });
    const typos = allowedTypos(word);
    if (typos === 0) return ranked(found, limit);
    for (let longer = -typos; longer <= typos; longer++) {
      const group = this.#byLength.get(word.length + longer);
      if (group === undefined) continue;
      forEachSimilar(word, typos, group, (place, distance) => {
        const entry = group.entries[place] as Entry;
        if (!isLonger(entry, word)) found.push({ entry, distance });
      });
    }
    return ranked(found, limit);
  }

  /**
   * The stems of the nearest words. Written words are compared, because a typo may change what is cut off:
   * "delete" becomes "delet", but "dlete" stays.
   */
  nearestStems(word: string, limit: number): string[] {
    let near = this.nearest(word, limit * FORMS_PER_STEM);
    if (near.length === 0 && word.endsWith("s"))
      near = this.nearest(word.slice(0, -1), limit * FORMS_PER_STEM);
    return [...new Set(near.map(stem))].slice(0, limit);
  }

  #groupOf({ length }: string): Group {
    let group = this.#byLength.get(length);
    if (group === undefined)
      this.#byLength.set(length, (group = { entries: [], words: [], letters: [] }));
    return group;
  }

  #longer(word: string): Entry[] {
    if (word.length < MIN_PREFIX_LENGTH && ONE_CHARACTER.test(word)) return this.#pairsWith(word);
    if (word.length < MIN_PREFIX_LENGTH) return [];
    return (this.#byStart.get(startOf(word)) ?? []).filter((entry) => isLonger(entry, word));
  }

  #pairsWith(character: string): Entry[] {
    return (this.#byLength.get(2)?.entries ?? []).filter(({ word }) => word.includes(character));
  }

  #removeFromStart(entry: Entry): void {
    const start = startOf(entry.word);
    const others = (this.#byStart.get(start) ?? []).filter((other) => other !== entry);
    if (others.length > 0) this.#byStart.set(start, others);
    else this.#byStart.delete(start);
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

/** A number for the first letters. Other letters may have the same number. */
function startOf(word: string): number {
  let start = 0;
  const length = Math.min(word.length, MIN_PREFIX_LENGTH);
  for (let i = 0; i < length; i++) start = Math.imul(start, 1 << 10) + word.charCodeAt(i);
  return start | 0;
}

/** Whether an entry begins with the word and goes on. */
function isLonger(entry: Entry, word: string): boolean {
  return (
    word.length >= MIN_PREFIX_LENGTH &&
    entry.word.length > word.length &&
    entry.word.startsWith(word)
  );
}

/** The last of the group takes its place. */
function takeOut({ entries, words, letters }: Group, { place }: Entry): void {
  const last = entries.pop();
  const lastLetters = letters.pop();
  words.pop();
  if (last === undefined || lastLetters === undefined || last.place === place) return;
  last.place = place;
  entries[place] = last;
  words[place] = last.word;
  letters[place] = lastLetters;
}
