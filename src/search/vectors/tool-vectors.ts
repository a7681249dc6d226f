/**
 * The vectors of tools: the weighted sum of the vectors of their words. The vector of a tool depends on the
 * tool and its server alone, so it stays right whatever happens to others.
 *
 * The first dimensions of the table carry most of the meaning. Multiplying these for all tools shows which of
 * them may be close to a query; the others need not be multiplied in full.
 */

import type { ServerTerms, ToolTerms } from "../weights.ts";
import { MEANING_WEIGHTS } from "./meaning-weights.ts";
import type { WordTable } from "./word-table.ts";

/** The heads of as many tools are multiplied at the same time, so their values lie next to each other. */
const LANES = 4;
const HEAD = 40;
const MAX_BYTE = 127;
/** Little room for more tools: they are mostly added once. */
const GROWTH = 1.25;
/** More than the bounds can be wrong by rounding. */
const ROUNDING = 1e-5;

export class ToolVectors {
  readonly #table: WordTable;
  readonly #dimensions: number;
  readonly #head: number;
  readonly #query: Float64Array;
  readonly #sum: Float64Array;
  /** The text in which each word was seen last: repeated words count once. */
  readonly #seen: Uint32Array;
  #text = 0;
  /** Vectors cut in two, by slot; the heads by groups of slots, dimension by dimension. */
  #heads = new Int8Array(0);
  #tails = new Int8Array(0);
  /** What makes the length of a vector 1, and the length of its tail then. */
  #scales = new Float32Array(0);
  #tailLengths = new Float32Array(0);
  #bounds = new Float32Array(0);
  #slots = 0;

  constructor(table: WordTable) {
    this.#table = table;
    this.#dimensions = table.dimensions;
    this.#head = Math.min(HEAD, this.#dimensions);
    this.#query = new Float64Array(this.#dimensions);
    this.#sum = new Float64Array(this.#dimensions);
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
    toBytes(this.#sum);
    const scale = 1 / (lengthOf(this.#sum) || 1);
    for (let i = 0, at = this.#headAt(slot); i < this.#head; i++, at += LANES)
      this.#heads[at] = this.#sum[i] as number;
    for (let i = this.#head, at = slot * (this.#dimensions - i); i < this.#dimensions; i++, at++)
      this.#tails[at] = this.#sum[i] as number;
    this.#scales[slot] = scale;
    this.#tailLengths[slot] = scale * lengthOf(this.#sum, this.#head);
  }

  /**
   * Sets the query. Returns how close each tool is to it at most, from -1 to 1, by slot; the array is reused by
   * the next query.
   */
  ask(words: ReadonlyMap<string, number>): Float32Array {
    this.#sum.fill(0);
    for (const [word, weight] of words) {
      const row = this.#table.rows.get(word);
      if (row !== undefined) this.#add(row, weight);
    }
    normalise(this.#sum);
    this.#query.set(this.#sum);
    multiply(this.#heads, this.#query.subarray(0, this.#head), this.#bounds, this.#slots);
    const rest = lengthOf(this.#query, this.#head);
    for (let slot = 0; slot < this.#slots; slot++)
      this.#bounds[slot] =
        (this.#bounds[slot] as number) * (this.#scales[slot] as number) +
        rest * (this.#tailLengths[slot] as number) +
        ROUNDING;
    return this.#bounds;
  }

  /** How close the tool in a slot is to the query, from -1 to 1. */
  closeness(slot: number): number {
    const query = this.#query;
    const head = this.#head;
    const tail = this.#dimensions - head;
    let product = 0;
    for (let i = 0, at = this.#headAt(slot); i < head; i++, at += LANES)
      product += (this.#heads[at] as number) * (query[i] as number);
    for (let i = 0, at = slot * tail; i < tail; i++)
      product += (this.#tails[at + i] as number) * (query[head + i] as number);
    return product * (this.#scales[slot] ?? 0);
  }

  #headAt(slot: number): number {
    const lane = slot % LANES;
    return (slot - lane) * this.#head + lane;
  }

  #addText(terms: readonly string[], weight: number): void {
    const { rows } = this.#table;
    const text = ++this.#text;
    for (const term of terms) {
      const row = rows.get(term);
      if (row === undefined || this.#seen[row] === text) continue;
      this.#seen[row] = text;
      this.#add(row, weight);
    }
  }

  #add(row: number, weight: number): void {
    const { scales, values, dimensions } = this.#table;
    const sum = this.#sum;
    const factor = weight * (scales[row] as number);
    const at = row * dimensions;
    for (let i = 0; i < dimensions; i++)
      sum[i] = (sum[i] as number) + factor * (values[at + i] as number);
  }

  #grow(slots: number): void {
    this.#slots = Math.max(slots, this.#slots);
    if (slots <= this.#bounds.length) return;
    const capacity = Math.ceil(Math.max(64, slots * GROWTH) / LANES) * LANES;
    const [heads, tails] = [this.#heads, this.#tails];
    this.#heads = new Int8Array(capacity * this.#head);
    this.#heads.set(heads);
    this.#tails = new Int8Array(capacity * (this.#dimensions - this.#head));
    this.#tails.set(tails);
    this.#scales = enlarged(this.#scales, capacity);
    this.#tailLengths = enlarged(this.#tailLengths, capacity);
    this.#bounds = new Float32Array(capacity);
  }
}

/** The products of the first heads with that of the query. */
function multiply(
  heads: Int8Array,
  query: Float64Array,
  products: Float32Array,
  count: number,
): void {
  const { length } = query;
  for (let slot = 0, at = 0; slot < count; slot += LANES) {
    let a = 0;
    let b = 0;
    let c = 0;
    let d = 0;
    for (let i = 0; i < length; i++, at += LANES) {
      const value = query[i] as number;
      a += (heads[at] as number) * value;
      b += (heads[at + 1] as number) * value;
      c += (heads[at + 2] as number) * value;
      d += (heads[at + 3] as number) * value;
    }
    products[slot] = a;
    products[slot + 1] = b;
    products[slot + 2] = c;
    products[slot + 3] = d;
  }
}

function enlarged(values: Float32Array, length: number): Float32Array<ArrayBuffer> {
  const larger = new Float32Array(length);
  larger.set(values);
  return larger;
}

/** Scales a vector so that its values are integers from -127 to 127; its direction stays almost the same. */
function toBytes(vector: Float64Array): void {
  let most = 0;
  for (let i = 0; i < vector.length; i++) most = Math.max(most, Math.abs(vector[i] as number));
  const factor = most === 0 ? 0 : MAX_BYTE / most;
  for (let i = 0; i < vector.length; i++) vector[i] = Math.round((vector[i] as number) * factor);
}

function normalise(vector: Float64Array): void {
  const length = lengthOf(vector) || 1;
  for (let i = 0; i < vector.length; i++) vector[i] = (vector[i] as number) / length;
}

function lengthOf(vector: Float64Array, from = 0): number {
  let squares = 0;
  for (let i = from; i < vector.length; i++) squares += (vector[i] as number) ** 2;
  return Math.sqrt(squares);
}
