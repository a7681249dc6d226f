/** Which tools contain a term, and what it is worth in each: the inverted index. */

/**
 * A posting is one small integer, the number of the tool above and the worth of the term in the low
 * bits. An array of small integers takes eight bytes for each; an object would take forty.
 */
const WORTH_BITS = 10;
const WORTH_MASK = (1 << WORTH_BITS) - 1;

export interface Term {
  readonly text: string;
  readonly postings: number[];
}

export class Postings {
  readonly #terms = new Map<string, Term>();

  has(text: string): boolean {
    return this.#terms.has(text);
  }

  /** `worth` is above 0 and at most 1. */
  add(text: string, tool: number, worth: number): Term {
    let term = this.#terms.get(text);
    if (term === undefined) {
      term = { text, postings: [] };
      this.#terms.set(text, term);
    }
    term.postings.push((tool << WORTH_BITS) | Math.ceil(worth * WORTH_MASK));
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
        const tool = posting >>> WORTH_BITS;
        const isGone = tool >= first && tool <= last && tools.has(tool);
        if (!isGone) postings[kept++] = posting;
      }
      postings.length = kept;
      if (kept === 0) this.#terms.delete(text);
    }
  }

  /** Adds to each tool's score what the term is worth there; rare terms are worth more. */
  score(text: string, weight: number, toolCount: number, scores: Float64Array): void {
    const postings = this.#terms.get(text)?.postings ?? [];
    const factor = (weight * rarity(postings.length, toolCount)) / WORTH_MASK;
    for (const posting of postings) {
      const tool = posting >>> WORTH_BITS;
      scores[tool] = (scores[tool] as number) + factor * (posting & WORTH_MASK);
    }
  }
}

/**
 * Tools that are thought of as being there as well and not having the word. Among the few dozen
 * tools that many people have, half may say "file"; it is the word that matters all the same.
 */
const OTHER_TOOLS = 200;

/** The inverse document frequency of BM25. */
export function rarity(occurrences: number, toolCount: number): number {
  return Math.log(1 + (OTHER_TOOLS + toolCount - occurrences + 0.5) / (occurrences + 0.5));
}
