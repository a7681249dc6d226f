import type { ClientProfile } from "../../protocol/client-profile.ts";
import type { Connection } from "../../servers/connection/connection.ts";
import type { ServerClient } from "../../servers/connection/server-client.ts";
import type { ServerHello } from "../../servers/handshake/server-hello.ts";
import type { Server } from "../../servers/server.ts";
import type { ToolboxView } from "../../toolboxes/toolbox.ts";

/** Called for a connection that the client did not use before; `isFirst` if it is new to the server. */
export type OnClientConnected = (server: Server, connection: Connection, isFirst: boolean) => void;

/** The connections one client uses. */
export class ClientConnections {
  readonly #client: ServerClient;
  readonly #profile: { readonly client: ClientProfile };
  readonly #onConnected: OnClientConnected;
  readonly #connections = new Map<Server, Connection>();
  /** The servers the client has used before. */
  readonly #used = new WeakSet<Server>();
  #isClosed = false;

  constructor(
    client: ServerClient,
    profile: { readonly client: ClientProfile },
    onConnected: OnClientConnected,
  ) {
    this.#client = client;
    this.#profile = profile;
    this.#onConnected = onConnected;
  }

  get(server: Server): Connection | undefined {
    const connection = this.#connections.get(server);
    return connection?.calls.hasEnded === false ? connection : undefined;
  }

  get open(): { server: Server; connection: Connection }[] {
    const open: { server: Server; connection: Connection }[] = [];
    for (const [server, connection] of this.#connections)
      if (!connection.closed) open.push({ server, connection });
    return open;
  }

  /** Rejects if the server is still being downloaded when the time to connect is over. */
  connect(server: Server): Promise<Connection> {
    return server.unlessDownloading(this.awaitConnection(server));
  }

  /** How a server describes itself, as soon as it has; it is connected for the client. */
  helloOf(server: Server): Promise<ServerHello> {
    // If this fails after the server has introduced itself, the next request will report it.
    this.awaitConnection(server).catch(() => {});
    return server.hello(this.#profile.client);
  }

  async awaitConnection(server: Server): Promise<Connection> {
    const connection = await server.connect(this.#profile.client);
    if (this.#connections.get(server) === connection) return connection;
    if (this.#isClosed) {
      // The client left while it waited, so it would never release the connection.
      void server.connections.onClientLeft(connection, true);
      return connection;
    }
    this.#connections.set(server, connection);
    connection.clients.attach(this.#client);
    const isFirst = !this.#used.has(server);
    this.#used.add(server);
    this.#onConnected(server, connection, isFirst);
    return connection;
  }

  /** Gives up the connections to the servers of a toolbox; each ends unless others use it. */
  async release(toolbox: ToolboxView): Promise<void> {
    await Promise.all(Array.from(toolbox.servers.values(), (server) => this.#release(server)));
  }

  /** The client is gone; connections that others may use stay. */
  close(): void {
    this.#isClosed = true;
    for (const [server, connection] of this.#connections) {
      connection.clients.detach(this.#client);
      void server.connections.onClientLeft(connection, true);
    }
    this.#connections.clear();
  }

  async #release(server: Server): Promise<void> {
    const connection = this.#connections.get(server);
    if (connection === undefined) return;
    this.#connections.delete(server);
    connection.clients.detach(this.#client);
    await server.connections.onClientLeft(connection, false);
  }
}
