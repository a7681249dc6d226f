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
import type { Destination, LocalDestination } from "./destination.ts";
import { type Outcome, failure } from "./outcome.ts";
import { send } from "./send.ts";
import { complete } from "./settle.ts";
import { runSteps } from "./steps.ts";

/** Finds the destination of a call. */
export type Router = (call: ClientCall) => Destination | Promise<Destination>;

export function dispatch(call: ClientCall, route: Router): void {
  whenReady(call, () => route(call), passOn);
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
  if (destination.server !== undefined) send(call, destination);
  else whenReady<Outcome>(call, (destination as LocalDestination).answer, complete);
}

/** Continues with a value, synchronously if possible. An exception ends the call. */
function whenReady<T>(
  call: ClientCall,
  valueOf: () => T | Promise<T>,
  goOn: (call: ClientCall, value: T) => void,
): void {
  const fail = (error: unknown): void => complete(call, failure(error));
  try {
    const value = valueOf();
    if (value instanceof Promise) value.then((late: T) => goOn(call, late)).catch(fail);
    else goOn(call, value);
  } catch (error) {
    fail(error);
  }
}
