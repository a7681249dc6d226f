import type { Call } from "../../calls/call.ts";
import type { IncomingNotification } from "../../wire/messages.ts";
import { resemblesStandardMethod } from "../../wire/method-names.ts";
import type { Connection } from "./connection.ts";
import type { Server } from "../server.ts";

/** What concerns everybody who uses a server, also if it came along with the answer to one of them. */
const FOR_ALL: ReadonlySet<string> = new Set([
  "notifications/prompts/list_changed",
  "notifications/resources/list_changed",
  "notifications/resources/updated",
  "notifications/tasks/status",
  "notifications/elicitation/complete",
  "notifications/cancelled",
]);

/**
 * Hands on what a server tells: to the client whose call it belongs to, where that is known, or else
 * to all that use the connection and to those that have a call in flight.
 */
export function routeNotification(
  server: Server,
  connection: Connection,
  notification: IncomingNotification,
  about: Call | undefined,
): void {
  // A client might take these for progress of what another server does; of calls, it is told apart.
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
