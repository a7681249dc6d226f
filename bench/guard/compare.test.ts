import { describe, expect, it } from "vitest";

import type { Measure } from "../harness/measure.ts";
import { ratiosOf, regressions } from "./compare.ts";

const echo = (proxy: number[]): Measure[] => [
  { id: "echo/instructions", unit: "instructions", rows: { relay: [100, 110, 90], proxy } },
];

describe("the comparison with the baseline", () => {
  it("returns ratios to the relay of the same round", () => {
    expect(ratiosOf(echo([150, 165, 9_000]))).toEqual({ echo: 1.5 });
  });

  it("accepts a small increase, and treats a tenth as a regression", () => {
    const baseline = ratiosOf(echo([100, 110, 90]));
    expect(regressions(ratiosOf(echo([106, 117, 95])), baseline)).toEqual([]);
    const [worse, ...others] = regressions(ratiosOf(echo([110, 121, 99])), baseline);
    expect(worse).toMatchObject({ name: "echo", baseline: 1 });
    expect(others).toEqual([]);
  });

  it("ignores values that were not measured", () => {
    expect(regressions({}, { echo: 1 })).toEqual([]);
    expect(regressions({ echo: 5 }, {})).toEqual([]);
  });
});
