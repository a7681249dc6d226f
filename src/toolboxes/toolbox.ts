import { neededSignIn } from "../calls/sign-in-error.ts";
import { serverKey } from "../config/server-key.ts";
import type { ServerSettings, ToolboxSettings } from "../config/types.ts";
import { shortReasonOf } from "../errors.ts";
import type { Connection } from "../servers/connection/connection.ts";
import type { Host } from "../servers/host.ts";
import { Server } from "../servers/server.ts";
import type { Catalogue } from "../servers/tools/catalogue.ts";

export interface FailedServer {
  readonly server: string;
  readonly reason: string;
}

/** A server that is not connected, and its last known tools. */
export interface KnownTools {
  readonly server: Server;
  readonly connection: {
    readonly catalogue: Catalogue;
    readonly hello: { readonly instructions: string | undefined };
  };
}

/** Changes an error before it is reported. */
export type ExplainFailure = (error: unknown, server: Server) => Promise<unknown>;

export interface OpenResult {
  readonly connected: readonly { readonly server: Server; readonly connection: Connection }[];
  readonly failed: readonly FailedServer[];
  /** Those of the failed servers that wait for a sign-in, with the tools they had before. */
  readonly known: readonly KnownTools[];
  /** The servers that need more time, with the connections they will have. These never reject unhandled. */
  readonly starting: readonly {
    readonly server: Server;
    readonly connection: Promise<Connection>;
  }[];
}

/** Agents get what is ready within 10 seconds; this leaves time to write the answer. */
const MAX_OPEN_MS = 9000;
const LATE = Symbol("late");

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

  /**
   * Connects all servers in parallel. One that fails or takes long does not affect the others:
   * after some time the result is what is ready, and the rest goes on.
   */
  async open(
    connect: (server: Server) => Promise<Connection>,
    explain: ExplainFailure = async (error) => error,
  ): Promise<OpenResult> {
    const servers = [...this.servers.values()].filter((server) => !server.settings.disabled);
    const attempts = servers.map((server) => connectForTools(server, connect));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<typeof LATE>((resolve) => {
      timer = setTimeout(resolve, MAX_OPEN_MS, LATE);
    });
    const outcomes = await Promise.allSettled(
      attempts.map((attempt) => Promise.race([attempt, late])),
    );
    clearTimeout(timer);
    const connected: { server: Server; connection: Connection }[] = [];
    const failed: FailedServer[] = [];
    const known: KnownTools[] = [];
    const starting: { server: Server; connection: Promise<Connection> }[] = [];
    for (const [i, outcome] of outcomes.entries()) {
      const server = servers[i] as Server;
      const connection = attempts[i] as Promise<Connection>;
      if (outcome.status === "rejected") {
        const reason = await explain(outcome.reason, server);
        failed.push({ server: server.name, reason: shortReasonOf(reason) });
        if (neededSignIn(outcome.reason) !== undefined) known.push(...(await knownTools(server)));
      } else if (outcome.value === LATE) starting.push({ server, connection });
      else connected.push({ server, connection: outcome.value });
    }
    return { connected, failed, known, starting };
  }

  async disconnect(): Promise<void> {
    await Promise.all(Array.from(this.servers.values(), (server) => server.connections.endAll()));
  }

  /** Stops all servers permanently; `removed` if the toolbox is no longer in the configuration. */
  async close(removed = false): Promise<void> {
    await Promise.all(Array.from(this.servers.values(), (server) => server.close(removed)));
  }
}

/** What a server showed when it was connected last; nothing if it never was. */
async function knownTools(server: Server): Promise<KnownTools[]> {
  const known = await server.host.memory.recall(server).catch(() => undefined);
  if (known === undefined) return [];
  const { catalogue, instructions } = known;
  return [{ server, connection: { catalogue, hello: { instructions } } }];
}

/** Connects a server that is needed for its tools: if they cannot be listed, that is a failure. */
export async function connectForTools(
  server: Server,
  connect: (server: Server) => Promise<Connection>,
): Promise<Connection> {
  const connection = await connect(server);
  if (connection.toolsProblem !== undefined) await server.whenListed(connection);
  return connection;
}
