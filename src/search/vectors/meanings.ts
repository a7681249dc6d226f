/** What words and tools mean: the vocabulary of the table, and the vectors of the tools. */

import type { Vocabulary } from "../query.ts";
import { stem } from "../stem.ts";
import { StemSpelling } from "./stem-spelling.ts";
import { ToolVectors } from "./tool-vectors.ts";
import type { WordTable } from "./word-table.ts";

/** Shorter words are mostly abbreviations and names, not misspelt words. */
const MIN_LENGTH = 5;

export class Meanings implements Vocabulary {
  readonly tools: ToolVectors;
  readonly #table: WordTable;
  /** Made for the first unknown word. */
  #spelling: StemSpelling | undefined;

  constructor(table: WordTable) {
    this.#table = table;
    this.tools = new ToolVectors(table);
  }

  has(term: string): boolean {
    return this.#table.rows.has(term);
  }

  /** The table has stems only, and a typo may keep the final "e" of a word: "dlete" for "delet". */
  corrected(word: string): string | undefined {
    if (word.length < MIN_LENGTH) return undefined;
    this.#spelling ??= new StemSpelling(this.#table.rows.keys());
    const term = stem(word);
    return this.#spelling.nearest(term) ?? this.#spelling.nearest(term.replace(/e$/, ""));
  }
}
