import type { ServerSettings } from "../config/types.ts";
import { type WorkbenchError, shortReasonOf, workbenchError } from "../errors.ts";
import type { Call } from "../calls/call.ts";
import type { ServerRef } from "../calls/identifier.ts";
import type { ClientProfile } from "../protocol/client-profile.ts";
import { ServerRequest } from "../calls/server-request.ts";
import { codeOf } from "../text/error-code.ts";
import type { IncomingNotification, IncomingRequest } from "../wire/messages.ts";
import { routeNotification } from "./connection/route-notification.ts";
import { routeServerRequest } from "./connection/route-server-request.ts";
import { Catalogue, catalogueOf } from "./tools/catalogue.ts";
import type { ServerProcess } from "./transport/channel.ts";
import { Connection } from "./connection/connection.ts";
import { CallStatistics } from "./call-statistics.ts";
import { MAX_CONNECTIONS, MAX_LIVE_CONNECTIONS, crowded, leastUsed } from "./crowd.ts";
import { within } from "./deadline.ts";
import { NegotiatedEras } from "./handshake/negotiated-eras.ts";
import { type Host, quietHost } from "./host.ts";
import { whenIdle } from "./connection/idle-timer.ts";
import { listTools } from "./tools/list-tools.ts";
import { listenForChanges } from "./handshake/list-changes.ts";
import { openChannel } from "./transport/open-channel.ts";
import { Refresher } from "./refresher.ts";
import { ServerFailures } from "./server-failures.ts";
import type { Eras } from "./server-memory.ts";
import { Slices } from "./slices.ts";
import { Trials } from "./trials.ts";

/** How much of a server's standard error is kept for its status. */
const STDERR_LINES = 20;

export type ServerState = "idle" | "connecting" | "ready" | "backoff" | "closing" | "disabled";

/** One configured server of a toolbox. Connects on first use, once for all clients. */
export class Server {
  readonly host: Host;
  readonly statistics = new CallStatistics();
  waitingForConnection = 0;
  readonly failures: ServerFailures;
  #settings: ServerSettings;
  readonly #connected: (connection: Connection) => void;
  readonly #connections = new Map<string, Connection>();
  readonly #connecting = new Map<string, Promise<Connection>>();
  readonly #trials = new Trials();
  /** Every connection that may have a process, from before its handshake until it is closed. */
  readonly #live = new Set<Connection>();
  readonly #startedAt = new WeakMap<Connection, number>();
  readonly #idleWatches = new WeakMap<Connection, () => void>();
  readonly #refreshers = new WeakMap<Connection, Refresher>();
  #stderrTail: readonly string[] = [];
  #toolCount: number | undefined;
  readonly #eras = new NegotiatedEras();
  #recalled: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  #removed = false;

