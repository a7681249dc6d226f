import type { Connection } from "../harness/connection.ts";
import { sleep } from "../harness/deadline.ts";
import { type Measure, Rows } from "../harness/measure.ts";
import { forgetPeak, memoryMB, peakMB } from "../harness/proc.ts";
import { type Effort, interleave, withOpen } from "../harness/rounds.ts";
import { type Subject, direct, httpProxy, proxy, relay } from "../harness/subjects.ts";
import { echo, oneByOne, result10MB } from "../harness/workloads.ts";
import type { Setup, Workspace } from "../harness/workspace.ts";

const PING_EVERY_MS = 5;
const MAX_PINGS = 4_000;
const LARGE_RESULTS = 3;
const QUIET_MS = 200;
const MEMORY_ROUNDS = 5;
const WARM_UP = 1_000;

const TWO_SERVERS: Setup = { called: 2, configured: 2 };
const SUBJECTS: Readonly<Record<string, readonly [Subject, Setup]>> = {
  direct: [direct, TWO_SERVERS],
  relay: [relay, TWO_SERVERS],
  proxy: [proxy, TWO_SERVERS],
  "http-proxy": [httpProxy, TWO_SERVERS],
};

/**
 * The effect of a 10 MB result on others: how long a small call to another server waits while large
 * results pass, and the memory of the process.
 */
export async function measureLarge(workspace: Workspace, effort: Effort): Promise<Measure[]> {
  return [...(await measurePauses(workspace, effort)), await measureMemory(workspace, effort)];
}

function measurePauses(workspace: Workspace, { rounds }: Effort): Promise<Measure[]> {
  return withOpen(workspace, SUBJECTS, async (connections) => {
    const longest = new Rows();
    const quiet = new Rows();
    for (const [, connection] of connections) {
      await oneByOne(echo, connection, WARM_UP);
      await echo.run(connection, 0, "s1");
      await result10MB.run(connection, 0, "s0");
    }
    await interleave(rounds, [...connections], async ([name, connection]) => {
      quiet.add(name, await longestPing(connection, sleep(QUIET_MS)));
      longest.add(name, await longestPing(connection, largeResults(connection)));
    });
    return [
      longest.measure("large/longest-pause", "ms"),
      quiet.measure("large/longest-pause-without", "ms"),
    ];
  });
}

/** Each value is for the first large result of a new process: later ones reuse its memory. */
async function measureMemory(workspace: Workspace, { rounds }: Effort): Promise<Measure> {
  const extra = new Rows();
  const inBetween = Object.entries(SUBJECTS).filter(([name]) => name !== "direct");
  await interleave(Math.min(rounds, MEMORY_ROUNDS), inBetween, async ([name, subject]) => {
    await withOpen(workspace, { [name]: subject }, async (connections) => {
      const connection = connections.get(name) as Connection;
      const pid = connection.pid as number;
      await oneByOne(echo, connection, WARM_UP);
      forgetPeak(pid);
      const before = memoryMB(pid);
      await result10MB.run(connection, 0, "s0");
      const peak = peakMB(pid);
      if (peak !== undefined && before !== undefined) extra.add(name, peak - before);
    });
  });
  return extra.measure("large/extra-memory", "MB");
}

async function largeResults(connection: Connection): Promise<void> {
  await oneByOne(result10MB, connection, LARGE_RESULTS);
}

/**
 * Calls the other server every few milliseconds during the work; returns the longest wait in ms.
 */
async function longestPing(connection: Connection, work: Promise<void>): Promise<number> {
  const state = { working: true };
  const done = work.finally(() => {
    state.working = false;
  });
  let longest = 0;
  const pings: Promise<void>[] = [];
  for (let n = 0; state.working && n < MAX_PINGS; n++) {
    const start = performance.now();
    pings.push(
      echo.run(connection, n, "s1").then(() => {
        longest = Math.max(longest, performance.now() - start);
      }),
    );
    await sleep(PING_EVERY_MS);
  }
  await done;
  await Promise.all(pings);
  return longest;
}
