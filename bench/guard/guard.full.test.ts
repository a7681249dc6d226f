import { expect, it } from "vitest";

import { lastingRegressions, readBaseline } from "./judge.ts";

it("no ratio is clearly worse than the baseline", { timeout: 300_000 }, async () => {
  expect(await lastingRegressions(readBaseline())).toEqual([]);
});
