import { type WorkbenchError, workbenchError } from "../errors.ts";
import type { ServerRef } from "../calls/identifier.ts";
import type { Connection } from "./connection/connection.ts";
import { isBusy } from "./connection/idle-timer.ts";

/**
 * A legacy server has one connection, and over stdio one process, for each set of capabilities that
 * clients declare. Clients can declare anything, so there is a limit.
 */
export const MAX_CONNECTIONS = 32;
/** Including connections that are being closed, which may take a while. */
export const MAX_LIVE_CONNECTIONS = 2 * MAX_CONNECTIONS;

/** The connection that has been unused for the longest time. Undefined if all are in use. */
export function leastUsed(connections: Iterable<Connection>): Connection | undefined {
  let least: Connection | undefined;
  for (const connection of connections)
    if (!isBusy(connection) && (least === undefined || connection.lastUsed < least.lastUsed))
      least = connection;
  return least;
}

/** The error for a client whose capabilities would need one more connection. */
export function crowded(place: ServerRef): WorkbenchError {
  const reason = `clients with ${MAX_CONNECTIONS} different sets of capabilities use it`;
  return workbenchError("SERVER_BUSY", { ...place, reason }, "Try again later");
}
