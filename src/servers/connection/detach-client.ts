import { ask } from "../requests/ask.ts";
import type { Connection } from "./connection.ts";
import type { ServerClient } from "./server-client.ts";

/** A client uses a connection no longer, and hears nothing more from it. */
export function detachClient(connection: Connection, client: ServerClient): void {
  connection.clients.delete(client);
  connection.keepAliveFor.delete(client);
  for (const uri of connection.subscribers.removeClient(client)) unsubscribe(connection, uri);
}

/** Tells a legacy server that nobody wants to hear of a resource any more. */
export function unsubscribe(connection: Connection, uri: string): void {
  // A server that does not know how goes on telling, which does no harm.
  if (!connection.closed) ask(connection, "resources/unsubscribe", { uri }).catch(() => {});
}
