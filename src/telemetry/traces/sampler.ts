import { type Environment, variable } from "../otel-use.ts";

/** Whether a new span is recorded; `parent` is the decision about its parent, if it has one. */
export type Sampler = (traceId: string, parent: boolean | undefined) => boolean;

const ALWAYS: Sampler = () => true;
const NEVER: Sampler = () => false;
/** A trace id ends with this many hexadecimal digits that are random for sure: 56 bits. */
const RANDOM_DIGITS = 14;

/** Reads `OTEL_TRACES_SAMPLER` and its argument. */
export function readSampler(env: Environment, warn: (message: string) => void): Sampler {
  const name = variable(env, "OTEL_TRACES_SAMPLER") ?? "parentbased_always_on";
  const [, parentBased, root = ""] = /^(parentbased_)?(.*)$/s.exec(name) ?? [];
  const sampler = rootSampler(root, () => ratioOf(env, warn));
  if (sampler === undefined) {
    warn("OTEL_TRACES_SAMPLER is unknown; parentbased_always_on is used");
    return basedOnParent(ALWAYS);
  }
  return parentBased === undefined ? sampler : basedOnParent(sampler);
}

function rootSampler(name: string, ratio: () => number): Sampler | undefined {
  if (name === "always_on") return ALWAYS;
  if (name === "always_off") return NEVER;
  return name === "traceidratio" ? byRatio(ratio()) : undefined;
}

function basedOnParent(root: Sampler): Sampler {
  return (traceId, parent) => parent ?? root(traceId, undefined);
}

/** Other programs that sample the same trace by its id come to the same decision. */
function byRatio(ratio: number): Sampler {
  const threshold = (1 - ratio) * 16 ** RANDOM_DIGITS;
  if (ratio === 0) return NEVER;
  return (traceId) => Number.parseInt(traceId.slice(-RANDOM_DIGITS), 16) >= threshold;
}

function ratioOf(env: Environment, warn: (message: string) => void): number {
  const value = variable(env, "OTEL_TRACES_SAMPLER_ARG");
  if (value === undefined) return 1;
  const ratio = Number(value);
  if (ratio >= 0 && ratio <= 1) return ratio;
  warn("OTEL_TRACES_SAMPLER_ARG is not a number from 0 to 1; 1 is used");
  return 1;
}
