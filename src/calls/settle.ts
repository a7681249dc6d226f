/** The return path of every call. */
import type { Call } from "./call.ts";
import { type ClientCall, isClientCall } from "./client-call.ts";
import type { Outcome } from "./outcome.ts";

/**
 * Takes what came back for a call: the server's response, a result of the workbench, or a failure.
 * Passes it to the step that waits for it; if there is none, ends the call.
 */
export function complete(call: Call, outcome: Outcome): void {
  if (call.state === "settled") return;
  if (!isClientCall(call)) {
    settle(call, outcome);
    return;
  }
  record(call, outcome);
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
  call.caller.onSettled(call, outcome);
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
function record({ destination, route, startedAt, caller }: ClientCall, outcome: Outcome): void {
  if (route === undefined || outcome.kind === "cancelled") return;
  const isError = outcome.kind !== "response" || outcome.response.isError;
  destination?.server?.statistics.record(performance.now() - startedAt, isError);
  if (outcome.kind === "response")
    caller.pipeline.tasks.learn(outcome.response, route, caller.owner);
}
