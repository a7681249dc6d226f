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
import type { Destination } from "./destination.ts";
import { failure } from "./outcome.ts";
import { send } from "./send.ts";
import { complete } from "./settle.ts";
import { runSteps } from "./steps.ts";

/** Finds out where a call goes. */
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
  // Its client may have given it up while it was being routed.
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
