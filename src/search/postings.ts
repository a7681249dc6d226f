/** The inverted index: which tools contain a term, and its weight in each. */

/**
 * A posting is one small integer: the number of the tool in the high bits, the weight of the term in the
 * low bits. An array of small integers takes eight bytes for each; an object would take forty.
 */
const WEIGHT_BITS = 10;
const WEIGHT_MASK = (1 << WEIGHT_BITS) - 1;

export interface Term {
  readonly text: string;
  readonly postings: number[];
  /** Its place in the sums that it was added to last (see `TermSums`). */
  place: number;
  /** The number of the server that it was added for last, so that a server has it only once. */
  lastServer: number;
}

export class Postings {
  readonly #terms = new Map<string, Term>();

  has(text: string): boolean {
    return this.#terms.has(text);
  }

  /** The term with this text; a new one must get a posting before anything is removed. */
  term(text: string): Term {
    let term = this.#terms.get(text);
    if (term === undefined) {
      term = { text, postings: [], place: 0, lastServer: 0 };
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
  }

  /** How much a term counts: rare ones more. */
  rarity(text: string, toolCount: number): number {
    return inverseFrequency(this.#terms.get(text)?.postings.length ?? 0, toolCount);
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
