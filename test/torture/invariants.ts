/**
 * What has to hold after every scenario, whatever it was about. Latency, memory and processor time
 * are judged only where they are measured.
 */
import { setTimeout as delay } from "node:timers/promises";
import { verifyAudit } from "../../src/audit/verify.ts";
import { auditFolderOf, auditRows } from "../support/audit.ts";
import { callTool, listTools } from "../support/calls.ts";
import { UNHANDLED } from "../support/hygiene.ts";
import { type ProcessInfo, processesOf, zombiesOf } from "../support/proc.ts";
import { PROGRAM } from "../support/workbench.ts";
import type { BystanderReport } from "./bystander.ts";
import { MAX_MB } from "./measured.ts";
import { cpuShare, isRunning, resourcesOf } from "./resources.ts";
import { type Rig, type Run, TIMEOUTS } from "./rig.ts";
import { leaks, writtenFiles } from "./secrets.ts";

export interface Figures {
  readonly bystander: BystanderReport;
  /** Processes of servers that were still there after the end. */
  readonly processesLeft: number;
  readonly rssGrowthMb: number;
  readonly fdGrowth: number;
}

export interface Expectations {
  /** The longest acceptable wait of the bystander. */
  readonly longestMs?: number;
  /** The longest time of a call to a server with its own time-outs. */
  readonly answerMs?: number;
}

const ANSWER_MS = 500;
const ADDED_MS = 250;
const ENOUGH_CALLS = { measured: 100, functional: 10 };
const MAX_FDS = 5;
const SETTLE_MS = 5000;
/** A child that has just ended is reaped in a moment. */
const REAP_MS = 1000;
const QUIET_MS = 3000;
const QUIET_SHARE = 0.05;
const END_MS = 5000;

/**
 * Checks I1 to I11, ends the program, and returns the figures; reports everything that is broken.
 */
export async function checkInvariants(
  rig: Rig,
  run: Run,
  expected: Expectations = {},
): Promise<Figures> {
  const broken: string[] = [];
  const check = (id: string, what: string, found: readonly unknown[]): void => {
    if (found.length > 0) broken.push(`${id} ${what}: ${JSON.stringify(found).slice(0, 1500)}`);
  };
  const hasEnded = !isRunning(run.pid);

  const enough = ENOUGH_CALLS[rig.measured ? "measured" : "functional"];
  const bystander = await run.bystander.stop(hasEnded ? 0 : enough);
  check("I2", "errors of the bystander", bystander.errors);
  if (!hasEnded) {
    await checkAnswers(rig, run, check);
    if (rig.measured) checkLatency(bystander, expected.longestMs, check);
  }
  checkAnswered(run, check);
  if (rig.measured) checkTimes(run, expected.answerMs, check);
  const growth = hasEnded ? NO_GROWTH : await checkResources(rig, run, check);

  const processesLeft = await end(rig, run, check);
  checkOutput(run, check);
  if (rig.program.file === PROGRAM) await checkAudit(run, check);
  if (broken.length > 0)
    throw new Error(`${broken.join("\n")}\n--- stderr ---\n${run.process.stderr.slice(-2000)}`);
  return { bystander, processesLeft, ...growth };
}

type Check = (id: string, what: string, found: readonly unknown[]) => void;
const NO_GROWTH = { rssGrowthMb: 0, fdGrowth: 0 };

/** I1: it answers. A busy machine may need a second attempt, a program that hangs fails them all. */
async function checkAnswers(rig: Rig, run: Run, check: Check): Promise<void> {
  const limitMs = rig.measured ? ANSWER_MS : Infinity;
  const took: number[] = [];
  while (took.length < 3 && !took.some((ms) => ms < limitMs)) {
    const begin = performance.now();
    try {
      await listTools(run.client);
      took.push(performance.now() - begin);
    } catch (error) {
      check("I1", "no answer to tools/list", [String(error)]);
      return;
    }
  }
  check("I1", `slower than ${limitMs} ms`, took.some((ms) => ms < limitMs) ? [] : took);
}

/** I2: the bystander is hardly affected. */
function checkLatency(report: BystanderReport, longestMs = Infinity, check: Check): void {
  const added = report.own.p99 - report.direct.p99;
  if (added >= ADDED_MS) check("I2", `the bystander waits ${added} ms longer`, [report]);
  const longest = report.own.max - report.direct.max;
  if (longest >= longestMs)
    check("I2", `the bystander waits ${longest} ms longer at worst`, [report]);
}

