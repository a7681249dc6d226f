/** Compares the speed with the committed baseline. */
import { expect, it } from "vitest";

import { lastingRegressions, readBaseline } from "./judge.ts";

it(
  "speed guard: no ratio to a plain relay is clearly worse than the committed baseline",
  { timeout: 300_000 },
  async () => {
    expect(await lastingRegressions(readBaseline())).toEqual([]);
  },
);
