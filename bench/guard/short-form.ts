import type { Measure } from "../harness/measure.ts";
import type { Effort } from "../harness/rounds.ts";
import { echo, result100KB } from "../harness/workloads.ts";
import type { Workspace } from "../harness/workspace.ts";
import { measureCalls } from "../phases/calls.ts";
import { measureGreeting } from "../phases/start.ts";

/** Many short rounds, so that a disturbance affects only a few of them. */
const ROUNDS = 25;
const SCALE = 0.2;

/** The most informative part of the benchmark in the shortest time: some twenty seconds. */
export async function shortForm(workspace: Workspace, rounds = ROUNDS): Promise<Measure[]> {
  const effort: Effort = { rounds, scale: SCALE };
  const calls = await measureCalls(workspace, effort, {
    subjects: ["relay", "proxy", "transparent"],
    workloads: [echo, result100KB],
    inFlight: [32],
  });
  return [...calls, await measureGreeting(workspace, effort)];
}
