import type { ClientProfile } from "../../protocol/client-profile.ts";
import type { Connection } from "../../servers/connection/connection.ts";
import { detachClient } from "../../servers/connection/detach-client.ts";
import type { ServerClient } from "../../servers/connection/server-client.ts";
import type { Server } from "../../servers/server.ts";

/** The connections one client uses. */
export class ClientConnections {
  readonly #client: ServerClient;
  readonly #links = new Map<Server, Connection>();
  #released = false;

  constructor(client: ServerClient) {
    this.#client = client;
  }

  get(server: Server): Connection | undefined {
    const connection = this.#links.get(server);
    return connection?.closed === false ? connection : undefined;
  }

  get open(): { server: Server; connection: Connection }[] {
    const open: { server: Server; connection: Connection }[] = [];
    for (const [server, connection] of this.#links)
      if (!connection.closed) open.push({ server, connection });
    return open;
  }

  /** Connects the server; `onNewConnection` is called if the client did not use it before. */
  async connect(
    server: Server,
    profile: ClientProfile,
    onNewConnection?: (connection: Connection) => void,
  ): Promise<Connection> {
    const connection = await server.connect(profile);
    if (this.#links.get(server) === connection) return connection;
    if (this.#released) {
      // The client left while it waited: no one would release the connection.
      void server.onClientLeft(connection, true);
      return connection;
    }
    this.#links.set(server, connection);
    connection.clients.add(this.#client);
    onNewConnection?.(connection);
    return connection;
  }

  /** Releases the connection to a server; it is closed unless other clients use it. */
  async drop(server: Server): Promise<void> {
    const connection = this.#links.get(server);
    if (connection === undefined) return;
    this.#links.delete(server);
    detachClient(connection, this.#client);
    await server.onClientLeft(connection, false);
  }

  /** The client is gone; connections that others may use stay open. */
  release(): void {
    this.#released = true;
    for (const [server, connection] of this.#links) {
      detachClient(connection, this.#client);
      void server.onClientLeft(connection, true);
    }
    this.#links.clear();
  }
}
