import type { ServerSettings } from "../config/types.ts";
import { type WorkbenchError, shortReasonOf, workbenchError } from "../errors.ts";
import type { Call } from "../calls/call.ts";
import type { ServerRef } from "../calls/identifier.ts";
import type { ClientProfile } from "../protocol/client-profile.ts";
import { ServerRequest } from "../calls/server-request.ts";
import { codeOf } from "../text/error-code.ts";
import type { IncomingNotification, IncomingRequest } from "../wire/messages.ts";
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

/** How much of a server's standard error is kept for those who ask for its state. */
const STDERR_LINES = 20;

export type ServerState = "idle" | "connecting" | "ready" | "backoff" | "closing" | "disabled";

/**
 * One configured server of one toolbox. Connects on first use, once for all, and again after a loss.
 */
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
  /** Every connection that may hold a process, from before its handshake until it is closed. */
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

  /** The last lines of the server's standard error, of the process that runs or ran last. */
  get stderrTail(): readonly string[] {
    const [connection] = this.#connections.values();
    return connection?.stderrTail(STDERR_LINES) ?? this.#stderrTail;
  }

  /** How many tools the server shows, as far as is known. */
  get toolCount(): number | undefined {
    const [connection] = this.#connections.values();
    return connection?.catalogue.tools.size ?? this.#toolCount;
  }

  get eras(): Eras {
    return this.#eras.all;
  }

  /** What the configuration says about the server's tools that does not fit them. */
  get problems(): readonly string[] {
    const [connection] = this.#connections.values();
    return connection?.catalogue.problems ?? [];
  }

  /**
   * Takes over changed settings; `restart` if they mean another process or another address. What
   * they change in the tools takes effect at once; clients are told by whoever knows the rest.
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

  /** True if clients see the tools of the server exactly as it lists them. */
  get servesToolsUnchanged(): boolean {
    const { toolFilters, overrides } = this.settings;
    const all = toolFilters.length > 0 && toolFilters.every((pattern) => pattern === "*");
    return all && Object.keys(overrides).length === 0;
  }

  /** The connection for this client if there is one already. */
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

  /** Connects apart from all clients, to see what the server has, and ends the connection again. */
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

  /** Resolves when a listing that was announced or is under way has arrived. */
  async whenListed(connection: Connection): Promise<void> {
    await this.#refreshers.get(connection)?.settled;
  }

  /** Ends all connections; the server may be connected again afterwards. */
  async disconnect(): Promise<void> {
    this.#connections.clear();
    await Promise.all(Array.from(this.#live, (connection) => this.#drop(connection)));
  }

  /** Ends all connections for good; `removed` if the configuration has no such server any more. */
  close(removed = false): Promise<void> {
    this.#removed ||= removed;
    this.#closing ??= this.disconnect();
    return this.#closing;
  }

  /** True while somebody waits for an answer of the server. */
  get busy(): boolean {
    if (this.#connecting.size > 0) return true;
    return [...this.#connections.values()].some(({ calls }) => calls.waiting > 0);
  }

  /** The processes of all connections. */
  get processes(): ServerProcess[] {
    return Array.from(this.#live, ({ channel }) => channel.process).filter(
      (process) => process !== undefined,
    );
  }

  /** A client has left: a connection that was its own, or is no longer wanted, ends with it. */
  async onClientLeft(connection: Connection, wanted: boolean): Promise<void> {
    if (connection.clients.size > 0 || (wanted && this.settings.isolation === "shared")) return;
    this.#forget(connection);
    await this.#drop(connection);
  }

  /** A modern server is told everything with each request, so one connection serves all clients. */
  #keyOf(client: ClientProfile): string {
    if (this.settings.isolation === "session") return client.ownKey;
    return this.#eras.get(client.era) === "modern" ? "modern" : client.shareKey;
  }

  #refusal(): WorkbenchError | undefined {
    if (this.#removed) return this.failures.error("it is not in the configuration any more");
    if (this.#closing !== undefined) return workbenchError("WORKBENCH_CLOSED", {});
    const { disabled, unavailable } = this.settings;
    if (disabled) return this.failures.error("it is disabled in the configuration");
    if (unavailable !== undefined) return this.failures.error(unavailable);
    return this.failures.refusal();
  }

  /** Ends the least used connection if there are too many; says so if all are in use. */
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
        // Never two at once: some servers own what they work with.
        await this.#drop(connection);
        connection = this.#connection();
        await this.#open(connection, client);
      });
      // It may have ended while its list of tools was being read.
      if (connection.loss !== undefined) throw new Error(connection.loss[0]);
    } catch (error) {
      const stderr = connection.stderrTail();
      const startedAt = this.#startedAt.get(connection) ?? 0;
      const wasEnded = connection.closed && connection.loss === undefined;
      // Whoever waits is told now; a server that ignores signals may take its time to end.
      void this.#drop(connection);
      // One that was not wanted any more while it connected has not failed.
      if (!wasEnded) this.failures.failed(startedAt, shortReasonOf(error), codeOf(error));
      throw this.failures.describe(error, stderr);
    }
    this.#eras.set(client.era, connection.era);
    this.host.memory.learn(this, connection);
    const { place, channel, era } = connection;
    this.host.log.info("connected", { ...place, pid: channel.pid, era });
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
      await connection.attach(await openChannel(this.settings, this.host.guard, connection.input));
      await this.#recalled;
      connection.hello = await this.#eras.negotiate(connection, client, this.settings.protocol);
      connection.catalogue = await this.#listed(connection);
      if (connection.era === "modern")
        listenForChanges(connection, (news) => this.#notified(connection, news, undefined));
    });
  }

  /** What an earlier run found out about the server saves asking it. */
  async #recall(): Promise<void> {
    const known = await this.host.memory.recall(this);
    if (known !== undefined) this.#eras.recall(known.eras);
  }

  #lost(connection: Connection, reason: string, code: string | undefined): void {
    void this.#drop(connection);
    // A loss during the handshake is told by the attempt itself.
    const startedAt = this.#startedAt.get(connection) ?? 0;
    if (this.#forget(connection)) this.failures.failed(startedAt, reason, code);
  }

  /** Takes the connection out of use; true if it was in use. */
  #forget(connection: Connection): boolean {
    for (const [key, other] of this.#connections)
      if (other === connection) return this.#connections.delete(key);
    return false;
  }

  #notified(connection: Connection, news: IncomingNotification, about: Call | undefined): void {
    if (news.method === "notifications/tasks/status") connection.tasks.update(news.params);
    if (news.method === "notifications/tools/list_changed") this.#refresherOf(connection).request();
    else connection.clients.notify(this, news, about);
  }

  #requested(connection: Connection, request: IncomingRequest, about: Call | undefined): void {
    const question = new ServerRequest(request, connection);
    if (request.method === "ping") question.answer("{}");
    else connection.clients.request(question, about);
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
    // The settings may be others now than when the server was asked.
    return catalogueOf(listed, this.settings);
  }

  /** Lists the tools again; gives how long that took, without the time the server took. */
  async #relist(connection: Connection): Promise<number> {
    const slices = new Slices();
    try {
      const next = await this.#listed(connection, slices);
      if (next.fingerprint === connection.catalogue.fingerprint) return slices.spentMs;
      connection.catalogue = next;
      this.host.memory.learn(this, connection);
      for (const client of connection.clients) client.onToolsChanged(this, connection);
    } catch (error) {
      // The old list stays; the connection itself tells if it is gone.
      this.failures.noted(shortReasonOf(error), codeOf(error));
    }
    return slices.spentMs;
  }
}
