/**
 * The regression guard: counts the instructions of calls and fails if their ratio to those of a plain
 * relay is 7 % worse than the committed one.
 *
 *   npm run bench:guard [-- --record]
 */
import { parseArgs } from "node:util";

import type { Ratios, Regression } from "./guard/compare.ts";
import {
  NODE_VERSION,
  PARTS,
  lastingRegressions,
  measureRatios,
  obstacle,
  readBaseline,
  writeBaseline,
} from "./guard/judge.ts";
import { times } from "./report/format.ts";

const { values } = parseArgs({ options: { record: { type: "boolean", default: false } } });
const baseline = readBaseline();
const problem = obstacle(values.record ? { node: NODE_VERSION } : baseline);
if (problem !== undefined) console.log(`Not compared: ${problem}.`);
else if (values.record) record(await measureRatios());
else process.exitCode = await guard(baseline.ratios);

async function guard(before: Ratios): Promise<number> {
  const worse = await lastingRegressions(before, PARTS, (ratios, now) => {
    show(ratios, before, now);
    if (now.length > 0) console.log("Worse than the baseline.");
  });
  if (worse.length === 0) return 0;
  console.log("If this is meant to be so: npm run bench:guard -- --record, and say why.");
  return 1;
}

function record(ratios: Ratios): void {
  writeBaseline(ratios);
  show(ratios, ratios, []);
}

function show(ratios: Ratios, before: Ratios, worse: readonly Regression[]): void {
  for (const [name, ratio] of Object.entries(ratios)) {
    const limit = worse.find((one) => one.name === name)?.limit;
    const verdict = limit === undefined ? "" : `  WORSE than the limit of ${times(limit)}`;
    console.log(`${name.padEnd(30)} ${times(ratio)}  (baseline ${times(before[name])})${verdict}`);
  }
}
