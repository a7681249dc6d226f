/**
 * Compares the instructions of calls with the committed baseline. It need not run alone: other programs do not
 * change the number of instructions.
 */
import { expect, it } from "vitest";

import { findOrInstall } from "../../test/support/debian-packages.ts";
import { lastingRegressions, obstacle, readBaseline } from "./judge.ts";
import { countedCalls } from "./short-form.ts";

findOrInstall("valgrind", "valgrind");
const baseline = readBaseline();
const problem = obstacle(baseline);
if (problem !== undefined) console.warn(`The speed guard is skipped: ${problem}.`);

it.skipIf(problem !== undefined)(
  "speed guard: no call takes more instructions, relative to a plain relay, than the committed baseline",
  { timeout: 900_000 },
  async () => {
    expect(await lastingRegressions(baseline.ratios, [countedCalls])).toEqual([]);
  },
);
