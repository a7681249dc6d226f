import { type Measure, Rows } from "../harness/measure.ts";
import { cpuMs } from "../harness/proc.ts";
import { type Effort, interleave, share, withOpen } from "../harness/rounds.ts";
import { type Subject, proxy } from "../harness/subjects.ts";
import { callsPerSecond, echo, medianTime, warmUp } from "../harness/workloads.ts";
import type { Setup, Workspace } from "../harness/workspace.ts";

const ECHO_CALLS = 300;
const THROUGHPUT_CALLS = 2_000;
const IN_FLIGHT = 32;

const rules = Array.from({ length: 100 }, (_, n) => ({
  tools: [`s0/other_${n}`],
  action: "deny",
}));

/** The same call with one feature in use each; everything is off in the first. */
export const FEATURES: Readonly<Record<string, Setup>> = {
  "nothing in use": {},
  "policy, 100 rules": { settings: { policy: { rules } } },
  "audit log": { settings: { audit: { enabled: true } } },
  "pins, `warn`": { settings: { pins: "warn" } },
  "large results stored": { settings: { results: { limit: 5_000 } } },
  metrics: { options: ["--metrics", "127.0.0.1:0"] },
  "`--shared`": { options: ["--shared"] },
};

export async function measureFeatures(workspace: Workspace, effort: Effort): Promise<Measure[]> {
  const opened: Record<string, readonly [Subject, Setup]> = {};
  for (const [name, setup] of Object.entries(FEATURES)) opened[name] = [proxy, setup];
  return withOpen(workspace, opened, async (connections) => {
    const all = [...connections];
    const time = new Rows();
    const rate = new Rows();
    const cpu = new Rows();
    for (const [, connection] of all) await warmUp(connection);
    await interleave(effort.rounds, all, async ([name, connection]) => {
      const calls = share(ECHO_CALLS, effort);
      const before = cpuMs(connection.pid as number);
      time.add(name, await medianTime(echo, connection, calls));
      const after = cpuMs(connection.pid as number);
      if (before !== undefined && after !== undefined)
        cpu.add(name, ((after - before) * 1_000) / calls);
    });
    await interleave(effort.rounds, all, async ([name, connection]) => {
      const calls = share(THROUGHPUT_CALLS, effort);
      rate.add(name, await callsPerSecond((n) => echo.run(connection, n), calls, IN_FLIGHT));
    });
    return [
      time.measure("features/echo", "us"),
      rate.measure(`features/in-flight-${IN_FLIGHT}`, "calls/s"),
      cpu.measure("features/cpu", "us"),
    ];
  });
}
