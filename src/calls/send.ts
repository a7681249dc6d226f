import type { Route } from "./call.ts";
import { busy, neverSent, toolNotFound } from "./call-errors.ts";
import type { ClientCall } from "./client-call.ts";
import type { OnServer } from "./destination.ts";
import { failure } from "./outcome.ts";
import { argumentsError, messageFor } from "./request-message.ts";
import type { MoreInput } from "./request-text.ts";
import { complete } from "./settle.ts";

/**
 * Sends a call to its server, with the input the server asked for if it did. With the server
 * connected, which is the rule, nothing here waits.
 */
export function send(call: ClientCall, destination: OnServer, input?: MoreInput): void {
  const route = call.caller.connectionTo(destination.server);
  if (route === undefined || !submit(call, destination, route, input))
    void connectAndSend(call, destination, input);
}

/** Gives a call to a connection; false if the server does not list the tool. */
function submit(
  call: ClientCall,
  destination: OnServer,
  route: Route,
  input: MoreInput | undefined,
): boolean {
  const tool = destination.tool && route.catalogue.tools.get(destination.tool.name);
  if (destination.tool !== undefined && tool === undefined) return false;
  const error = argumentsError(call, destination, tool) ?? route.calls.register(call);
  if (error === undefined)
    route.calls.submit(call, messageFor(call, destination, tool, route, input));
  else complete(call, { kind: "failure", error });
  return true;
}

/** Connects the server for a call, which waits no longer for that than a call may take in all. */
async function connectAndSend(
  call: ClientCall,
  destination: OnServer,
  input: MoreInput | undefined,
): Promise<void> {
  const { server, tool } = destination;
  const { limits, timeouts } = server.settings;
  if (server.waitingForConnection >= limits.concurrency + limits.queue) {
    const reason = `${server.waitingForConnection} wait for it to be connected`;
    complete(call, failure(busy(server.place, reason)));
    return;
  }
  let isLate = false;
  const latest = performance.now() + timeouts.totalMs;
  const timer = setTimeout(() => {
    isLate = true;
    complete(call, failure(neverSent(call, server.place, timeouts.totalMs)));
  }, timeouts.totalMs);
  server.waitingForConnection++;
  try {
    const route = await call.caller.connect(server);
    clearTimeout(timer);
    // A tool that is not listed may be in a list that is under way.
    if (tool && !route.catalogue.tools.has(tool.name)) await server.whenListed(route);
    if (isLate || call.cancelled !== undefined) return;
    if (!submit(call, destination, route, input) && tool) throw toolNotFound(tool, route);
    // The time it took to connect is part of the whole.
    call.totalDeadline = Math.min(call.totalDeadline, latest);
  } catch (error) {
    if (!isLate) complete(call, failure(error));
  } finally {
    clearTimeout(timer);
    server.waitingForConnection--;
  }
}
