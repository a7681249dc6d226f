/**
 * The way of a client's call, from its request to its answer:
 *
 *   dispatch   where does it go: to a tool, to a server, or is it answered here?
 *   runSteps   what the configuration puts in between; left out if that is nothing (steps.ts)
 *   send       to the server, which is connected first if it is not (send.ts)
 *   receive    the response; a server may ask for input first (receive.ts)
 *   complete   what came back goes through the steps again (settle.ts)
 *   settle     the client gets its answer, once (settle.ts)
 *
 * With no steps and its server connected, a call gets to the server without waiting for anything.
 */
import type { ClientCall } from "./client-call.ts";
import type { Destination, LocalDestination } from "./destination.ts";
import { type Outcome, failure } from "./outcome.ts";
import { send } from "./send.ts";
import { complete } from "./settle.ts";
import { runSteps } from "./steps.ts";

/** Finds out where a call goes. */
export type Router = (call: ClientCall) => Destination | Promise<Destination>;

export function dispatch(call: ClientCall, route: Router): void {
  whenReady(call, () => route(call), passOn);
}

function passOn(call: ClientCall, destination: Destination): void {
  // Its client may have given it up while it was being routed.
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

/** Goes on with a value, at once if it is there. A call ends with whatever is thrown. */
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
