/** Compares the cost of calls with the committed baseline. */
import { expect, it } from "vitest";

import { findOrInstall } from "../../test/support/debian-packages.ts";
import { lastingRegressions, obstacle, readBaseline } from "./judge.ts";

findOrInstall("valgrind", "valgrind");
const baseline = readBaseline();
const problem = obstacle(baseline);
if (problem !== undefined) console.warn(`The speed guard is skipped: ${problem}.`);

it.skipIf(problem !== undefined)(
  "speed guard: no ratio to a plain relay is worse than the committed baseline",
  { timeout: 900_000 },
  async () => {
    expect(await lastingRegressions(baseline.ratios)).toEqual([]);
  },
);