/** I3, I4, I5: every request gets one answer, and nothing else is written. */
function checkAnswered({ process: client, overStdio, complaints }: Run, check: Check): void {
  check(
    "I3",
    "not answered at all",
    client.timings.filter(({ answered }) => !answered),
  );
  check("I4", "not the one right answer", complaints);
  if (!overStdio) return;
  const strays = client.unmatched.filter(({ id }) => id !== null);
  check("I4", "answered twice, or unasked", [...client.duplicates, ...strays]);
  check("I5", "not JSON-RPC on stdout", client.garbage);
}

/** I3: no answer comes later than its deadline and a second. */
function checkTimes({ process: client }: Run, answerMs: number | undefined, check: Check): void {
  const { connectMs, callMs, totalMs } = TIMEOUTS;
  const late = client.timings.filter(({ tookMs, hasProgress }) => {
    const deadline = answerMs ?? connectMs + (hasProgress ? totalMs : callMs);
    return tookMs > deadline + 1000;
  });
  check("I3", "answered too late", late);
}

/** I7 and I10: resources used by the fault are released, and nothing keeps working. */
async function checkResources(rig: Rig, run: Run, check: Check): Promise<typeof NO_GROWTH> {
  const { pid, baseline } = run;
  const growth = (): typeof NO_GROWTH => {
    const now = resourcesOf(pid, run);
    return {
      fdGrowth: now.fds - baseline.fds,
      rssGrowthMb: rig.measured ? Math.round((now.rss - baseline.rss) / 1024 ** 2) : 0,
    };
  };
  const isSettled = (): boolean => {
    const { fdGrowth, rssGrowthMb } = growth();
    return fdGrowth <= MAX_FDS && rssGrowthMb <= MAX_MB;
  };

  const begin = performance.now();
  if (rig.measured) await checkQuiet(pid, check);
  while (!isSettled() && performance.now() - begin < rig.limit(SETTLE_MS)) {
    // Memory is released when there is work to do.
    await callTool(run.client, "nothing", {}).catch(() => {});
    await delay(50);
  }
  if (!isSettled()) check("I7", "not given back", [growth()]);
  await rig
    .wait(() => zombiesOf(pid).length === 0, REAP_MS, "children")
    .catch(() => check("I7", "children never waited for", zombiesOf(pid)));
  return growth();
}

/** I10: it is idle when there is nothing to do. */
async function checkQuiet(pid: number, check: Check): Promise<void> {
  const begin = performance.now();
  let share = 1;
  while (share >= QUIET_SHARE && performance.now() - begin < QUIET_MS + 1000)
    share = await cpuShare(pid, 500);
  if (share >= QUIET_SHARE) check("I10", "still busy", [share]);
}

/** I6: no process of its servers survives it. */
async function end(rig: Rig, run: Run, check: Check): Promise<number> {
  if (run.overStdio) run.process.child.stdin.end();
  else run.process.kill("SIGTERM");
  const endMs = rig.limit(END_MS + TIMEOUTS.shutdownMs);
  const exit = await run.process.ended(endMs).catch(() => undefined);
  if (exit === undefined) check("I6", "it does not end", [run.pid]);
  else if (exit.signal === null && exit.code !== 0) check("I6", "exit code", [exit]);
  // A process that clients share ends after the last of them.
  await rig
    .wait(() => !isRunning(run.pid), END_MS, "the end of the process that runs the servers")
    .catch(() => check("I6", "it does not end", [run.pid]));
  const left = (): ProcessInfo[] => processesOf(run.marker);
  await rig.wait(() => left().length === 0, END_MS, "the end").catch(() => {});
  check("I6", "processes left", left());
  return left().length;
}

/** I8 and I9: no secret and no unhandled error in any output. */
function checkOutput(run: Run, check: Check): void {
  const { stderr, lines } = run.process;
  const sinks = new Map([["stderr", stderr], ["stdout", lines.join("\n")], ...writtenFiles(run)]);
  check("I8", "secret", leaks(run.secret, sinks));
  for (const [name, text] of sinks)
    if (name === "stderr" || name.endsWith(".log"))
      check("I9", `unhandled in ${name}`, UNHANDLED.exec(text) ?? []);
}

/**
 * I11: every call has one entry in the audit log. Over HTTP, a request that was not answered may
 * never have arrived; a program that was killed may have lost its last entries.
 */
async function checkAudit(run: Run, check: Check): Promise<void> {
  const { overStdio, process: client, audited } = run;
  const rows = auditRows(run).length;
  const { signal } = await client.exited;
  const most = overStdio ? client.calls : audited.sent;
  const fewest = signal !== null ? 0 : overStdio ? client.calls : audited.answered;
  if (rows < fewest || rows > most) check("I11", "audit entries", [{ rows, fewest, most }]);
  const breaks = verifyAudit(auditFolderOf(run)).flatMap(({ firstBreak }) => firstBreak ?? []);
  check("I11", "audit log", breaks);
}
