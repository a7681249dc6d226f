/**
 * The vectors of tools: the sum of the vectors of their words, each weighted as in the ranking by words. The
 * vector of a tool depends on the tool alone, so it stays right whatever happens to others.
 */

import type { WordTable } from "./word-table.ts";
import { wordWeight } from "./word-weight.ts";

const MAX_BYTE = 127;
/** The query is rounded to integers, which are multiplied faster. */
const QUERY_SCALE = 8_192;

export class ToolVectors {
  readonly #table: WordTable;
  readonly #sum: Float64Array;
  readonly #query: Int32Array;
  /** A row of bytes for each tool, and the factor that makes its length 1. */
  #values = new Int8Array(0);
  #factors = new Float32Array(0);

  constructor(table: WordTable) {
    this.#table = table;
    this.#sum = new Float64Array(table.dimensions);
    this.#query = new Int32Array(table.dimensions);
  }

  /** Sets the vector of the tool in a slot from the weights of its words. */
  set(slot: number, weights: ReadonlyMap<string, number>): void {
    this.#grow(slot + 1);
    const length = this.#add(weights, wordWeight);
    let most = 0;
    for (const value of this.#sum) most = Math.max(most, Math.abs(value));
    const step = most / MAX_BYTE || 1;
    const at = slot * this.#table.dimensions;
    for (let i = 0; i < this.#sum.length; i++)
      this.#values[at + i] = Math.round((this.#sum[i] as number) / step);
    this.#factors[slot] = length === 0 ? 0 : step / length / QUERY_SCALE;
  }

  /** Sets the query; false if none of its words has a vector. */
  ask(words: ReadonlyMap<string, number>): boolean {
    const length = this.#add(words, (weight) => weight);
    if (length === 0) return false;
    for (let i = 0; i < this.#sum.length; i++)
      this.#query[i] = Math.round(((this.#sum[i] as number) / length) * QUERY_SCALE);
    return true;
  }

  /** How close a tool is to the query, from -1 to 1. */
  closeness(slot: number): number {
    const values = this.#values;
    const query = this.#query;
    const { dimensions } = this.#table;
    const at = slot * dimensions;
    let product = 0;
    for (let i = 0; i < dimensions; i++)
      product = (product + Math.imul(values[at + i] as number, query[i] as number)) | 0;
    return product * (this.#factors[slot] as number);
  }

  /** Adds the words up; returns the length of the sum. */
  #add(words: ReadonlyMap<string, number>, weightOf: (weight: number) => number): number {
    const { rows, scales, values, dimensions } = this.#table;
    const sum = this.#sum.fill(0);
    for (const [word, given] of words) {
      const weight = weightOf(given);
      const row = weight === 0 ? undefined : rows.get(word);
      if (row === undefined) continue;
      const factor = weight * (scales[row] as number);
      const at = row * dimensions;
      for (let i = 0; i < dimensions; i++)
        sum[i] = (sum[i] as number) + factor * (values[at + i] as number);
    }
    let squares = 0;
    for (let i = 0; i < dimensions; i++) squares += (sum[i] as number) ** 2;
    return Math.sqrt(squares);
  }

  #grow(slots: number): void {
    if (slots <= this.#factors.length) return;
    const capacity = Math.max(64, slots, Math.ceil(this.#factors.length * 1.5));
    const values = new Int8Array(capacity * this.#table.dimensions);
    values.set(this.#values);
    this.#values = values;
    const factors = new Float32Array(capacity);
    factors.set(this.#factors);
    this.#factors = factors;
  }
}
