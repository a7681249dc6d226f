import type { Measure } from "../harness/measure.ts";
import type { Effort } from "../harness/rounds.ts";
import { echo, result100KB } from "../harness/workloads.ts";
import type { Workspace } from "../harness/workspace.ts";
import { measureCalls } from "../phases/calls.ts";
import { measureGreeting } from "../phases/start.ts";

/** Many short rounds: what disturbs a moment then disturbs few of them. */
const ROUNDS = 25;
const SCALE = 0.2;

/** The part of the benchmark that tells the most in the least time: some twenty seconds. */
export async function shortForm(workspace: Workspace, rounds = ROUNDS): Promise<Measure[]> {
  const effort: Effort = { rounds, scale: SCALE };
  const calls = await measureCalls(workspace, effort, {
    subjects: ["relay", "proxy", "transparent"],
    workloads: [echo, result100KB],
    inFlight: [32],
  });
  return [...calls, await measureGreeting(workspace, effort)];
}
