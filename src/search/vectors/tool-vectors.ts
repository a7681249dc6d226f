/**
 * The vectors of tools: the weighted sum of the vectors of their words. The vector of a tool depends on the
 * tool and its server alone, so it stays right whatever happens to others.
 */

import type { ServerTerms, ToolTerms } from "../weights.ts";
import { MEANING_WEIGHTS } from "./meaning-weights.ts";
import { maxQueryValue, multiplication, type Multiply, STEP } from "./products.ts";
import type { WordTable } from "./word-table.ts";

const MAX_BYTE = 127;
/** Little room for more tools: they are mostly added once. */
const GROWTH = 1.25;
const MIN_CAPACITY = 64;

export class ToolVectors {
  readonly #table: WordTable;
  readonly #multiply: Multiply;
  /** The values of a vector, filled up with zeros to a full step. */
  readonly #width: number;
  readonly #sum: Float64Array;
  readonly #query: Int16Array;
  /** The text in which each word was seen last: repeated words count once. */
  readonly #seen: Uint32Array;
  #text = 0;
  /** By slot: vectors that fit into bytes, and what makes the length of each 1. */
  #vectors = new Int8Array(0);
  #scales = new Float32Array(0);
  /** Of the latest query. */
  #products = new Int32Array(0);
  #closeness = new Float64Array(0);
  #slots = 0;

  constructor(table: WordTable, multiply: Multiply = multiplication()) {
    this.#table = table;
    this.#multiply = multiply;
    this.#width = Math.ceil(table.dimensions / STEP) * STEP;
    this.#sum = new Float64Array(table.dimensions);
    this.#query = new Int16Array(this.#width);
    this.#seen = new Uint32Array(table.scales.length);
  }

  /** The part of the vectors that all tools of a server share. */
  ofServer({ server, about }: ServerTerms): Float64Array {
    this.#sum.fill(0);
    this.#addText(server, MEANING_WEIGHTS.server);
    this.#addText(about, MEANING_WEIGHTS.about);
    return this.#sum.slice();
  }

  /** Sets the vector of the tool in a slot. */
  set(slot: number, { name, purpose, parameters }: ToolTerms, server: Float64Array): void {
    this.#sum.set(server);
    this.#addText(name, MEANING_WEIGHTS.name);
    this.#addText(purpose, MEANING_WEIGHTS.purpose);
    this.#addText(parameters, MEANING_WEIGHTS.parameters);
    this.#grow(slot + 1);
    const at = slot * this.#width;
    this.#scales[slot] = storeRounded(this.#sum, this.#vectors, at, MAX_BYTE);
  }

  /**
   * How close each tool is to a query, from -1 to 1, by slot; the array is reused by the next query. A word counts
   * as much as its weight.
   */
  closenessTo(words: ReadonlyMap<string, number>): Float64Array {
    this.#sum.fill(0);
    for (const [word, weight] of words) {
      const row = this.#table.rows.get(word);
      if (row !== undefined) this.#add(row, weight);
    }
    const scale = storeRounded(this.#sum, this.#query, 0, maxQueryValue(this.#width));
    this.#multiply(this.#query, this.#vectors, this.#products, this.#slots);
    const [products, scales, closeness] = [this.#products, this.#scales, this.#closeness];
    for (let slot = 0; slot < this.#slots; slot++)
      closeness[slot] = (products[slot] as number) * (scales[slot] as number) * scale;
    return closeness;
  }

  #addText(terms: readonly { readonly row: number }[], weight: number): void {
    const text = ++this.#text;
    for (const { row } of terms) {
      if (row < 0 || this.#seen[row] === text) continue;
      this.#seen[row] = text;
      this.#add(row, weight);
    }
  }

  #add(row: number, weight: number): void {
    const { scales, values, dimensions } = this.#table;
    addRow(this.#sum, values, row * dimensions, weight * (scales[row] as number));
  }

  #grow(slots: number): void {
    this.#slots = Math.max(slots, this.#slots);
    if (slots <= this.#scales.length) return;
    const capacity = Math.ceil(Math.max(MIN_CAPACITY, slots * GROWTH));
    const [vectors, scales] = [this.#vectors, this.#scales];
    this.#vectors = new Int8Array(capacity * this.#width);
    this.#vectors.set(vectors);
    this.#scales = new Float32Array(capacity);
    this.#scales.set(scales);
    this.#products = new Int32Array(capacity);
    this.#closeness = new Float64Array(capacity);
  }
}

/** Four at a time, because most of the time to index goes into this. */
function addRow(sum: Float64Array, values: Int8Array, at: number, factor: number): void {
  const { length } = sum;
  let i = 0;
  for (; i + 3 < length; i += 4) {
    const from = at + i;
    sum[i] = (sum[i] as number) + factor * (values[from] as number);
    sum[i + 1] = (sum[i + 1] as number) + factor * (values[from + 1] as number);
    sum[i + 2] = (sum[i + 2] as number) + factor * (values[from + 2] as number);
    sum[i + 3] = (sum[i + 3] as number) + factor * (values[from + 3] as number);
  }
  for (; i < length; i++) sum[i] = (sum[i] as number) + factor * (values[at + i] as number);
}

/**
 * Stores a vector in integers up to `most`; its direction stays almost the same. Returns what makes the length of
 * the stored one 1.
 */
function storeRounded(
  vector: Float64Array,
  to: Int8Array | Int16Array,
  at: number,
  most: number,
): number {
  let largest = 0;
  for (let i = 0; i < vector.length; i++) {
    const value = vector[i] as number;
    if (value > largest) largest = value;
    else if (-value > largest) largest = -value;
  }
  const factor = largest === 0 ? 0 : most / largest;
  let squares = 0;
  for (let i = 0; i < vector.length; i++) {
    const value = Math.round((vector[i] as number) * factor);
    to[at + i] = value;
    squares += value * value;
  }
  return 1 / (Math.sqrt(squares) || 1);
}
