import { type Measure, rowOf } from "../harness/measure.ts";
import { pairedRatio } from "../harness/statistics.ts";

/** A ratio that must not get worse. */
interface Guarded {
  readonly measure: string;
  readonly subject: string;
  readonly base: string;
  /** How many times worse than the baseline still counts as noise. */
  readonly margin: number;
}

/*
 * Instructions do not depend on what else the machine does: the ratios of five runs differed by less than 2 %, so
 * a tenth more is always found. The start is measured in time; on two cores that other programs kept busy, its
 * ratio was 1.03 to 1.38.
 */
const INSTRUCTIONS = 1.07;
const TIME = 1.4;

const GUARDED: Readonly<Record<string, Guarded>> = {
  echo: guarded("echo/instructions", "proxy", "relay", INSTRUCTIONS),
  "echo, transparent": guarded("echo/instructions", "transparent", "relay", INSTRUCTIONS),
  "10 KB": guarded("result-10KB/instructions", "proxy", "relay", INSTRUCTIONS),
  "100 KB": guarded("result-100KB/instructions", "proxy", "relay", INSTRUCTIONS),
  "start to initialize": guarded("start/initialize", "proxy", "bare", TIME),
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
  for (const [name, { margin }] of Object.entries(GUARDED)) {
    const ratio = ratios[name];
    const before = baseline[name];
    if (ratio === undefined || before === undefined) continue;
    const limit = before * margin;
    if (ratio > limit) worse.push({ name, ratio, baseline: before, limit });
  }
  return worse;
}

function guarded(measure: string, subject: string, base: string, margin: number): Guarded {
  return { measure, subject, base, margin };
}
