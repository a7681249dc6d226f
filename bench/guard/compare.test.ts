import { describe, expect, it } from "vitest";

import type { Measure } from "../harness/measure.ts";
import { ratiosOf, regressions } from "./compare.ts";

const echo = (proxy: number[]): Measure[] => [
  { id: "echo/p50", unit: "us", rows: { relay: [100, 110, 90], proxy } },
];

describe("the comparison with the baseline", () => {
  it("returns ratios to the relay of the same round", () => {
    expect(ratiosOf(echo([150, 165, 9_000]))).toEqual({ echo: 1.5 });
  });

  it("treats a small increase as noise, and a doubling as a regression", () => {
    const baseline = ratiosOf(echo([100, 110, 90]));
    expect(regressions(ratiosOf(echo([130, 143, 117])), baseline)).toEqual([]);
    const [worse, ...others] = regressions(ratiosOf(echo([200, 220, 180])), baseline);
    expect(worse).toMatchObject({ name: "echo", ratio: 2, baseline: 1 });
    expect(others).toEqual([]);
  });

  it("treats fewer calls per second as worse", () => {
    const baseline = { "calls a second at 32": 0.9 };
    expect(regressions({ "calls a second at 32": 2 }, baseline)).toEqual([]);
    expect(regressions({ "calls a second at 32": 0.45 }, baseline)).toHaveLength(1);
  });

  it("ignores values that were not measured", () => {
    expect(regressions({}, { echo: 1 })).toEqual([]);
    expect(regressions({ echo: 5 }, {})).toEqual([]);
  });
});
