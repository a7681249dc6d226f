import { isPerUser } from "../config/per-user.ts";
import { serverKey } from "../config/server-key.ts";
import type { ServerSettings, SignInUser, ToolboxSettings } from "../config/types.ts";
import type { Connection } from "../servers/connection/connection.ts";
import type { Host } from "../servers/host.ts";
import { Server } from "../servers/server.ts";
import { type ConnectServer, type ExplainFailure, type OpenResult, openServers } from "./open.ts";
import { PersonalServers } from "./personal-servers.ts";

/** A toolbox as clients see it: all its servers, or some of them. */
export interface ToolboxView {
  readonly name: string;
  readonly settings: ToolboxSettings;
  readonly servers: ReadonlyMap<string, Server>;
  open(connect: ConnectServer, explain?: ExplainFailure): Promise<OpenResult>;
  /** A server as this user has it: the user's own if each user signs in to it. */
  serverFor(name: string, user: SignInUser): Server | undefined;
}

/** A named group of servers, each with its own connections. */
export class Toolbox implements ToolboxView {
  readonly name: string;
  /** Those of all users, and those of the owner where each user has their own. */
  readonly servers: ReadonlyMap<string, Server>;
  /** Those of the other users. */
  readonly personal = new PersonalServers((settings) => this.#create(settings));
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
    const isRestarted = (name: string): boolean => restart.has(serverKey(this.name, name));
    this.#servers.clear();
    for (const [name, own] of settings.servers) {
      const known = before.get(name);
      if (known === undefined) this.#add(own);
      else {
        before.delete(name);
        this.#servers.set(name, known);
        if (known.settings !== own) work.push(known.reconfigure(own, isRestarted(name)));
      }
    }
    for (const removed of before.values()) work.push(removed.close(true));
    work.push(this.personal.reconfigure(settings, isRestarted));
    await Promise.all(work);
  }

  #add(settings: ServerSettings): void {
    this.#servers.set(settings.name, this.#create(settings));
  }

  #create(settings: ServerSettings): Server {
    const server: Server = new Server(settings, this.#host, (connection) =>
      this.#onConnected(server, connection),
    );
    return server;
  }

  serverFor(name: string, user: SignInUser): Server | undefined {
    const server = this.servers.get(name);
    if (server === undefined || !isPerUser(server.settings)) return server;
    return this.personal.get(server.settings, user);
  }

  open(connect: ConnectServer, explain?: ExplainFailure): Promise<OpenResult> {
    return openServers(this.servers.values(), connect, explain);
  }

  async disconnect(): Promise<void> {
    const ended = Array.from(this.servers.values(), (server) => server.connections.endAll());
    await Promise.all([...ended, this.personal.disconnect()]);
  }

  /** Stops all servers permanently; `removed` if the toolbox is no longer in the configuration. */
  async close(removed = false): Promise<void> {
    const closed = Array.from(this.servers.values(), (server) => server.close(removed));
    await Promise.all([...closed, this.personal.close(removed)]);
  }
}
