import type { CallParams, Connection } from "../harness/connection.ts";
import { ownName } from "../harness/connection.ts";
import { type Measure, Rows } from "../harness/measure.ts";
import type { Command } from "../harness/program.ts";
import type { Effort } from "../harness/rounds.ts";
import { overStdio, throughRelay, throughUseTool, workbench } from "../harness/subjects.ts";
import { type Workload, echo, oneByOne, result100KB, result10KB } from "../harness/workloads.ts";
import { type Workspace, program } from "../harness/workspace.ts";
import { measureGreeting } from "../phases/start.ts";
import { SAME_EVERY_TIME, callgrind, fewestInstructions } from "./callgrind.ts";

/** Valgrind makes a program about fifty times as slow. */
const PATIENCE_MS = 240_000;
const WARM_UP_CALLS = 150;
/** For the start, which is measured in time: many rounds, so that a disturbance affects a few of them. */
const START_EFFORT: Effort = { rounds: 15, scale: 0.2 };

interface Counted {
  readonly workload: Workload;
  /** What the workbench does from time to time, whether there are calls or not, is shared by so many calls. */
  readonly calls: number;
  /** The fewest instructions of so many counts are used: some contain work of the start or of the garbage collector. */
  readonly times: number;
}

const ECHO: Counted = { workload: echo, calls: 40, times: 8 };
const COUNTED: readonly Counted[] = [
  ECHO,
  { workload: result10KB, calls: 20, times: 5 },
  { workload: result100KB, calls: 10, times: 3 },
];

/** The instructions of calls, for the most informative subjects. */
export async function countedCalls(workspace: Workspace): Promise<Measure[]> {
  const { args, env } = workbench(workspace, {});
  const counts = await Promise.all([
    countCalls(workspace, "relay", { args: [program("relay.mjs"), "1"] }, throughRelay),
    countCalls(workspace, "proxy", { args, env }, throughUseTool),
    countCalls(workspace, "transparent", { args: [...args, "--server", "main/s0"], env }, ownName),
  ]);
  const rows = new Map(COUNTED.map(({ workload }) => [workload.id, new Rows()]));
  for (const { subject, perCall } of counts)
    for (const [id, count] of perCall) rows.get(id)?.add(subject, count);
  return Array.from(rows, ([id, row]) => row.measure(`${id}/instructions`, "instructions"));
}

/** The time of a start. */
export async function timedStart(workspace: Workspace): Promise<Measure[]> {
  return [await measureGreeting(workspace, START_EFFORT)];
}

interface Counts {
  readonly subject: string;
  /** The instructions of one call, by workload. */
  readonly perCall: ReadonlyMap<string, number>;
}

async function countCalls(
  workspace: Workspace,
  subject: string,
  command: Command,
  params: CallParams,
): Promise<Counts> {
  const connection = await openCounted(workspace, command, params);
  try {
    const perCall = new Map<string, number>();
    for (const counted of COUNTED)
      perCall.set(counted.workload.id, await instructionsPerCall(workspace, connection, counted));
    return { subject, perCall };
  } finally {
    await connection.close();
  }
}

/** A program whose instructions can be counted, after its first calls. */
export async function openCounted(
  workspace: Workspace,
  { args, env = {} }: Command,
  params: CallParams,
): Promise<Connection> {
  const counted = {
    args: [...SAME_EVERY_TIME, "--require", program("slow-clock.cjs"), ...args],
    env,
    under: callgrind(workspace.folder),
  };
  const connection = await overStdio(counted, params, PATIENCE_MS);
  await oneByOne(echo, connection, WARM_UP_CALLS);
  return connection;
}

/** Counts an echo, or another workload as often as an echo. */
export function instructionsPerEcho(
  workspace: Workspace,
  connection: Connection,
  workload: Workload,
): Promise<number> {
  return instructionsPerCall(workspace, connection, { ...ECHO, workload });
}

/** Calls are made one after the other: of several at once, some may be finished together, which saves instructions. */
async function instructionsPerCall(
  { folder }: Workspace,
  connection: Connection,
  { workload, calls, times }: Counted,
): Promise<number> {
  // The first calls of a kind do what the others do not.
  await oneByOne(workload, connection, 2);
  const all = (): Promise<unknown> => oneByOne(workload, connection, calls);
  const count = await fewestInstructions(connection.pid as number, folder, times, all);
  return count / calls;
}
