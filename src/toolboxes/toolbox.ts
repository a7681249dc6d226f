import { serverKey } from "../config/server-key.ts";
import type { ServerSettings, ToolboxSettings } from "../config/types.ts";
import type { Connection } from "../servers/connection/connection.ts";
import type { Host } from "../servers/host.ts";
import { Server } from "../servers/server.ts";
import { type ConnectServer, type ExplainFailure, type OpenResult, openServers } from "./open.ts";

/** A toolbox as clients see it: all its servers, or some of them. */
export interface ToolboxView {
  readonly name: string;
  readonly settings: ToolboxSettings;
  readonly servers: ReadonlyMap<string, Server>;
  open(connect: ConnectServer, explain?: ExplainFailure): Promise<OpenResult>;
}

/** A named group of servers, each with its own connections. */
export class Toolbox implements ToolboxView {
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

  open(connect: ConnectServer, explain?: ExplainFailure): Promise<OpenResult> {
    return openServers(this.servers.values(), connect, explain);
  }

  async disconnect(): Promise<void> {
    await Promise.all(Array.from(this.servers.values(), (server) => server.connections.endAll()));
  }

  /** Stops all servers permanently; `removed` if the toolbox is no longer in the configuration. */
  async close(removed = false): Promise<void> {
    await Promise.all(Array.from(this.servers.values(), (server) => server.close(removed)));
  }
}
