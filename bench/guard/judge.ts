import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import type { Measure } from "../harness/measure.ts";
import { Workspace } from "../harness/workspace.ts";
import { hasCallgrind } from "./callgrind.ts";
import { type Ratios, type Regression, ratiosOf, regressions } from "./compare.ts";
import { countedCalls, timedStart } from "./short-form.ts";

const BASELINE_FILE = fileURLToPath(new URL("../baseline.json", import.meta.url));

/** A ratio that is worse in every attempt is not noise. */
const ATTEMPTS = 3;

/** Another version of Node executes other instructions for the same program. */
export const NODE_VERSION = Number(process.versions.node.split(".")[0]);

export interface Baseline {
  /** The major version of Node that it was recorded with. */
  readonly node: number;
  readonly ratios: Ratios;
}

export function readBaseline(): Baseline {
  return JSON.parse(readFileSync(BASELINE_FILE, "utf8")) as Baseline;
}

export function writeBaseline(ratios: Ratios): void {
  const baseline: Baseline = { node: NODE_VERSION, ratios };
  writeFileSync(BASELINE_FILE, `${JSON.stringify(baseline, undefined, 2)}\n`);
}

/** Why this machine cannot compare with the baseline; undefined if it can. */
export function obstacle({ node }: Pick<Baseline, "node">): string | undefined {
  if (!hasCallgrind()) return "Valgrind is needed to count instructions; it runs on Linux";
  if (node === NODE_VERSION) return undefined;
  return `the baseline was recorded with Node ${node}, and this is Node ${NODE_VERSION}`;
}

/** What the guard compares: calls by instructions, which other programs do not change, and the start by time. */
export const PARTS: readonly Part[] = [countedCalls, timedStart];

type Part = (workspace: Workspace) => Promise<Measure[]>;

export async function measureRatios(parts: readonly Part[] = PARTS): Promise<Ratios> {
  const workspace = new Workspace();
  try {
    const measures: Measure[] = [];
    for (const part of parts) measures.push(...(await part(workspace)));
    return ratiosOf(measures);
  } finally {
    workspace.remove();
  }
}

/** What is clearly worse than the baseline in every attempt; `onAttempt` is called for each. */
export async function lastingRegressions(
  baseline: Ratios,
  parts: readonly Part[] = PARTS,
  onAttempt: (ratios: Ratios, worse: readonly Regression[]) => void = () => {},
): Promise<Regression[]> {
  let worse: Regression[] = [];
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const ratios = await measureRatios(parts);
    worse = regressions(ratios, baseline);
    onAttempt(ratios, worse);
    if (worse.length === 0) break;
  }
  return worse;
}
