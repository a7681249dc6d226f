/**
 * The regression guard: measures the short form of the benchmark and fails if a ratio is clearly
 * worse than the committed one. What is worse twice in a row is no noise.
 *
 *   npm run bench:guard [-- --record]
 */
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";

import { type Ratios, type Regression, ratiosOf, regressions } from "./guard/compare.ts";
import { shortForm } from "./guard/short-form.ts";
import { Workspace } from "./harness/workspace.ts";
import { times } from "./report/format.ts";

const BASELINE = new URL("baseline.json", import.meta.url);
const ATTEMPTS = 2;

const { values } = parseArgs({ options: { record: { type: "boolean", default: false } } });
if (values.record) record(await measured());
else process.exitCode = await guard(JSON.parse(readFileSync(BASELINE, "utf8")) as Ratios);

async function measured(): Promise<Ratios> {
  const workspace = new Workspace();
  try {
    return ratiosOf(await shortForm(workspace));
  } finally {
    workspace.remove();
  }
}

async function guard(baseline: Ratios): Promise<number> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const ratios = await measured();
    const worse = regressions(ratios, baseline);
    show(ratios, baseline, worse);
    if (worse.length === 0) return 0;
    if (attempt < ATTEMPTS) console.log("Worse than the baseline; measuring once more.");
  }
  console.log("If this is meant to be so: npm run bench:guard -- --record, and say why.");
  return 1;
}

function record(ratios: Ratios): void {
  writeFileSync(BASELINE, `${JSON.stringify(ratios, undefined, 2)}\n`);
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
