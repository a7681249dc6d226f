import type { Measure } from "../harness/measure.ts";
import type { Effort } from "../harness/rounds.ts";
import { echo, result100KB } from "../harness/workloads.ts";
import type { Workspace } from "../harness/workspace.ts";
import { measureCalls } from "../phases/calls.ts";
import { measureGreeting } from "../phases/start.ts";

const EFFORT: Effort = { rounds: 9, scale: 0.5 };

/** The part of the benchmark that tells the most in the least time: a quarter of a minute. */
export async function shortForm(workspace: Workspace): Promise<Measure[]> {
  const calls = await measureCalls(workspace, EFFORT, {
    subjects: ["relay", "proxy", "transparent"],
    workloads: [echo, result100KB],
    inFlight: [32],
  });
  return [...calls, await measureGreeting(workspace, EFFORT)];
}
