/** The inverted index: which tools contain a term, and its weight in each. */

import { MAX_WORD_LENGTH, termsOfWritten, writtenWords } from "./text.ts";

/**
 * A posting is one small integer: the number of the tool in the high bits, the weight of the term in the
 * low bits. An array of small integers takes eight bytes for each; an object would take forty.
 */
const WEIGHT_BITS = 10;
const WEIGHT_MASK = (1 << WEIGHT_BITS) - 1;

/** Words repeat; caching their terms saves most of the time to index. */
const MAX_CACHED = 10_000;
const NO_ROW = -1;

export interface Term {
  readonly text: string;
  /** Its row in the table of word vectors, or -1. */
  readonly row: number;
  readonly postings: number[];
  /** Its place in the sums that it was added to last (see `TermSums`). */
  place: number;
  /** The number of the server that it was added for last, so that a server has it only once. */
  lastServer: number;
}

export class Postings {
  readonly #terms = new Map<string, Term>();
  readonly #rows: ReadonlyMap<string, number>;
  /** The terms of written words. */
  readonly #written = new Map<string, readonly Term[]>();

  /** `rows` are those of the table of word vectors. */
  constructor(rows: ReadonlyMap<string, number> = new Map()) {
    this.#rows = rows;
  }

  has(text: string): boolean {
    return this.#terms.has(text);
  }

  /**
   * The terms of a text, in order, with repetitions. New ones must get a posting before anything is
   * removed.
   */
  termsIn(text: string): Term[] {
    const terms: Term[] = [];
    for (const word of writtenWords(text)) for (const term of this.#termsOf(word)) terms.push(term);
    return terms;
  }

  #termsOf(written: string): readonly Term[] {
    let terms = this.#written.get(written);
    if (terms !== undefined) return terms;
    terms = termsOfWritten(written).map((text) => this.#term(text));
    if (written.length > MAX_WORD_LENGTH) return terms;
    if (this.#written.size >= MAX_CACHED) this.#written.clear();
    this.#written.set(written, terms);
    return terms;
  }

  #term(text: string): Term {
    let term = this.#terms.get(text);
    if (term === undefined) {
      const row = this.#rows.get(text) ?? NO_ROW;
      term = { text, row, postings: [], place: 0, lastServer: 0 };
      this.#terms.set(text, term);
    }
    return term;
  }

  /** `weight` is above 0 and at most 1. */
  add({ postings }: Term, tool: number, weight: number): void {
    postings.push((tool << WEIGHT_BITS) | Math.ceil(weight * WEIGHT_MASK));
  }

  remove(terms: readonly Term[], tools: ReadonlySet<number>): void {
    let first = Infinity;
    let last = -1;
    for (const tool of tools) {
      first = Math.min(first, tool);
      last = Math.max(last, tool);
    }
    for (const term of terms) {
      const { text, postings } = term;
      let kept = 0;
      for (const posting of postings) {
        const tool = posting >>> WEIGHT_BITS;
        const isGone = tool >= first && tool <= last && tools.has(tool);
        if (!isGone) postings[kept++] = posting;
      }
      postings.length = kept;
      // A term that was already removed may have a successor.
      if (kept === 0 && this.#terms.get(text) === term) this.#terms.delete(text);
    }
    this.#written.clear();
  }

  /** How much a term counts: rare ones more. */
  rarity(text: string, toolCount: number): number {
    return inverseFrequency(this.#terms.get(text)?.postings.length ?? 0, toolCount);
  }

  /** The same for a word that is meant by another one; it does not count more than that one, even if it is rarer. */
  scoreInstead(
    text: string,
    of: string,
    weight: number,
    toolCount: number,
    scores: Float64Array,
  ): void {
    const share = this.rarity(of, toolCount) / this.rarity(text, toolCount);
    this.score(text, weight * Math.min(1, share), toolCount, scores);
  }

  /** Adds the weight of the term to the score of each tool. */
  score(text: string, weight: number, toolCount: number, scores: Float64Array): void {
    const postings = this.#terms.get(text)?.postings ?? [];
    const factor = (weight * this.rarity(text, toolCount)) / WEIGHT_MASK;
    for (const posting of postings) {
      const tool = posting >>> WEIGHT_BITS;
      scores[tool] = (scores[tool] as number) + factor * (posting & WEIGHT_MASK);
    }
  }
}

/**
 * Imaginary additional tools without the word. Among a few dozen tools, half may contain "file", and it
 * is still the word that matters.
 */
const OTHER_TOOLS = 200;

/** The inverse document frequency of BM25. */
export function inverseFrequency(occurrences: number, toolCount: number): number {
  return Math.log(1 + (OTHER_TOOLS + toolCount - occurrences + 0.5) / (occurrences + 0.5));
}