  constructor(
    settings: ServerSettings,
    host: Host = quietHost(),
    connected: (connection: Connection) => void = () => {},
  ) {
    this.#settings = settings;
    this.host = host;
    this.failures = new ServerFailures(() => this.#settings, host);
    this.#connected = connected;
  }

  get name(): string {
    return this.settings.name;
  }

  get settings(): ServerSettings {
    return this.#settings;
  }

  get place(): ServerRef {
    return { toolbox: this.settings.toolbox, server: this.name };
  }

  /** The last lines of standard error, of the current process or the last one. */
  get stderrTail(): readonly string[] {
    const [connection] = this.#connections.values();
    return connection?.stderrTail(STDERR_LINES) ?? this.#stderrTail;
  }

  /** The number of tools the server shows, if known. */
  get toolCount(): number | undefined {
    const [connection] = this.#connections.values();
    return connection?.catalogue.tools.size ?? this.#toolCount;
  }

  get eras(): Eras {
    return this.#eras.all;
  }

  /** Settings about the server's tools that do not match them. */
  get problems(): readonly string[] {
    const [connection] = this.#connections.values();
    return connection?.catalogue.problems ?? [];
  }

  /**
   * Applies changed settings; `restart` if they mean another process or address. Changes to tools
   * take effect at once; the caller notifies the clients.
   */
  async reconfigure(settings: ServerSettings, restart: boolean): Promise<void> {
    this.#settings = settings;
    if (!restart) {
      for (const connection of this.#connections.values()) {
        connection.catalogue = catalogueOf(connection.catalogue.rawTools, settings);
        this.host.memory.learn(this, connection);
        this.#refresherOf(connection).request();
      }
      return;
    }
    this.#eras.clear();
    this.#recalled = undefined;
    this.failures.forget();
    await this.disconnect();
  }

  get state(): ServerState {
    if (this.settings.disabled) return "disabled";
    if (this.#closing !== undefined) return "closing";
    if (this.#connections.size > 0) return "ready";
    if (this.#connecting.size > 0) return "connecting";
    return this.failures.pausing ? "backoff" : "idle";
  }

  get connections(): ReadonlyMap<string, Connection> {
    return this.#connections;
  }

  /** True if clients see the server's tools exactly as it lists them. */
  get servesToolsUnchanged(): boolean {
    const { toolFilters, overrides } = this.settings;
    const all = toolFilters.length > 0 && toolFilters.every((pattern) => pattern === "*");
    return all && Object.keys(overrides).length === 0;
  }

  /** The connection for this client, if there already is one. */
  ready(client: ClientProfile): Connection | undefined {
    return this.#connections.get(this.#keyOf(client));
  }

  connect(client: ClientProfile): Promise<Connection> {
    const key = this.#keyOf(client);
    const ready = this.#connections.get(key);
    if (ready !== undefined) return Promise.resolve(ready);
    const running = this.#connecting.get(key);
    if (running !== undefined) return running;
    const refused = this.#refusal() ?? this.#makeRoom();
    if (refused !== undefined) return Promise.reject(refused);
    const attempt = this.#start(client, key).finally(() => this.#connecting.delete(key));
    this.#connecting.set(key, attempt);
    return attempt;
  }

  /** Opens a separate connection to see what the server has, and closes it again. */
  async probe(
    client: ClientProfile,
    look: (connection: Connection) => Promise<void>,
  ): Promise<void> {
    const refused = this.#refusal();
    if (refused !== undefined) throw refused;
    const connection = await this.#established(client);
    try {
      await look(connection);
    } finally {
      await this.#drop(connection);
    }
  }

  /** Resolves when an announced or running listing has arrived. */
  async whenListed(connection: Connection): Promise<void> {
    await this.#refreshers.get(connection)?.settled;
  }

  /** Closes all connections; the server may be connected again afterwards. */
  async disconnect(): Promise<void> {
    this.#connections.clear();
    await Promise.all(Array.from(this.#live, (connection) => this.#drop(connection)));
  }

  /** Closes all connections permanently; `removed` if it is no longer in the configuration. */
  close(removed = false): Promise<void> {
    this.#removed ||= removed;
    this.#closing ??= this.disconnect();
    return this.#closing;
  }

  /** True while a caller waits for an answer of the server. */
  get busy(): boolean {
    if (this.#connecting.size > 0) return true;
    return [...this.#connections.values()].some(({ waiting }) => waiting > 0);
  }

  /** The processes of all connections. */
  get processes(): ServerProcess[] {
    return Array.from(this.#live, ({ process }) => process).filter(
      (process) => process !== undefined,
    );
  }

  /** A client has left: closes a connection that was its own or is no longer needed. */
  async onClientLeft(connection: Connection, wanted: boolean): Promise<void> {
    if (connection.clients.size > 0 || (wanted && this.settings.isolation === "shared")) return;
    this.#forget(connection);
    await this.#drop(connection);
  }

  /** A modern server gets all it needs with each request, so one connection serves all clients. */
  #keyOf(client: ClientProfile): string {
    if (this.settings.isolation === "session") return client.ownKey;
    return this.#eras.get(client.era) === "modern" ? "modern" : client.shareKey;
  }

  #refusal(): WorkbenchError | undefined {
    if (this.#removed) return this.failures.error("it is no longer in the configuration");
    if (this.#closing !== undefined) return workbenchError("WORKBENCH_CLOSED", {});
    const { disabled, unavailable } = this.settings;
    if (disabled) return this.failures.error("it is disabled in the configuration");
    if (unavailable !== undefined) return this.failures.error(unavailable);
    return this.failures.refusal();
  }

  /** Closes the least used connection if there are too many; an error if all are in use. */
  #makeRoom(): WorkbenchError | undefined {
    const isFull = this.#connections.size + this.#connecting.size >= MAX_CONNECTIONS;
    if (this.settings.isolation === "session" || !isFull) return undefined;
    const isOver = this.#live.size >= MAX_LIVE_CONNECTIONS;
    const spare = isOver ? undefined : leastUsed(this.#connections.values());
    if (spare === undefined) return crowded(this.place);
    this.#forget(spare);
    void this.#drop(spare);
    return undefined;
  }

  async #start(client: ClientProfile, key: string): Promise<Connection> {
    if (this.#trials.isFull) await this.#turn();
    const connection = await this.#established(client);
    this.#connections.set(
      this.settings.isolation === "session" ? key : this.#keyOf(client),
      connection,
    );
    this.#connected(connection);
    const idleMs = (): number => this.settings.timeouts.idleMs;
    const unwatch = whenIdle(connection, idleMs, () => {
      this.host.log.info("closing an idle server", connection.place);
      this.#forget(connection);
      void this.#drop(connection);
    });
    this.#idleWatches.set(connection, unwatch);
    return connection;
  }

  async #turn(): Promise<void> {
    await this.#trials.turn();
    const refused = this.#refusal();
    if (refused !== undefined) throw refused;
  }

  #established(client: ClientProfile): Promise<Connection> {
    const attempt = this.#establish(client);
    this.#trials.follow(attempt);
    return attempt;
  }

  async #establish(client: ClientProfile): Promise<Connection> {
    this.failures.tried();
    let connection = this.#connection();
    try {
      await this.#open(connection, client).catch(async (error: unknown) => {
        if (!this.#eras.shouldRetryWith(client.era, error, connection.loss !== undefined))
          throw error;
        // Never two at once: some servers need exclusive access to their data.
        await this.#drop(connection);
        connection = this.#connection();
        await this.#open(connection, client);
      });
      // It may have ended while its tool list was being read.
      if (connection.loss !== undefined) throw new Error(connection.loss[0]);
    } catch (error) {
      const stderr = connection.stderrTail();
      const startedAt = this.#startedAt.get(connection) ?? 0;
      const wasEnded = connection.closed && connection.loss === undefined;
      // Callers get the error now; a server that ignores signals may take a while to exit.
      void this.#drop(connection);
      // A connection that became unnecessary while connecting has not failed.
      if (!wasEnded) this.failures.failed(startedAt, shortReasonOf(error), codeOf(error));
      throw this.failures.describe(error, stderr);
    }
    this.#eras.set(client.era, connection.era);
    this.host.memory.learn(this, connection);
    const { place, pid, era } = connection;
    this.host.log.info("connected", { ...place, pid, era });
    return connection;
  }

  #connection(): Connection {
    const connection: Connection = new Connection(this, {
      onNotification: (notification, about) => this.#notified(connection, notification, about),
      onRequest: (request, about) => this.#requested(connection, request, about),
      onLost: (reason, code) => this.#lost(connection, reason, code),
    });
    this.#live.add(connection);
    const now = performance.now();
    this.#startedAt.set(connection, now);
    this.failures.started(now);
    return connection;
  }

  async #drop(connection: Connection): Promise<void> {
    this.#idleWatches.get(connection)?.();
    this.#stderrTail = connection.stderrTail(STDERR_LINES);
    if (connection.catalogue !== Catalogue.EMPTY) this.#toolCount = connection.catalogue.tools.size;
    await connection.close();
    this.#live.delete(connection);
  }

  #open(connection: Connection, client: ClientProfile): Promise<void> {
    const { connectMs } = this.settings.timeouts;
    const late = (): Error => this.failures.silence();
    return within(connectMs, late, async () => {
      this.#recalled ??= this.#recall();
      await connection.attach(await openChannel(this.settings, this.host.guard, connection));
      await this.#recalled;
      connection.hello = await this.#eras.negotiate(connection, client, this.settings.protocol);
      connection.catalogue = await this.#listed(connection);
      if (connection.era === "modern")
        listenForChanges(connection, (news) => this.#notified(connection, news, undefined));
    });
  }

  /** What an earlier run found out about the server saves a round trip. */
  async #recall(): Promise<void> {
    const known = await this.host.memory.recall(this);
    if (known !== undefined) this.#eras.recall(known.eras);
  }

