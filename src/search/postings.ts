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
}

export class Postings {
  readonly #terms = new Map<string, Term>();

  has(text: string): boolean {
    return this.#terms.has(text);
  }

  /** `weight` is above 0 and at most 1. */
  add(text: string, tool: number, weight: number): Term {
    let term = this.#terms.get(text);
    if (term === undefined) {
      term = { text, postings: [] };
      this.#terms.set(text, term);
    }
    term.postings.push((tool << WEIGHT_BITS) | Math.ceil(weight * WEIGHT_MASK));
    return term;
  }

  remove(terms: readonly Term[], tools: ReadonlySet<number>): void {
    let first = Infinity;
    let last = -1;
    for (const tool of tools) {
      first = Math.min(first, tool);
      last = Math.max(last, tool);
    }
    for (const { text, postings } of terms) {
      let kept = 0;
      for (const posting of postings) {
        const tool = posting >>> WEIGHT_BITS;
        const isGone = tool >= first && tool <= last && tools.has(tool);
        if (!isGone) postings[kept++] = posting;
      }
      postings.length = kept;
      if (kept === 0) this.#terms.delete(text);
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
