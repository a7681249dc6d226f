import type { Route } from "./call.ts";
import { busy, neverSent, toolNotFound } from "./call-errors.ts";
import type { ClientCall } from "./client-call.ts";
import type { OnServer } from "./destination.ts";
import { failure } from "./outcome.ts";
import { type MoreInput, argumentsError, messageFor } from "./request-text.ts";
import { complete } from "./settle.ts";

/**
 * Sends a call to its server, with any input the server asked for. If the server is connected,
 * which is the normal case, nothing is awaited.
 */
export function send(call: ClientCall, destination: OnServer, input?: MoreInput): void {
  const route = call.caller.connectionTo(destination.server);
  if (route === undefined || !submit(call, destination, route, input))
    void connectAndSend(call, destination, input);
}

/** Passes a call to a connection; false if the server does not list the tool. */
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

/** Connects the server for a call. The time counts towards the limit of the call. */
async function connectAndSend(
  call: ClientCall,
  destination: OnServer,
  input: MoreInput | undefined,
): Promise<void> {
  const { server, tool } = destination;
  const { limits, timeouts } = server.settings;
  if (server.waitingForConnection >= limits.concurrency + limits.queue) {
    const reason = `${server.waitingForConnection} calls are waiting for it to connect`;
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
    // A tool that is not listed may be in a list that is on its way.
    if (tool && !route.catalogue.tools.has(tool.name)) await server.whenListed(route);
    if (isLate || call.cancelled !== undefined) return;
    if (!submit(call, destination, route, input) && tool) throw toolNotFound(tool, route);
    // Connecting counts towards the time limit of the call.
    call.totalDeadline = Math.min(call.totalDeadline, latest);
  } catch (error) {
    if (!isLate) complete(call, failure(error));
  } finally {
    clearTimeout(timer);
    server.waitingForConnection--;
  }
}
