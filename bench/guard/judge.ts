import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { Workspace } from "../harness/workspace.ts";
import { type Ratios, type Regression, ratiosOf, regressions } from "./compare.ts";
import { shortForm } from "./short-form.ts";

export const BASELINE_FILE = fileURLToPath(new URL("../baseline.json", import.meta.url));

/** A ratio that is worse in every attempt is not noise. */
const ATTEMPTS = 3;

export function readBaseline(): Ratios {
  return JSON.parse(readFileSync(BASELINE_FILE, "utf8")) as Ratios;
}

export async function measureRatios(): Promise<Ratios> {
  const workspace = new Workspace();
  try {
    return ratiosOf(await shortForm(workspace));
  } finally {
    workspace.remove();
  }
}

/** What is clearly worse than the baseline in every attempt; `onAttempt` is called for each. */
export async function lastingRegressions(
  baseline: Ratios,
  onAttempt: (ratios: Ratios, worse: readonly Regression[]) => void = () => {},
): Promise<Regression[]> {
  let worse: Regression[] = [];
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const ratios = await measureRatios();
    worse = regressions(ratios, baseline);
    onAttempt(ratios, worse);
    if (worse.length === 0) break;
  }
  return worse;
}
