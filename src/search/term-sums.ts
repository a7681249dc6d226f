import type { Term } from "./postings.ts";

/** Adds weights up by term, for one tool after the other, without making a map for each. */
export class TermSums {
  /** Both are longer than `#count` after a tool with more terms. */
  readonly #terms: Term[] = [];
  readonly #sums: number[] = [];
  #count = 0;

  clear(): void {
    this.#count = 0;
  }

  add(term: Term, weight: number): void {
    const { place } = term;
    if (place < this.#count && this.#terms[place] === term) {
      this.#sums[place] = (this.#sums[place] as number) + weight;
      return;
    }
    term.place = this.#count++;
    this.#terms[term.place] = term;
    this.#sums[term.place] = weight;
  }

  forEach(use: (term: Term, sum: number) => void): void {
    for (let i = 0; i < this.#count; i++) use(this.#terms[i] as Term, this.#sums[i] as number);
  }
}
