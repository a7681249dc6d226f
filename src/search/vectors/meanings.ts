/** What words and tools mean: the vocabulary of the table, and the vectors of the tools. */

import type { Vocabulary } from "../query.ts";
import { Spelling } from "../spelling.ts";
import { ToolVectors } from "./tool-vectors.ts";
import type { WordTable } from "./word-table.ts";

/** Shorter words are mostly abbreviations and names, not misspelt words. */
const MIN_LENGTH = 5;

export class Meanings implements Vocabulary {
  readonly tools: ToolVectors;
  readonly #table: WordTable;
  /** Made for the first unknown word. */
  #spelling: Spelling | undefined;

  constructor(table: WordTable) {
    this.#table = table;
    this.tools = new ToolVectors(table);
  }

  has(term: string): boolean {
    return this.#table.rows.has(term);
  }

  corrected(term: string): string | undefined {
    if (term.length < MIN_LENGTH) return undefined;
    if (this.#spelling === undefined) {
      this.#spelling = new Spelling();
      this.#spelling.add(this.#table.rows.keys());
    }
    const [nearest] = this.#spelling.nearest(term, 1);
    return nearest;
  }
}
