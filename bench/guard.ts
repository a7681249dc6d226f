/**
 * The regression guard: measures the short form of the benchmark and fails if a ratio is clearly
 * worse than the committed one.
 *
 *   npm run bench:guard [-- --record]
 */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";

import type { Ratios, Regression } from "./guard/compare.ts";
import { BASELINE_FILE, lastingRegressions, measureRatios, readBaseline } from "./guard/judge.ts";
import { times } from "./report/format.ts";

const { values } = parseArgs({ options: { record: { type: "boolean", default: false } } });
if (values.record) record(await measureRatios());
else process.exitCode = await guard(readBaseline());

async function guard(baseline: Ratios): Promise<number> {
  const worse = await lastingRegressions(baseline, (ratios, now) => {
    show(ratios, baseline, now);
    if (now.length > 0) console.log("Worse than the baseline.");
  });
  if (worse.length === 0) return 0;
  console.log("If this is meant to be so: npm run bench:guard -- --record, and say why.");
  return 1;
}

function record(ratios: Ratios): void {
  writeFileSync(BASELINE_FILE, `${JSON.stringify(ratios, undefined, 2)}\n`);
  show(ratios, ratios, []);
}

function show(ratios: Ratios, baseline: Ratios, worse: readonly Regression[]): void {
  for (const [name, ratio] of Object.entries(ratios)) {
    const limit = worse.find((one) => one.name === name)?.limit;
    const verdict = limit === undefined ? "" : `  WORSE than the limit of ${times(limit)}`;
    console.log(
      `${name.padEnd(30)} ${times(ratio)}  (baseline ${times(baseline[name])})${verdict}`,
    );
  }
}
