import type { Connection } from "../harness/connection.ts";
import { within } from "../harness/deadline.ts";
import { type Measure, Rows } from "../harness/measure.ts";
import { cpuMs, memoryMB } from "../harness/proc.ts";
import { type Effort, interleave, share, withOpen } from "../harness/rounds.ts";
import { type Subject, dynamic, proxy } from "../harness/subjects.ts";
import { callsPerSecond, echo, medianTime, warmUp } from "../harness/workloads.ts";
import type { Setup, Workspace } from "../harness/workspace.ts";

const ECHO_CALLS = 400;
const THROUGHPUT_CALLS = 2_000;
const IN_FLIGHT = 32;
const ASK_MS = 30_000;

export interface Sizes {
  readonly servers: readonly number[];
  readonly tools: readonly number[];
}

export const SIZES: Sizes = { servers: [1, 20, 200, 1_000], tools: [10, 100, 1_000, 10_000] };

/** The same call with more and more servers in the configuration, of which one is called. */
export function measureServers(
  workspace: Workspace,
  effort: Effort,
  sizes: readonly number[],
): Promise<Measure[]> {
  const setups = sizes.map((configured) => [String(configured), { configured }] as const);
  return withSizes(workspace, proxy, setups, (connections) =>
    callsOf("servers", connections, effort),
  );
}

/** The same call of a server with more and more tools, and what an agent does to find a tool. */
export function measureTools(
  workspace: Workspace,
  effort: Effort,
  sizes: readonly number[],
): Promise<Measure[]> {
  const setups = sizes.map((tools) => [String(tools), { tools }] as const);
  return withSizes(workspace, dynamic, setups, async (connections) => {
    const list = new Rows();
    const search = new Rows();
    const query = { query: "update record 7", limit: 5 };
    await interleave(effort.rounds, connections, async ([size, connection]) => {
      list.add(size, await timeOf(connection.request("tools/list", {})));
      const searched = connection.request("tools/call", { name: "search_tools", arguments: query });
      search.add(size, await timeOf(searched));
    });
    return [
      list.measure("tools/list", "ms"),
      search.measure("tools/search", "ms"),
      ...(await callsOf("tools", connections, effort)),
    ];
  });
}

function withSizes(
  workspace: Workspace,
  subject: Subject,
  setups: readonly (readonly [string, Setup])[],
  work: (connections: readonly (readonly [string, Connection])[]) => Promise<Measure[]>,
): Promise<Measure[]> {
  const opened = Object.fromEntries(
    setups.map(([size, setup]) => [size, [subject, setup]] as const),
  );
  return withOpen(workspace, opened, (connections) => work([...connections]));
}

async function callsOf(
  id: string,
  connections: readonly (readonly [string, Connection])[],
  effort: Effort,
): Promise<Measure[]> {
  const time = new Rows();
  const rate = new Rows();
  const cpu = new Rows();
  const memory = new Rows();
  for (const [, connection] of connections) await warmUp(connection);
  await interleave(effort.rounds, connections, async ([size, connection]) => {
    time.add(size, await medianTime(echo, connection, share(ECHO_CALLS, effort)));
  });
  await interleave(effort.rounds, connections, async ([size, connection]) => {
    const pid = connection.pid as number;
    const calls = share(THROUGHPUT_CALLS, effort);
    const before = cpuMs(pid);
    rate.add(size, await callsPerSecond((n) => echo.run(connection, n), calls, IN_FLIGHT));
    const after = cpuMs(pid);
    if (before !== undefined && after !== undefined)
      cpu.add(size, ((after - before) * 1_000) / calls);
  });
  for (const [size, { pid }] of connections) {
    const now = memoryMB(pid as number);
    if (now !== undefined) memory.add(size, now);
  }
  return [
    time.measure(`${id}/echo`, "us"),
    rate.measure(`${id}/in-flight-${IN_FLIGHT}`, "calls/s"),
    cpu.measure(`${id}/cpu`, "us"),
    memory.measure(`${id}/memory`, "MB"),
  ];
}

async function timeOf(work: Promise<unknown>): Promise<number> {
  const start = performance.now();
  await within(ASK_MS, "answer", work);
  return performance.now() - start;
}
