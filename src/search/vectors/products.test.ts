import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { maxQueryValue, type Multiply, plainMultiply, STEP, wasmMultiply } from "./products.ts";

const byte = fc.integer({ min: -127, max: 127 });

/** Vectors that repeat the given values, in as many different places as there are values. */
function repeated(values: readonly number[], length: number): Int8Array {
  return Int8Array.from({ length }, (_, i) => values[i % values.length] ?? 0);
}

function productsBy(multiply: Multiply, query: Int16Array, vectors: Int8Array): number[] {
  const count = vectors.length / query.length;
  const products = new Int32Array(count + 1).fill(7);
  multiply(query, vectors, products, count);
  return Array.from(products);
}

describe("the products of a query with vectors", () => {
  it("are the same in WebAssembly as in plain code, also for more vectors than fit into its memory", () => {
    const wasm = wasmMultiply();
    if (wasm === undefined) throw new Error("this machine has no SIMD");
    const values = fc.array(byte, { minLength: 1, maxLength: 97 });
    const widths = fc.constantFrom(STEP, 3 * STEP, 128);
    const counts = fc.constantFrom(0, 1, 5, 5_000);
    fc.assert(
      fc.property(values, values, widths, counts, (some, asked, width, count) => {
        const query = Int16Array.from({ length: width }, (_, i) => (asked[i] ?? 3) * 250);
        const vectors = repeated([...some, 1], width * count);
        expect(productsBy(wasm, query, vectors)).toEqual(productsBy(plainMultiply, query, vectors));
      }),
      { numRuns: 30 },
    );
  });

  it.each([16, 128, 512, 1024])("do not overflow with vectors of %i values", (width) => {
    const wasm = wasmMultiply();
    const most = maxQueryValue(width);
    const query = new Int16Array(width).fill(most);
    const vectors = new Int8Array(2 * width).fill(127).fill(-127, width);
    expect(productsBy(wasm ?? plainMultiply, query, vectors)).toEqual([
      width * 127 * most,
      -width * 127 * most,
      7,
    ]);
  });
});
