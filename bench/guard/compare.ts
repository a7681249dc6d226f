import { type Measure, rowOf } from "../harness/measure.ts";
import { pairedRatio } from "../harness/statistics.ts";

/** A ratio that must not get worse. */
interface Guarded {
  readonly measure: string;
  readonly subject: string;
  readonly base: string;
  readonly better: "lower" | "higher";
  /** How many times worse than the baseline still counts as noise. */
  readonly margin: number;
}

/*
 * How the margins were chosen. The short form was run nine times on two cores that other programs
 * kept busy (load 3 to 15), which is worse than what CI does to it. Ratios moved around their middle
 * by at most 1.2 times for processor time, 1.1 for the start, 1.2 for an echo (once 1.5, which is
 * why a failure is measured again), and 1.4 to 1.6 where two cores have to do for three busy
 * processes: results of 100 KB and many calls in flight. Each margin is beyond that and below 2, so
 * that a call that costs twice as much is found: by its time on a quiet machine, and by its
 * processor time even on a busy one (see slowdown.timing.test.ts).
 */
const GUARDED: Readonly<Record<string, Guarded>> = {
  echo: guarded("echo/p50", "proxy", "relay", 1.6),
  "echo, transparent": guarded("echo/p50", "transparent", "relay", 1.6),
  "100 KB": guarded("result-100KB/p50", "proxy", "relay", 1.8),
  "calls a second at 32": {
    ...guarded("in-flight-32", "proxy", "relay", 1.8),
    better: "higher",
  },
  "processor time": guarded("cpu", "proxy", "relay", 1.5),
  "processor time, transparent": guarded("cpu", "transparent", "relay", 1.5),
  "start to initialize": guarded("start/initialize", "proxy", "bare", 1.4),
};

export type Ratios = Readonly<Record<string, number>>;

export interface Regression {
  readonly name: string;
  readonly ratio: number;
  readonly baseline: number;
  /** The ratio above which a result counts as worse. */
  readonly limit: number;
}

/** The guarded ratios of a run, without those that were not measured on this system. */
export function ratiosOf(measures: readonly Measure[]): Ratios {
  const ratios: Record<string, number> = {};
  for (const [name, { measure: id, subject, base }] of Object.entries(GUARDED)) {
    const measure = measures.find((one) => one.id === id);
    const ratio = pairedRatio(rowOf(measure, subject), rowOf(measure, base));
    if (Number.isFinite(ratio)) ratios[name] = Number(ratio.toFixed(3));
  }
  return ratios;
}

/** The ratios that are clearly worse than the baseline. */
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
