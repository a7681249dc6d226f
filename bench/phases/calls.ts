import { type Measure, Rows } from "../harness/measure.ts";
import { cpuMs, memoryMB } from "../harness/proc.ts";
import { type Effort, interleave, share, withOpen } from "../harness/rounds.ts";
import { quantile } from "../harness/statistics.ts";
import * as subjects from "../harness/subjects.ts";
import {
  WORKLOADS,
  type Workload,
  callsPerSecond,
  echo,
  oneByOne,
  warmUp,
} from "../harness/workloads.ts";
import type { Setup, Workspace } from "../harness/workspace.ts";

const THROUGHPUT_CALLS = 2_000;
const CPU_CALLS = 2_000;

/** The names of the subjects, in the order in which they are shown. */
const SUBJECTS = {
  direct: subjects.direct,
  pipe: subjects.pipe,
  relay: subjects.relay,
  proxy: subjects.proxy,
  dynamic: subjects.dynamic,
  transparent: subjects.transparent,
  "http-echo": subjects.httpEcho,
  "http-relay": subjects.httpRelay,
  "http-proxy": subjects.httpProxy,
  "http-transparent": subjects.httpTransparent,
} satisfies Record<string, subjects.Subject>;

type SubjectName = keyof typeof SUBJECTS;

interface Selection {
  readonly subjects: readonly SubjectName[];
  readonly workloads: readonly Workload[];
  readonly inFlight: readonly number[];
}

const EVERYTHING: Selection = {
  subjects: Object.keys(SUBJECTS) as SubjectName[],
  workloads: WORKLOADS,
  inFlight: [1, 32, 128],
};

/** Time, throughput, processor time and memory of calls, with all subjects in turn. */
export async function measureCalls(
  workspace: Workspace,
  effort: Effort,
  selection: Selection = EVERYTHING,
): Promise<Measure[]> {
  const { workloads } = selection;
  const opened: Record<string, readonly [subjects.Subject, Setup]> = {};
  for (const name of selection.subjects) opened[name] = [SUBJECTS[name], {}];

  return withOpen(workspace, opened, async (connections) => {
    const all = [...connections];
    // The first calls start the servers, and make the engine compile what is used.
    for (const [, connection] of all) {
      await warmUp(connection);
      for (const workload of workloads)
        await oneByOne(workload, connection, share(workload.calls, effort));
    }

    const measures: Measure[] = [];
    for (const workload of workloads) {
      const middle = new Rows();
      const slow = new Rows();
      await interleave(effort.rounds, all, async ([name, connection]) => {
        const times = await oneByOne(workload, connection, share(workload.calls, effort));
        middle.add(name, quantile(times, 0.5));
        slow.add(name, quantile(times, 0.99));
      });
      measures.push(middle.measure(`${workload.id}/p50`, "us"));
      measures.push(slow.measure(`${workload.id}/p99`, "us"));
    }

    for (const inFlight of selection.inFlight) {
      const rows = new Rows();
      await interleave(effort.rounds, all, async ([name, connection]) => {
        const calls = share(THROUGHPUT_CALLS, effort);
        rows.add(name, await callsPerSecond((n) => echo.run(connection, n), calls, inFlight));
      });
      measures.push(rows.measure(`in-flight-${inFlight}`, "calls/s"));
    }

    const cpu = new Rows();
    const between = all.filter(([, { pid }]) => pid !== undefined && cpuMs(pid) !== undefined);
    await interleave(effort.rounds, between, async ([name, connection]) => {
      const calls = share(CPU_CALLS, effort);
      const before = cpuMs(connection.pid as number) ?? 0;
      await oneByOne(echo, connection, calls);
      const used = (cpuMs(connection.pid as number) ?? 0) - before;
      cpu.add(name, (used * 1_000) / calls);
    });
    measures.push(cpu.measure("cpu", "us"));

    const memory = new Rows();
    for (const [name, { pid }] of all) {
      const now = pid === undefined ? undefined : memoryMB(pid);
      if (now !== undefined) memory.add(name, now);
    }
    measures.push(memory.measure("memory/after", "MB"));
    return measures;
  });
}
