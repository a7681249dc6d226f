/** Makes inputs, feeds them to the program, and finds the one that breaks it. */
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Disposables } from "../../support/disposables.ts";
import { clientLines } from "./client-lines.ts";
import { clientMessage, serverMessage } from "./grammar.ts";
import { httpBodies } from "./http-bodies.ts";
import { mutate } from "./mutate.ts";
import { Random } from "./random.ts";
import { INPUTS_PER_CALL, serverLines } from "./server-lines.ts";
import type { Target, TargetName } from "./target.ts";

const STARTERS: Record<TargetName, (disposables: Disposables) => Target | Promise<Target>> = {
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
  const near = Math.floor(index / INPUTS_PER_CALL) + 4;
  const message =
    target === "server-lines" ? serverMessage(random, near) : clientMessage(random, index);
  const bytes = Buffer.from(message);
  return random.chance(MUTATED) ? mutate(random, bytes) : bytes;
}

export interface FuzzOptions {
  readonly inputs: number;
  readonly seed: number;
  readonly progress?: (target: TargetName, done: number, of: number) => void;
}

/** Feeds so many inputs in all; gives the failure if there is one. */
export async function fuzz({ inputs, seed, progress }: FuzzOptions): Promise<Failure | undefined> {
  for (const target of TARGETS) {
    const count = Math.round(inputs * SHARES[target]);
    const failure = await fuzzTarget(target, seed, count, (done) =>
      progress?.(target, done, count),
    );
    if (failure !== undefined) return failure;
  }
  return undefined;
}

async function fuzzTarget(
  name: TargetName,
  seed: number,
  count: number,
  progress: (done: number) => void,
): Promise<Failure | undefined> {
  let fed: Buffer[] = [];
  const reason = await withTarget(name, async (target) => {
    for (let at = 0; at < count; at += BATCH) {
      const size = Math.min(BATCH, count - at);
      fed = Array.from({ length: size }, (_, i) => inputAt(name, seed, at + i));
      await target.feed(fed);
      progress(at + size);
    }
  });
  if (reason === undefined) return undefined;
  const inputs = await smallest(name, fed);
  return { target: name, reason, inputs: inputs.map((input) => input.toString("base64")) };
}

/** What goes wrong when these inputs are fed to a fresh program; undefined if nothing does. */
export function replay(name: TargetName, inputs: readonly Buffer[]): Promise<string | undefined> {
  return withTarget(name, (target) => target.feed(inputs));
}

async function withTarget(
  name: TargetName,
  work: (target: Target) => Promise<void>,
): Promise<string | undefined> {
  const disposables = new Disposables();
  try {
    const target = await STARTERS[name](disposables);
    await work(target);
    await target.stop();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await disposables.dispose();
  }
}

/** Halves the inputs for as long as one of the halves still breaks the program. */
async function smallest(name: TargetName, inputs: readonly Buffer[]): Promise<readonly Buffer[]> {
  if (inputs.length <= 1) return inputs;
  const middle = Math.ceil(inputs.length / 2);
  for (const half of [inputs.slice(0, middle), inputs.slice(middle)])
    if ((await replay(name, half)) !== undefined) return smallest(name, half);
  return inputs;
}

/** Keeps a failure as a case that is tried in every run from now on. */
export function keep(failure: Failure, seed: number): string {
  mkdirSync(REGRESSIONS, { recursive: true });
  const file = `${REGRESSIONS}${failure.target}-${seed}-${Date.now()}.json`;
  writeFileSync(file, `${JSON.stringify(failure, null, 2)}\n`);
  return file;
}
