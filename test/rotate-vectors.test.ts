import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { rotate } from "../scripts/vectors/rotate.ts";

const DIMENSIONS = 5;
const row = fc
  .array(fc.integer({ min: -9, max: 9 }), { minLength: DIMENSIONS, maxLength: DIMENSIONS })
  .map((values) => Float32Array.from(values));
const rows = fc.array(row, { minLength: 1, maxLength: 8 });

describe("turning word vectors", () => {
  it("keeps the products of all vectors", () => {
    fc.assert(
      fc.property(rows, rows, (vectors, examples) => {
        const turned = rotated(vectors, examples);
        for (const [i, a] of vectors.entries())
          for (const [j, b] of vectors.entries())
            expect(product(turned[i]!, turned[j]!)).toBeCloseTo(product(a, b), 2);
      }),
    );
  });

  it("orders the dimensions by how much of the examples they carry", () => {
    fc.assert(
      fc.property(rows, (examples) => {
        const turned = rotated(examples, examples);
        const carried = Array.from({ length: DIMENSIONS }, (_, i) =>
          turned.reduce((sum, vector) => sum + vector[i]! ** 2, 0),
        );
        for (let i = 1; i < DIMENSIONS; i++)
          expect(carried[i]).toBeLessThanOrEqual(carried[i - 1]! + 0.01);
      }),
    );
  });

  it("puts what all examples share into the first dimension", () => {
    const turned = rotated([Float32Array.of(3, 4, 0, 0, 0)], [Float32Array.of(3, 4, 0, 0, 0)]);
    const [first, ...rest] = turned[0]!;
    expect(Math.abs(first!)).toBeCloseTo(5, 4);
    for (const value of rest) expect(value).toBeCloseTo(0, 4);
  });
});

function rotated(
  vectors: readonly Float32Array[],
  examples: readonly Float32Array[],
): Float32Array[] {
  const flat = Float32Array.from(vectors.flatMap((vector) => [...vector]));
  rotate(flat, examples, DIMENSIONS);
  return vectors.map((_, i) => flat.subarray(i * DIMENSIONS, (i + 1) * DIMENSIONS));
}

function product(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + value * b[i]!, 0);
}
