/**
 * The stems of the table by length, to correct misspelt words. It is made within a search, so only what a word needs is
 * computed: the letters of stems of about its length.
 */

import { allowedTypos, forEachSimilar, letterSet, type SameLength } from "../typos.ts";

export class StemSpelling {
  readonly #stems: string[][] = [];
  readonly #groups = new Map<number, SameLength>();

  constructor(stems: Iterable<string>) {
    for (const stem of stems) (this.#stems[stem.length] ??= []).push(stem);
  }

  /** The stem with the fewest typos, of several the first in the alphabet. */
  nearest(word: string): string | undefined {
    const typos = allowedTypos(word);
    if (typos === 0) return undefined;
    let nearest: string | undefined;
    let fewest = typos;
    for (let longer = -typos; longer <= typos; longer++) {
      const group = this.#group(word.length + longer);
      forEachSimilar(word, fewest, group, (place, distance) => {
        const stem = group.words[place] as string;
        const isNearer = nearest === undefined || distance < fewest || stem < nearest;
        if (distance > fewest || !isNearer) return;
        nearest = stem;
        fewest = distance;
      });
    }
    return nearest;
  }

  #group(length: number): SameLength {
    let group = this.#groups.get(length);
    if (group === undefined) {
      const words = this.#stems[length] ?? [];
      group = { words, letters: words.map(letterSet) };
      this.#groups.set(length, group);
    }
    return group;
  }
}
