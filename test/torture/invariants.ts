/** What has to hold after every scenario, whatever it was about. */
import { setTimeout as delay } from "node:timers/promises";
import { callTool, listTools } from "../support/calls.ts";
import { UNHANDLED } from "../support/hygiene.ts";
import { processesOf, waitFor, zombiesOf } from "../support/proc.ts";
import type { BystanderReport } from "./bystander.ts";
import { cpuShare, isRunning, resourcesOf } from "./resources.ts";
import { type Run, TIMEOUTS } from "./rig.ts";
import { leaks, writtenFiles } from "./secrets.ts";

export interface Figures {
  readonly bystander: BystanderReport;
  /** Processes of servers that were still there after the end. */
  readonly processesLeft: number;
  readonly rssGrowthMb: number;
  readonly fdGrowth: number;
}

export interface Expectations {
  /** How long the bystander may be kept waiting at worst. */
  readonly longestMs?: number;
  /** How long a call may take that waits for a server with time-outs of its own. */
  readonly answerMs?: number;
}

const ANSWER_MS = 500;
const ADDED_MS = 250;
const ENOUGH_CALLS = 100;
const MOST_FDS = 5;
const MOST_MB = 30;
/** So much the engine lets dead buffers pile up before it looks for them. */
const DEAD_BUFFERS_MB = 32;
const SETTLE_MS = 5000;
const QUIET_MS = 3000;
const QUIET_SHARE = 0.05;
const END_MS = 5000;

/** Checks I1 to I10, ends the program, and gives the figures; tells of everything that is broken. */
export async function checkInvariants(run: Run, expected: Expectations = {}): Promise<Figures> {
  const broken: string[] = [];
  const check = (id: string, what: string, found: readonly unknown[]): void => {
    if (found.length > 0) broken.push(`${id} ${what}: ${JSON.stringify(found).slice(0, 1500)}`);
  };
  const wasAsked = !isRunning(run.pid);

  const bystander = await run.bystander.stop(wasAsked ? 0 : ENOUGH_CALLS);
  if (!wasAsked) {
    await checkAnswers(run, check);
    check("I2", "errors of the bystander", bystander.errors);
    const added = bystander.own.p99 - bystander.direct.p99;
    if (added >= ADDED_MS) check("I2", `the bystander waits ${added} ms longer`, [bystander]);
    const longest = bystander.own.max - bystander.direct.max;
    if (longest >= (expected.longestMs ?? Infinity))
      check("I2", `the bystander waits ${longest} ms longer at worst`, [bystander]);
  }
  checkTimes(run, expected.answerMs, check);
  const growth = wasAsked ? NO_GROWTH : await checkResources(run, check);

  const processesLeft = await end(run, check);
  checkOutput(run, check);
  if (broken.length > 0)
    throw new Error(`${broken.join("\n")}\n--- stderr ---\n${run.process.stderr.slice(-2000)}`);
  return { bystander, processesLeft, ...growth };
}

/**
 * For faults that move much data: the first of its kind brings the heap of the engine to its working
 * size, which is not given back. From then on the next one may add no more than anything else may.
 */
export function atWorkingSize(run: Run): void {
  const now = resourcesOf(run.pid, run);
  const grownMb = Math.round((now.rss - run.baseline.rss) / 1024 ** 2);
  if (grownMb > MOST_MB + DEAD_BUFFERS_MB)
    throw new Error(`I7 the heap has grown by ${grownMb} MB to its working size`);
  run.baseline = now;
}

type Check = (id: string, what: string, found: readonly unknown[]) => void;
const NO_GROWTH = { rssGrowthMb: 0, fdGrowth: 0 };

/** I1: it answers. A busy machine may need a second attempt, a program that hangs fails them all. */
async function checkAnswers(run: Run, check: Check): Promise<void> {
  const took: number[] = [];
  while (took.length < 3 && !took.some((ms) => ms < ANSWER_MS)) {
    const begin = performance.now();
    try {
      await listTools(run.client);
      took.push(performance.now() - begin);
    } catch (error) {
      check("I1", "no answer to tools/list", [String(error)]);
      return;
    }
  }
  check("I1", `slower than ${ANSWER_MS} ms`, took.some((ms) => ms < ANSWER_MS) ? [] : took);
}

/** I3, I4, I5: every request gets one answer in time, and nothing else is written. */
function checkTimes(
  { process: client, overStdio, complaints }: Run,
  answerMs: number | undefined,
  check: Check,
): void {
  const { connectMs, callMs, totalMs } = TIMEOUTS;
  const late = client.timings.filter(({ tookMs, hasProgress }) => {
    const deadline = answerMs ?? connectMs + (hasProgress ? totalMs : callMs);
    return tookMs > deadline + 1000;
  });
  check("I3", "answered too late or not at all", late);
  check("I4", "not the one right answer", complaints);
  if (!overStdio) return;
  const strays = client.unmatched.filter(({ id }) => id !== null);
  check("I4", "answered twice, or unasked", [...client.duplicates, ...strays]);
  check("I5", "not JSON-RPC on stdout", client.garbage);
}

/** I7 and I10: what the fault cost is given back, and nothing goes on working. */
async function checkResources(run: Run, check: Check): Promise<typeof NO_GROWTH> {
  const { pid, baseline } = run;
  const growth = (): typeof NO_GROWTH => {
    const now = resourcesOf(pid, run);
    return {
      fdGrowth: now.fds - baseline.fds,
      rssGrowthMb: Math.round((now.rss - baseline.rss) / 1024 ** 2),
    };
  };
  const settled = (): boolean => growth().fdGrowth <= MOST_FDS && growth().rssGrowthMb <= MOST_MB;

  const begin = performance.now();
  let share = 1;
  while (share >= QUIET_SHARE && performance.now() - begin < QUIET_MS + 1000)
    share = await cpuShare(pid, 500);
  if (share >= QUIET_SHARE) check("I10", "still busy", [share]);
  while (!settled() && performance.now() - begin < SETTLE_MS) {
    // Memory is given back when there is something to do.
    await callTool(run.client, "nothing", {}).catch(() => {});
    await delay(50);
  }
  if (!settled()) check("I7", "not given back", [growth()]);
  check("I7", "children never waited for", zombiesOf(pid));
  return growth();
}

/** I6: nothing of its servers survives it. */
async function end(run: Run, check: Check): Promise<number> {
  if (run.overStdio) run.process.child.stdin.end();
  else run.process.kill("SIGTERM");
  const exit = await run.process.ended(END_MS + TIMEOUTS.shutdownMs).catch(() => undefined);
  if (exit === undefined) check("I6", "it does not end", [run.pid]);
  else if (exit.signal === null && exit.code !== 0) check("I6", "exit code", [exit]);
  await waitFor(() => processesOf(run.marker).length === 0, END_MS, "the end").catch(() => {});
  const left = processesOf(run.marker);
  check("I6", "processes left", left);
  return left.length;
}

/** I8 and I9: nothing secret and no unhandled error in anything that was written. */
function checkOutput(run: Run, check: Check): void {
  const { stderr, lines } = run.process;
  const sinks = new Map([["stderr", stderr], ["stdout", lines.join("\n")], ...writtenFiles(run)]);
  check("I8", "secret", leaks(run.secret, sinks));
  check("I9", "unhandled", UNHANDLED.exec(stderr) ?? []);
}
