import type { Step } from "../calls/call.ts";
import { notApproved } from "../calls/call-errors.ts";
import { failure } from "../calls/outcome.ts";
import type { PinSource } from "../servers/definition-pins.ts";

/**
 * Refuses calls to servers of which nothing is approved. A call waits for a tool list that is being
 * read: the catalogue leaves out what is not approved, so what was checked is what is called.
 */
export function pinStep(source: PinSource): Step {
  return async (call, next) => {
    const server = call.destination?.server;
    if (server === undefined) return next();
    await source.load();
    const reason = source.current?.blockedReason(server.place);
    if (reason !== undefined) return failure(notApproved(server.place, call.label, reason));
    const route = call.destination?.tool && call.caller.connectionTo(server);
    // If the list cannot be read, sending the call reports why.
    if (route !== undefined) await server.whenListed(route).catch(() => undefined);
    return next();
  };
}