  #lost(connection: Connection, reason: string, code: string | undefined): void {
    void this.#drop(connection);
    // A loss during the handshake is reported by the attempt itself.
    const startedAt = this.#startedAt.get(connection) ?? 0;
    if (this.#forget(connection)) this.failures.failed(startedAt, reason, code);
  }

  /** Stops using the connection; true if it was in use. */
  #forget(connection: Connection): boolean {
    for (const [key, other] of this.#connections)
      if (other === connection) return this.#connections.delete(key);
    return false;
  }

  #notified(connection: Connection, news: IncomingNotification, about: Call | undefined): void {
    if (news.method === "notifications/tasks/status") connection.tasks.update(news.params);
    if (news.method === "notifications/tools/list_changed") this.#refresherOf(connection).request();
    else routeNotification(this, connection, news, about);
  }

  #requested(connection: Connection, request: IncomingRequest, about: Call | undefined): void {
    const question = new ServerRequest(request, connection);
    if (request.method === "ping") question.answer("{}");
    else routeServerRequest(question, connection, about);
  }

  #refresherOf(connection: Connection): Refresher {
    const known = this.#refreshers.get(connection);
    if (known !== undefined) return known;
    const refresher = new Refresher(() => this.#relist(connection));
    this.#refreshers.set(connection, refresher);
    return refresher;
  }

  async #listed(connection: Connection, slices = new Slices()): Promise<Catalogue> {
    const listed = await listTools(connection, this.settings, this.host.log, slices);
    slices.begin();
    // The settings may have changed since the server was asked.
    return catalogueOf(listed, this.settings);
  }

  /** Lists the tools again; returns the time that took, without the server's share. */
  async #relist(connection: Connection): Promise<number> {
    const slices = new Slices();
    try {
      const next = await this.#listed(connection, slices);
      if (next.fingerprint === connection.catalogue.fingerprint) return slices.spentMs;
      connection.catalogue = next;
      this.host.memory.learn(this, connection);
      for (const client of connection.clients) client.onToolsChanged(this, connection);
    } catch (error) {
      // The old list is kept; if the connection is lost, it reports that itself.
      this.failures.noted(shortReasonOf(error), codeOf(error));
    }
    return slices.spentMs;
  }
}
