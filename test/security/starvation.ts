/**
 * How long a client waits for the workbench while another peer keeps it busy: the time that its main
 * thread computed between a question and the answer. Time in which it waited for a processor, or in
 * which the whole machine stood still, does not count.
 *
 * A virtual machine shares its processors with others, and the same work takes it up to twice as long at one time as at
 * another. So the limit holds for a machine with the usual speed; what a slower one is allowed is in proportion to the time
 * that it takes, right before, for work that is always the same.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { HttpWorkbench } from "../support/http-workbench.ts";
import { rss } from "../support/proc.ts";

const MAX_MS = 250;
const MAX_GROWTH = 500 * 1024 ** 2;
/** What `referenceMs` was on the machine where the limit was chosen (a virtual one with two cores, 2.5 GHz). */
const USUAL_REFERENCE_MS = 28;
const REFERENCE_MEMBERS = 40_000;
const REFERENCES = 5;
// Long enough for a hundred answers, of which the slowest counts.
const MEASURED_MS = 2000;

/** Checks the health of the program, and records what it computed before each answer. */
const PROBE = `
import { readFileSync } from "node:fs";
import { Agent, get } from "node:http";
const [, port, pid] = process.argv;
const agent = new Agent({ keepAlive: true });
const computed = () => Number(readFileSync("/proc/" + pid + "/schedstat", "utf8").split(" ")[0]) / 1e6;
const took = [];
let open = 0;
let stopping = false;
const report = () => stopping && open === 0 && process.send(took);
const ask = () => {
  const before = computed();
  open++;
  get({ port, host: "127.0.0.1", path: "/healthz", agent }, (answer) => {
    answer.resume().on("end", () => {
      open--;
      took.push(computed() - before);
      report();
    });
  });
};
// Without waiting for earlier answers, so that a stall is measured in full.
const asking = setInterval(ask, 20);
process.on("message", () => {
  clearInterval(asking);
  stopping = true;
  report();
});
`;

interface Measured {
  /** How many milliseconds the slowest of a hundred answers took. */
  readonly p99: number;
  /** What they may have taken on this machine. */
  readonly limit: number;
  /** Of the memory, in bytes. */
  readonly growth: number;
}

/** Milliseconds that the main thread of this process has computed. */
const computedMs = (): number =>
  Number(readFileSync("/proc/self/schedstat", "utf8").split(" ", 1)[0]) / 1e6;

let references = 0;

/** The processor time for parsing an object with new keys: the median of several, because garbage is collected in some. */
function referenceMs(): number {
  const times = Array.from({ length: REFERENCES }, () => {
    references++;
    const keys = Array.from({ length: REFERENCE_MEMBERS }, (_, i) => `"r${references}_${i}":1`);
    const text = `{${keys.join(",")}}`;
    const before = computedMs();
    JSON.parse(text);
    return computedMs() - before;
  });
  return times.toSorted((a, b) => a - b)[REFERENCES >> 1] ?? Infinity;
}

/** Lets the attack run, again and again if it ends, while others are measured. */
export async function measure(
  what: string,
  workbench: HttpWorkbench,
  attack: () => Promise<unknown>,
): Promise<Measured> {
  const slowness = Math.max(1, referenceMs() / USUAL_REFERENCE_MS);
  const before = rss(workbench.pid);
  const args = ["--input-type=module", "-e", PROBE, String(workbench.port), String(workbench.pid)];
  const others = spawn(process.execPath, args, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  try {
    const end = performance.now() + MEASURED_MS;
    while (performance.now() < end) {
      await attack();
      await delay(10);
    }
    others.send("report");
    const [took] = (await once(others, "message")) as [number[]];
    took.sort((a, b) => a - b);
    const p99 = took[Math.ceil(took.length * 0.99) - 1] ?? Infinity;
    const growth = rss(workbench.pid) - before;
    const limit = MAX_MS * slowness;
    console.log(
      `${what}: others waited ${p99.toFixed(0)} of ${limit.toFixed(0)} ms at p99, ${growth >> 20} MB more`,
    );
    return { p99, limit, growth };
  } finally {
    others.kill();
  }
}

export const isBearable = ({ p99, limit, growth }: Measured): boolean =>
  p99 < limit && growth < MAX_GROWTH;
