import type { Call } from "../../calls/call.ts";
import type { IncomingNotification } from "../../wire/messages.ts";
import { resemblesStandardMethod } from "../../wire/method-names.ts";
import type { Connection } from "./connection.ts";
import type { Server } from "../server.ts";

/** Notifications for all clients of a server, even if they came with the answer to one of them. */
const FOR_ALL: ReadonlySet<string> = new Set([
  "notifications/prompts/list_changed",
  "notifications/resources/list_changed",
  "notifications/resources/updated",
  "notifications/tasks/status",
  "notifications/elicitation/complete",
  "notifications/cancelled",
]);

/**
 * Forwards a server's notification: to the client whose call it belongs to, if known; otherwise to
 * all clients of the connection and to those with a call in flight.
 */
export function routeNotification(
  server: Server,
  connection: Connection,
  notification: IncomingNotification,
  about: Call | undefined,
): void {
  // A client might take these for progress of another server; those of calls are routed separately.
  const { method } = notification;
  if (method === "notifications/progress" || resemblesStandardMethod(method)) return;
  if (about?.caller.onCallNotification !== undefined && !FOR_ALL.has(method)) {
    about.caller.onCallNotification(about, notification);
    return;
  }
  for (const client of connection.clients) client.onNotification(server, connection, notification);
  for (const call of connection.inFlight())
    call.caller.onNotificationDuringCall?.(call, notification);
}
