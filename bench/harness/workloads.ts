import type { Answer, Connection } from "./connection.ts";
import { within } from "./deadline.ts";
import { quantile } from "./statistics.ts";

const KB = 1_024;
const MB = 1_024 * KB;
/** Also enough for a program that is slowed down by what measures it. */
const BATCH_MS = 240_000;

/** A kind of call, and how to recognise the right answer. */
export interface Workload {
  readonly id: string;
  /** The size of what is carried, for the plot; undefined if it is not a result. */
  readonly bytes: number | undefined;
  /** Calls in a round of a full run. */
  readonly calls: number;
  run(connection: Connection, n: number, server?: string): Promise<void>;
}

export const echo: Workload = {
  id: "echo",
  bytes: 100,
  calls: 400,
  async run(connection, n, server = "s0") {
    const text = `hello ${n}`;
    check(await connection.call(server, "echo", { text }), (answer) => answer.head.includes(text));
  },
};

function blob(id: string, bytes: number, calls: number): Workload {
  return {
    id,
    bytes,
    calls,
    async run(connection, _n, server = "s0") {
      check(await connection.call(server, "blob", { bytes }), (answer) => answer.bytes > bytes);
    },
  };
}

const SENT = "argument ".repeat(Math.ceil(MB / 9)).slice(0, MB);

const largeArguments: Workload = {
  id: "arguments-1MB",
  bytes: undefined,
  calls: 10,
  async run(connection, _n, server = "s0") {
    const answer = await connection.call(server, "sink", { data: SENT });
    check(answer, ({ head }) => head.includes(`"${SENT.length}"`));
  },
};

export const result10KB = blob("result-10KB", 10 * KB, 200);
export const result100KB = blob("result-100KB", 100 * KB, 60);
export const result10MB = blob("result-10MB", 10 * MB, 3);

export const WORKLOADS: readonly Workload[] = [
  echo,
  result10KB,
  result100KB,
  blob("result-1MB", MB, 15),
  result10MB,
  largeArguments,
];

function check(answer: Answer, right: (answer: Answer) => boolean): void {
  if (!right(answer)) throw new Error(`wrong answer: ${answer.head.slice(0, 300)}`);
}

/** One call after the other; returns the time of each in microseconds. */
export async function oneByOne(
  workload: Workload,
  connection: Connection,
  calls: number,
): Promise<number[]> {
  const all = async (): Promise<number[]> => {
    const times: number[] = [];
    for (let n = 0; n < calls; n++) {
      const start = performance.now();
      await workload.run(connection, n);
      times.push((performance.now() - start) * 1_000);
    }
    return times;
  };
  return within(BATCH_MS, workload.id, all());
}

export async function medianTime(
  workload: Workload,
  connection: Connection,
  calls: number,
): Promise<number> {
  return quantile(await oneByOne(workload, connection, calls), 0.5);
}

/** Calls after which the engine has compiled what they use; with fewer, times still fell from round to round. */
const WARM_UP_CALLS = 20_000;
const WARM_UP_IN_FLIGHT = 32;
const WARM_UP_ONE_BY_ONE = 2_000;

export async function warmUp(connection: Connection): Promise<void> {
  const run = (n: number): Promise<void> => echo.run(connection, n);
  await callsPerSecond(run, WARM_UP_CALLS, WARM_UP_IN_FLIGHT);
  await oneByOne(echo, connection, WARM_UP_ONE_BY_ONE);
}

/** Keeps this many calls in flight until all are answered; returns calls per second. */
export async function callsPerSecond(
  run: (n: number) => Promise<void>,
  calls: number,
  inFlight: number,
): Promise<number> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < calls) await run(next++);
  };
  const start = performance.now();
  const lanes = Promise.all(Array.from({ length: inFlight }, lane));
  await within(BATCH_MS, `${inFlight} in flight`, lanes);
  return (calls * 1_000) / (performance.now() - start);
}
