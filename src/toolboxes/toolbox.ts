import { serverKey } from "../config/server-key.ts";
import type { ServerSettings, ToolboxSettings } from "../config/types.ts";
import { isWorkbenchError, reasonOf } from "../errors.ts";
import type { Connection } from "../servers/connection/connection.ts";
import type { Host } from "../servers/host.ts";
import { Server } from "../servers/server.ts";

export interface FailedServer {
  readonly server: string;
  readonly reason: string;
}

export interface OpenResult {
  readonly connected: readonly { readonly server: Server; readonly connection: Connection }[];
  readonly failed: readonly FailedServer[];
}

/** A named group of servers, each with its own connections. */
export class Toolbox {
  readonly name: string;
  readonly servers: ReadonlyMap<string, Server>;
  readonly #host: Host;
  readonly #onConnected: (server: Server, connection: Connection) => void;
  readonly #servers = new Map<string, Server>();
  #settings: ToolboxSettings;

  constructor(
    settings: ToolboxSettings,
    host: Host,
    onConnected: (server: Server, connection: Connection) => void,
  ) {
    this.name = settings.name;
    this.#host = host;
    this.#onConnected = onConnected;
    this.#settings = settings;
    this.servers = this.#servers;
    for (const own of settings.servers.values()) this.#add(own);
  }

  get settings(): ToolboxSettings {
    return this.#settings;
  }

  /** Applies changed settings; servers in `restart` ("toolbox/server") are reconnected. */
  async reconfigure(settings: ToolboxSettings, restart: ReadonlySet<string>): Promise<void> {
    this.#settings = settings;
    const before = new Map(this.#servers);
    const work: Promise<void>[] = [];
    this.#servers.clear();
    for (const [name, own] of settings.servers) {
      const known = before.get(name);
      if (known === undefined) this.#add(own);
      else {
        before.delete(name);
        this.#servers.set(name, known);
        if (known.settings !== own)
          work.push(known.reconfigure(own, restart.has(serverKey(this.name, name))));
      }
    }
    for (const removed of before.values()) work.push(removed.close(true));
    await Promise.all(work);
  }

  #add(settings: ServerSettings): void {
    const server: Server = new Server(settings, this.#host, (connection) =>
      this.#onConnected(server, connection),
    );
    this.#servers.set(settings.name, server);
  }

  /** Connects all servers in parallel; the failure of one does not affect the others. */
  async open(connect: (server: Server) => Promise<Connection>): Promise<OpenResult> {
    const servers = [...this.servers.values()].filter((server) => !server.settings.disabled);
    const outcomes = await Promise.allSettled(servers.map(connect));
    const connected: { server: Server; connection: Connection }[] = [];
    const failed: FailedServer[] = [];
    for (const [i, outcome] of outcomes.entries()) {
      const server = servers[i] as Server;
      if (outcome.status === "fulfilled") connected.push({ server, connection: outcome.value });
      else failed.push({ server: server.name, reason: shortReason(outcome.reason) });
    }
    return { connected, failed };
  }

  async disconnect(): Promise<void> {
    await Promise.all(Array.from(this.servers.values(), (server) => server.connections.endAll()));
  }

  /** Stops all servers permanently; `removed` if the toolbox is no longer in the configuration. */
  async close(removed = false): Promise<void> {
    await Promise.all(Array.from(this.servers.values(), (server) => server.close(removed)));
  }
}

/** Without toolbox and server, which the caller already names. */
function shortReason(error: unknown): string {
  return (isWorkbenchError(error) ? error.reason : undefined) ?? reasonOf(error);
}
