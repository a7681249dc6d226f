import type { Measure } from "../harness/measure.ts";
import { rowOf } from "../harness/measure.ts";
import { pairedRatio } from "../harness/statistics.ts";

/** A ratio that must not get worse. */
interface Guarded {
  readonly measure: string;
  readonly subject: string;
  readonly base: string;
  readonly better: "lower" | "higher";
  /** How many times worse than the baseline is still taken for noise. */
  readonly margin: number;
}

/*
 * How the margins were chosen. The short form was run ten times on two cores that other programs
 * kept busy (load 2 to 12), which is worse than what CI does to it. Medians of ratios within a
 * round moved by up to 1.25 times around their middle for an echo, processor time and the start, and
 * by up to 1.5 times where two cores are not enough for three busy processes (many calls in flight, large results).
 * Each margin is beyond that and below 2, so that a call that costs twice as much is found: by its
 * time if the machine is quiet, and by its processor time even if it is not.
 */
const GUARDED: Readonly<Record<string, Guarded>> = {
  echo: guarded("echo/p50", "proxy", "relay", 1.5),
  "echo, transparent": guarded("echo/p50", "transparent", "relay", 1.5),
  "100 KB": guarded("result-100KB/p50", "proxy", "relay", 1.9),
  "calls a second at 32": {
    ...guarded("in-flight-32", "proxy", "relay", 1.8),
    better: "higher",
  },
  "processor time": guarded("cpu", "proxy", "relay", 1.5),
  "processor time, transparent": guarded("cpu", "transparent", "relay", 1.5),
  "start to initialize": guarded("start/initialize", "proxy", "bare", 1.5),
};

export type Ratios = Readonly<Record<string, number>>;

export interface Regression {
  readonly name: string;
  readonly ratio: number;
  readonly baseline: number;
  /** The ratio from which on it counts as worse. */
  readonly limit: number;
}

/** The guarded ratios of a run; what was not measured on this system is left out. */
export function ratiosOf(measures: readonly Measure[]): Ratios {
  const ratios: Record<string, number> = {};
  for (const [name, { measure: id, subject, base }] of Object.entries(GUARDED)) {
    const measure = measures.find((one) => one.id === id);
    const ratio = pairedRatio(rowOf(measure, subject), rowOf(measure, base));
    if (Number.isFinite(ratio)) ratios[name] = Number(ratio.toFixed(3));
  }
  return ratios;
}

/** What is clearly worse than the baseline. */
export function regressions(ratios: Ratios, baseline: Ratios): Regression[] {
  const worse: Regression[] = [];
  for (const [name, { better, margin }] of Object.entries(GUARDED)) {
    const ratio = ratios[name];
    const before = baseline[name];
    if (ratio === undefined || before === undefined) continue;
    const limit = better === "lower" ? before * margin : before / margin;
    if (better === "lower" ? ratio > limit : ratio < limit)
      worse.push({ name, ratio, baseline: before, limit });
  }
  return worse;
}

function guarded(measure: string, subject: string, base: string, margin: number): Guarded {
  return { measure, subject, base, better: "lower", margin };
}
