import { ask } from "../requests/ask.ts";
import type { Connection } from "./connection.ts";
import type { ServerClient } from "./server-client.ts";

/** A client no longer uses a connection: it gets nothing more from it. */
export function detachClient(connection: Connection, client: ServerClient): void {
  connection.clients.delete(client);
  connection.keepAliveFor.delete(client);
  for (const uri of connection.subscribers.removeClient(client)) unsubscribe(connection, uri);
}

/** Unsubscribes from a resource of a legacy server that no client needs any longer. */
export function unsubscribe(connection: Connection, uri: string): void {
  // A server that does not support this keeps sending updates, which does no harm.
  if (!connection.closed) ask(connection, "resources/unsubscribe", { uri }).catch(() => {});
}
