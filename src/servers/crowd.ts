import { type WorkbenchError, workbenchError } from "../errors.ts";
import type { ServerRef } from "../calls/identifier.ts";
import type { Connection } from "./connection/connection.ts";

/**
 * A legacy server has one connection, and over stdio one process, for each set of capabilities that
 * clients declare. Clients are free to invent any, so there is a limit.
 */
export const MAX_CONNECTIONS = 32;
/** With those that are being ended, which may take their time. */
export const MAX_LIVE_CONNECTIONS = 2 * MAX_CONNECTIONS;

/** The connection that is missed the least: unused for the longest time. Undefined if all are busy. */
export function leastUsed(connections: Iterable<Connection>): Connection | undefined {
  let least: Connection | undefined;
  for (const connection of connections)
    if (!connection.isBusy && connection.calls.lastUsed < (least?.calls.lastUsed ?? Infinity))
      least = connection;
  return least;
}

/** What a client is told whose capabilities would need one more connection. */
export function crowded(place: ServerRef): WorkbenchError {
  const reason = `clients with ${MAX_CONNECTIONS} different sets of capabilities use it`;
  return workbenchError("SERVER_BUSY", { ...place, reason }, "Try again later");
}
