import { execFile, spawnSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";

/**
 * Counts the instructions that a program executes, with Valgrind. Unlike time, their number does not
 * depend on what else the machine does.
 */

const execute = promisify(execFile);

/**
 * One thread and the same seeds, so that every run does the same. Nothing is compiled: when the engine
 * does that depends on chance, and without it a program needs no long warm-up. There is enough memory for
 * all calls, because whether garbage is collected in every call or in none depends on chance, too.
 */
export const SAME_EVERY_TIME: readonly string[] = [
  "--single-threaded",
  "--hash-seed=1",
  "--random-seed=1",
  "--no-opt",
  "--no-sparkplug",
  "--no-flush-bytecode",
  "--min-semi-space-size=256",
  "--max-semi-space-size=256",
];

export function hasCallgrind(): boolean {
  return (
    process.platform === "linux" &&
    spawnSync("callgrind_control", ["--version"], { stdio: "ignore" }).status === 0
  );
}

/** What runs `node` so that its instructions can be counted; the counts are written to the folder. */
export function callgrind(folder: string): readonly string[] {
  const file = join(folder, "counts.%p");
  // The engine writes machine code while it runs, which Valgrind has to notice.
  return [
    "valgrind",
    "-q",
    "--tool=callgrind",
    "--instr-atstart=no",
    "--smc-check=all-non-file",
    `--callgrind-out-file=${file}`,
  ];
}

/**
 * A program that sleeps this long has nothing left to do. Longer than the pause before the workbench looks
 * for calls that take too long: that is part of every count, or of none.
 */
const ASLEEP_MS = 400;
const MAX_WAIT_MS = 60_000;

/**
 * The instructions that a program under `callgrind` executes for some work: the fewest of several times,
 * because in some of them it also collects garbage, or a timer is due. What it does after its last answer
 * is counted as well, so that the count does not depend on when the answer is read.
 */
export async function fewestInstructions(
  pid: number,
  folder: string,
  times: number,
  work: () => Promise<unknown>,
): Promise<number> {
  const control = (...args: string[]) => execute("callgrind_control", [...args, String(pid)]);
  let fewest = Infinity;
  await control("--instr=on");
  for (let n = 0; n < times; n++) {
    await control("--zero");
    await work();
    await untilAsleep(pid);
    await control("--dump");
    fewest = Math.min(fewest, lastCount(pid, folder));
  }
  await control("--instr=off");
  return fewest;
}

/** Waits until all threads of the program wait for something to happen. */
async function untilAsleep(pid: number): Promise<void> {
  const end = Date.now() + MAX_WAIT_MS;
  for (let before = "", now = runTimes(pid); now !== before; now = runTimes(pid)) {
    if (Date.now() > end) throw new Error(`Process ${pid} never stops working.`);
    before = now;
    await delay(ASLEEP_MS);
  }
}

/** How long each thread has run, and which of them could go on: another string when anything happened. */
function runTimes(pid: number): string {
  const folder = `/proc/${pid}/task`;
  const threads = readdirSync(folder).map((thread) => {
    const isAsleep = / \(.*\) S /.test(readFileSync(join(folder, thread, "stat"), "utf8"));
    const ran = readFileSync(join(folder, thread, "schedstat"), "utf8").split(" ", 1)[0];
    return `${thread}:${isAsleep ? ran : `${ran} and ready at ${performance.now()}`}`;
  });
  return threads.join();
}

/** What the program has dumped last. */
function lastCount(pid: number, folder: string): number {
  const start = `counts.${pid}.`;
  const dumps = readdirSync(folder).filter((name) => name.startsWith(start));
  const last = Math.max(...dumps.map((name) => Number(name.slice(start.length))));
  const counts = readFileSync(join(folder, `${start}${last}`), "utf8");
  return Number(/^(?:summary|totals): (\d+)/m.exec(counts)?.[1]);
}
