/** Makes inputs, feeds them to the program, and finds the one that breaks it. */
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Disposables } from "../../support/disposables.ts";
import { type Program, WORKBENCH } from "../program.ts";
import { clientLines } from "./client-lines.ts";
import { clientMessage, serverMessage } from "./grammar.ts";
import { httpBodies } from "./http-bodies.ts";
import { mutate } from "./mutate.ts";
import { Random } from "./random.ts";
import { serverLines } from "./server-lines.ts";
import type { Target, TargetName } from "./target.ts";

type Start = (disposables: Disposables, program: Program) => Target | Promise<Target>;

const STARTERS: Record<TargetName, Start> = {
  "client-lines": clientLines,
  "server-lines": serverLines,
  "http-bodies": httpBodies,
};
/** How the inputs are divided among the targets. */
const SHARES: Record<TargetName, number> = {
  "client-lines": 0.5,
  "server-lines": 0.3,
  "http-bodies": 0.2,
};
export const TARGETS = Object.keys(STARTERS) as TargetName[];
export const REGRESSIONS = fileURLToPath(new URL("../regressions/", import.meta.url));
const BATCH = 500;
const MUTATED = 0.6;

export interface Failure {
  readonly target: TargetName;
  readonly reason: string;
  /** As few inputs as still break it, in base64. */
  readonly inputs: readonly string[];
}

/** The input of this number; always the same for the same seed. */
export function inputAt(target: TargetName, seed: number, index: number): Buffer {
  const random = new Random(seed, TARGETS.indexOf(target), index);
  const message = target === "server-lines" ? serverMessage(random) : clientMessage(random, index);
  const bytes = Buffer.from(message);
  return random.chance(MUTATED) ? mutate(random, bytes) : bytes;
}

export interface FuzzOptions {
  readonly inputs: number;
  readonly seed: number;
  readonly progress?: (target: TargetName, done: number, of: number) => void;
}

/**
 * Feeds so many inputs in total; returns the failure if there is one, made as small as possible.
 */
export async function fuzz({ inputs, seed, progress }: FuzzOptions): Promise<Failure | undefined> {
  for (const target of TARGETS) {
    const count = Math.round(inputs * SHARES[target]);
    const broken = await fuzzTarget({ target, seed, count }, (done) =>
      progress?.(target, done, count),
    );
    if (broken === undefined) continue;
    const fewest = await smallest(target, broken);
    return { target, reason: broken.reason, inputs: fewest.map((one) => one.toString("base64")) };
  }
  return undefined;
}

interface Broken {
  readonly reason: string;
  /** The inputs after which it showed. */
  readonly fed: readonly Buffer[];
}

interface Series {
  readonly target: TargetName;
  readonly seed: number;
  readonly count: number;
  readonly program?: Program;
}

/** Feeds so many inputs to one target. */
export async function fuzzTarget(
  { target: name, seed, count, program }: Series,
  progress: (done: number) => void = () => {},
): Promise<Broken | undefined> {
  let fed: Buffer[] = [];
  const feed = async (target: Target): Promise<void> => {
    for (let at = 0; at < count; at += BATCH) {
      const size = Math.min(BATCH, count - at);
      fed = Array.from({ length: size }, (_, i) => inputAt(name, seed, at + i));
      await target.feed(fed);
      progress(at + size);
    }
  };
  const reason = await withTarget(name, feed, program);
  return reason === undefined ? undefined : { reason, fed };
}

/** The failure when these inputs are fed to a new program; undefined if there is none. */
export function replay(name: TargetName, inputs: readonly Buffer[]): Promise<string | undefined> {
  return withTarget(name, (target) => target.feed(inputs));
}

async function withTarget(
  name: TargetName,
  work: (target: Target) => Promise<void>,
  program: Program = WORKBENCH,
): Promise<string | undefined> {
  const disposables = new Disposables();
  try {
    const target = await STARTERS[name](disposables, program);
    await work(target);
    await target.stop();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await disposables.dispose();
  }
}

/** Halves the inputs for as long as one of the halves still breaks the same rule. */
async function smallest(name: TargetName, { reason, fed }: Broken): Promise<readonly Buffer[]> {
  if (fed.length <= 1) return fed;
  const middle = Math.ceil(fed.length / 2);
  for (const half of [fed.slice(0, middle), fed.slice(middle)]) {
    const again = await replay(name, half);
    if (again !== undefined && ruleOf(again) === ruleOf(reason))
      return smallest(name, { reason, fed: half });
  }
  return fed;
}

const ruleOf = (reason: string): string | undefined => reason.split(" ")[0];

/** Keeps a failure as a case that is tried in every run from now on. */
export function keep(failure: Failure): string {
  mkdirSync(REGRESSIONS, { recursive: true });
  const name = createHash("sha256").update(failure.inputs.join()).digest("hex").slice(0, 12);
  const file = `${REGRESSIONS}${failure.target}-${name}.json`;
  writeFileSync(file, `${JSON.stringify(failure, null, 2)}\n`);
  return file;
}
