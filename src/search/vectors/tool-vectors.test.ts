import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { Postings, type Term } from "../postings.ts";
import { MEANING_WEIGHTS } from "./meaning-weights.ts";
import { ToolVectors } from "./tool-vectors.ts";
import { readWordTable, writeWordTable } from "./word-table.ts";

/** Not a multiple of what is multiplied at once. */
const DIMENSIONS = 50;
const WORDS = ["mail", "file", "pod", "desk", "list", "send"];
const vectors = fc
  .array(fc.integer({ min: -100, max: 100 }), {
    minLength: WORDS.length * DIMENSIONS,
    maxLength: WORDS.length * DIMENSIONS,
  })
  .map((values) => Float32Array.from(values));
const words = fc.array(fc.constantFrom(...WORDS, "unknown"), { maxLength: 4 });
const tool = fc.record({ name: words, purpose: words, parameters: words, details: words });
const server = fc.record({ server: words, about: words });

describe("the vectors of tools", () => {
  it("have the closeness of the weighted sums of their words", () => {
    fc.assert(
      fc.property(vectors, fc.array(tool, { minLength: 1 }), server, words, (values, ...given) => {
        const [tools, of, asked] = given;
        const table = readWordTable(writeWordTable(WORDS, values));
        const stored = new ToolVectors(table);
        const postings = new Postings(table.rows);
        const termsOf = <K extends string>(texts: Record<K, string[]>): Record<K, Term[]> =>
          mapValues(texts, (text) => postings.termsIn(text.join(" ")));
        const shared = stored.ofServer(termsOf(of));
        for (const [slot, texts] of tools.entries()) stored.set(slot, termsOf(texts), shared);
        const closeness = stored.closenessTo(new Map(asked.map((word) => [word, 1])));
        const vectorOf = (word: string): number[] => {
          const row = table.rows.get(word);
          return Array.from({ length: DIMENSIONS }, (_, i) =>
            row === undefined
              ? 0
              : (table.values[row * DIMENSIONS + i] ?? 0) * (table.scales[row] ?? 0),
          );
        };
        const query = sum(
          Array.from(new Set(asked), (word) => ({ vector: vectorOf(word), by: 1 })),
        );
        for (const [slot, terms] of tools.entries()) {
          const texts = { ...terms, ...of };
          const parts = (Object.keys(MEANING_WEIGHTS) as (keyof typeof MEANING_WEIGHTS)[]).flatMap(
            (field) =>
              Array.from(new Set(texts[field]), (word) => ({
                vector: vectorOf(word),
                by: MEANING_WEIGHTS[field],
              })),
          );
          const difference = (closeness[slot] ?? NaN) - cosine(sum(parts), query);
          // The values are rounded to bytes.
          expect(Math.abs(difference)).toBeLessThan(0.02);
        }
      }),
    );
  });
});

function mapValues<K extends string, A, B>(of: Record<K, A>, map: (value: A) => B): Record<K, B> {
  const entries = Object.entries<A>(of).map(([key, value]) => [key, map(value)]);
  return Object.fromEntries(entries) as Record<K, B>;
}

function sum(parts: readonly { vector: readonly number[]; by: number }[]): number[] {
  return Array.from({ length: DIMENSIONS }, (_, i) =>
    parts.reduce((total, { vector, by }) => total + by * (vector[i] ?? 0), 0),
  );
}

function cosine(a: readonly number[], b: readonly number[]): number {
  const product = (x: readonly number[], y: readonly number[]): number =>
    x.reduce((total, value, i) => total + value * (y[i] ?? 0), 0);
  return product(a, b) / (Math.sqrt(product(a, a) * product(b, b)) || 1);
}
