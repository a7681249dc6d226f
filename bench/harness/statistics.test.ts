import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { median, pairedRatio, quantile } from "./statistics.ts";

const positive = fc.double({ min: 0.01, max: 1e6, noNaN: true });

describe("the statistics of the benchmark", () => {
  it("take the median, whatever the order", () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([1, 2, 3, 10])).toBe(2.5);
  });

  it("have at least the given share of values below a quantile", () => {
    fc.assert(
      fc.property(
        fc.array(positive, { minLength: 1 }),
        fc.double({ min: 0.01, max: 1, noNaN: true }),
        (values, share) => {
          const at = quantile(values, share);
          expect(
            values.filter((value) => value <= at).length / values.length,
          ).toBeGreaterThanOrEqual(share - 1e-9);
        },
      ),
    );
  });

  it("have a paired ratio that does not change if a whole round is slower", () => {
    fc.assert(
      fc.property(fc.array(positive, { minLength: 1 }), positive, (slowness, ratio) => {
        const values = slowness.map((slow) => slow * ratio);
        expect(pairedRatio(values, slowness)).toBeCloseTo(ratio, 5);
      }),
    );
  });

  it("have a paired ratio that does not change with a single disturbed round", () => {
    expect(pairedRatio([2, 2, 900], [1, 1, 1])).toBe(2);
  });
});
