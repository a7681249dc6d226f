/**
 * The path of a client's call, from its request to its answer:
 *
 *   dispatch   finds the destination: a tool, a server, or the workbench itself
 *   runSteps   runs the configured steps; skipped if there are none (steps.ts)
 *   send       sends it to the server, which is connected first if necessary (send.ts)
 *   receive    takes the response; a server may ask for input first (receive.ts)
 *   complete   takes what came back through the steps again (settle.ts)
 *   settle     gives the client its answer, exactly once (settle.ts)
 *
 * With no steps and a connected server, nothing on this path is awaited.
 */
import type { ClientCall } from "./client-call.ts";
import type { Destination } from "./destination.ts";
import { failure } from "./outcome.ts";
import { send } from "./send.ts";
import { complete } from "./settle.ts";
import { runSteps } from "./steps.ts";

/** Finds the destination of a call. */
export type Router = (call: ClientCall) => Destination | Promise<Destination>;

export function dispatch(call: ClientCall, route: Router): void {
  try {
    const destination = route(call);
    if (destination instanceof Promise) void later(call, destination, passOn);
    else passOn(call, destination);
  } catch (error) {
    complete(call, failure(error));
  }
}

function passOn(call: ClientCall, destination: Destination): void {
  // The client may have cancelled it while it was being routed.
  if (call.state === "settled") return;
  call.destination = destination;
  if (destination.server) call.subject = destination.tool?.name ?? destination.subject ?? "";
  const { steps } = call.caller.pipeline;
  if (steps.length === 0) deliver(call, destination);
  else void runSteps(call, steps, () => deliver(call, destination));
}

function deliver(call: ClientCall, destination: Destination): void {
  if (destination.server !== undefined) {
    send(call, destination);
    return;
  }
  const outcome = destination.answer();
  if (outcome instanceof Promise) void later(call, outcome, complete);
  else complete(call, outcome);
}

/** Goes on when a value is there. A call ends with whatever is thrown. */
async function later<T>(
  call: ClientCall,
  value: Promise<T>,
  goOn: (call: ClientCall, value: T) => void,
): Promise<void> {
  try {
    goOn(call, await value);
  } catch (error) {
    complete(call, failure(error));
  }
}
