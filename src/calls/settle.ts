/** The return path of every call. */
import type { ServerResponse } from "../wire/response.ts";
import { type Call, type ClientCall, foundTools, isClientCall } from "./call.ts";
import type { Outcome } from "./outcome.ts";

/**
 * Takes what came back for a call: the server's response, a result of the workbench, or a failure.
 */
export function complete(call: Call, outcome: Outcome): void {
  if (call.state === "settled") return;
  if (!isClientCall(call)) {
    settle(call, outcome);
    return;
  }
  record(call, outcome);
  const amended = outcome.kind === "response" ? amendment(call, outcome.response) : undefined;
  if (outcome.kind !== "response" || amended === undefined) {
    passBack(call, outcome);
    return;
  }
  const { unfinished } = call.caller.pipeline;
  const passed = passBackAmended(call, outcome.response, amended);
  unfinished.add(passed);
  void passed.finally(() => unfinished.delete(passed));
}

/** What the client gets instead of a response; undefined for nearly every response. */
function amendment(
  call: ClientCall,
  response: ServerResponse,
): Promise<ServerResponse> | undefined {
  const { destination, request } = call;
  if (destination?.server === undefined) return undefined;
  if (destination.tool === undefined) return destination.amend?.(response, call);
  const { onFailed, mayStoreResult } = destination;
  const amend = call.route?.catalogue.hasUi === true ? destination.amend : undefined;
  const { results } = call.caller.pipeline;
  const isFailed = onFailed !== undefined && response.isFailure;
  const isLarge = results !== undefined && response.bytes > results.minBytes;
  if (!isFailed && !isLarge) return amend?.(response, call);
  const tool = call.route && foundTools(call.route, destination).tools.get(destination.tool.name);
  if (tool === undefined) return undefined;
  if (isFailed) {
    const explained = onFailed({ request, tool, response });
    return amend === undefined ? explained : explained.then((given) => amend(given, call) ?? given);
  }
  const stored = mayStoreResult ? results?.replace(call, tool, response) : undefined;
  return stored ?? amend?.(response, call);
}

async function passBackAmended(
  call: ClientCall,
  response: ServerResponse,
  amended: Promise<ServerResponse>,
): Promise<void> {
  call.state = "returned";
  const given = await amended.catch(() => response);
  const { observer, results } = call.caller.pipeline;
  // Other responses are edited, not stored.
  const isLarge = results !== undefined && response.bytes > results.minBytes;
  if (isLarge && given.bytes < response.bytes) observer?.onReplaced?.(call, response, given);
  // The client may have cancelled the call in the meantime.
  if (call.cancelled === undefined) passBack(call, { kind: "response", response: given });
}

/** Passes an outcome to the step that waits for it; if there is none, ends the call. */
function passBack(call: ClientCall, outcome: Outcome): void {
  const { onReturn } = call;
  if (onReturn === undefined) settle(call, outcome);
  else {
    call.onReturn = undefined;
    call.state = "returned";
    onReturn(outcome);
  }
}

/** Ends a call. Its caller gets the outcome exactly once, whatever happens. */
export function settle(call: Call, outcome: Outcome): void {
  if (call.state === "settled") return;
  call.state = "settled";
  call.caller.onSettled(call, observed(call, outcome));
}

/** The outcome for the caller, after the observer of all calls has seen it. */
function observed(call: Call, outcome: Outcome): Outcome {
  if (!isClientCall(call)) return outcome;
  return call.caller.pipeline.observer?.onSettled(call, outcome) ?? outcome;
}

/** Cancels a call for its caller. The server is notified if it already has the call. */
export function cancel(call: Call, reason: unknown): void {
  if (call.state === "settled") return;
  call.route?.calls.cancel(call, reason);
  if (isClientCall(call)) call.markCancelled(reason);
  settle(call, { kind: "cancelled", reason });
  // A step that waits for the server must finish, too.
  if (isClientCall(call)) call.onReturn?.({ kind: "cancelled", reason });
}

/** Keeps what is needed after a call has returned from its server. */
function record(call: ClientCall, outcome: Outcome): void {
  const { destination, route, startedAt, caller } = call;
  if (route === undefined || outcome.kind === "cancelled") return;
  const isError = outcome.kind !== "response" || outcome.response.isError;
  destination?.server?.statistics.record(performance.now() - startedAt, isError);
  if (outcome.kind !== "response") return;
  const { response } = outcome;
  const { learner, tasks } = caller.pipeline;
  if (response.mayConcernTask) tasks.record(response, route, caller.owner);
  if (learner === undefined || isError || destination?.server === undefined) return;
  const tool = destination.tool && foundTools(route, destination).tools.get(destination.tool.name);
  if (tool !== undefined && !learner.done.has(tool)) learner.take(call, tool, response);
}

/** How many latencies are kept. */
const KEPT = 256;

/** Counts and times of the calls to one server. */
export class CallStatistics {
  calls = 0;
  errors = 0;
  readonly #latencies = new Float32Array(KEPT);

  record(ms: number, failed: boolean): void {
    this.#latencies[this.calls % KEPT] = ms;
    this.calls++;
    if (failed) this.errors++;
  }

  /** Milliseconds over the most recent calls; undefined before the first. */
  get latency(): { p50: number; p99: number; max: number } | undefined {
    const count = Math.min(this.calls, KEPT);
    if (count === 0) return undefined;
    const sorted = Array.from(this.#latencies.subarray(0, count)).sort((a, b) => a - b);
    const at = (share: number): number => round(sorted[Math.ceil(share * count) - 1] ?? 0);
    return { p50: at(0.5), p99: at(0.99), max: at(1) };
  }
}

function round(ms: number): number {
  return Math.round(ms * 100) / 100;
}
