import type { ServerSettings } from "../config/types.ts";
import { type WorkbenchError, workbenchError } from "../errors.ts";
import {
  type ClientProfile,
  type Eras,
  type ServerStart,
  commonProfile,
} from "../protocol/client-profile.ts";
import { CallStatistics } from "../calls/settle.ts";
import type { Connection } from "./connection/connection.ts";
import type { ConnectedServer } from "./connection/connection-owner.ts";
import { ConnectionPool } from "./connection-pool.ts";
import { Connector } from "./connector.ts";
import { atMost } from "./deadline.ts";
import type { ServerHello } from "./handshake/server-hello.ts";
import { type Host, quietHost } from "./host.ts";
import { ServerPlacement } from "./placement/server-placement.ts";
import { ServerFailures } from "./server-failures.ts";
import type { ServerAuthorization } from "./server-authorization.ts";
import type { ServerState } from "./server-state.ts";

/** So many ways to start a server are remembered if they fail. */
const MAX_STARTS = 100;

/**
 * One configured server of one toolbox. Connects on first use, once for all clients, and again
 * after a loss.
 */
export class Server implements ConnectedServer {
  /** Only `reconfigure` changes them. */
  settings: ServerSettings;
  readonly host: Host;
  readonly statistics = new CallStatistics();
  waitingForConnection = 0;
  /** Those of the usual start. */
  readonly failures: ServerFailures;
  /** Those of clients for which it is started differently. */
  readonly #startFailures = new Map<string, ServerFailures>();
  /** Its sign-in; undefined if it can have none, and before a connection may need it. */
  signIn: ServerAuthorization | undefined;
  /** The connections in use. */
  readonly connections = new ConnectionPool(this);
  readonly #connected: (connection: Connection) => void;
  readonly #connector = new Connector(this, this.connections);
  readonly #placement = new ServerPlacement(this, {
    stop: () => this.connections.processes.forEach((process) => process.kill()),
    onMoved: () => {
      this.#connector.forget();
      void this.connections.endAll();
    },
  });
  #closing: Promise<void> | undefined;
  #removed = false;

  constructor(
    settings: ServerSettings,
    host: Host = quietHost(),
    connected: (connection: Connection) => void = () => {},
  ) {
    this.settings = settings;
    this.host = host;
    this.failures = new ServerFailures(() => this.settings, host);
    this.#connected = connected;
  }

  get name(): string {
    return this.settings.name;
  }

  get place(): ConnectedServer["place"] {
    return { toolbox: this.settings.toolbox, server: this.name };
  }

  /** False if another replica runs it, or may start to. */
  get isHere(): boolean {
    return this.#placement.isHere;
  }

  get eras(): Eras {
    return this.#connector.eras.all;
  }

  get state(): ServerState {
    if (this.settings.disabled) return "disabled";
    if (this.#closing !== undefined) return "closing";
    const isConnected = this.connections.size > 0;
    const needed = this.signIn?.needed;
    // A lack of scope concerns only some calls of a connected server.
    if (needed && !(isConnected && needed.state === "needs-scope")) return "needs-auth";
    if (isConnected) return "ready";
    if (this.#connector.isDownloading) return "downloading";
    if (this.connections.isStarting) return "connecting";
    return this.failures.pausing ? "backoff" : "idle";
  }

  /**
   * Applies changed settings; `restart` if they mean another process or address. Changes to tools
   * take effect at once; the caller notifies the clients.
   */
  async reconfigure(settings: ServerSettings, restart: boolean): Promise<void> {
    this.settings = settings;
    if (!restart) {
      this.connections.applySettings();
      return;
    }
    this.#connector.forget();
    this.failures.forget();
    this.#startFailures.clear();
    this.signIn?.close();
    this.signIn = undefined;
    await this.#endAll();
  }

  /** The connection for this client, if there already is one. */
  ready(client: ClientProfile): Connection | undefined {
    return this.connections.get(this.#keyOf(client));
  }

  /**
   * Connects, or joins an attempt to. A server that has to be downloaded may take minutes; see
   * `unlessDownloading`.
   */
  connect(client: ClientProfile): Promise<Connection> {
    const known = this.connections.find(this.#keyOf(client));
    if (known !== undefined) return known;
    const refused = this.#refusal(client);
    if (refused !== undefined) return Promise.reject(refused);
    if (!this.#placement.isOnce) return this.#begin(client);
    return this.#placement.settle().then(() => this.#begin(client));
  }

  #begin(client: ClientProfile): Promise<Connection> {
    const key = this.#keyOf(client);
    const known = this.connections.find(key);
    if (known !== undefined) return known;
    const refused = this.#makeRoom(client);
    if (refused !== undefined) return Promise.reject(refused);
    return this.connections.follow(key, (onHello) => this.#start(client, key, onHello));
  }

  /** The server's description of itself, as soon as it has given it on a connection for this client. */
  async hello(client: ClientProfile): Promise<ServerHello> {
    // Starts an attempt if there is none; its failure is that of the handshake, or comes later.
    this.connect(client).catch(() => {});
    const key = this.#keyOf(client);
    return (await this.connections.helloOf(key)) ?? (await this.connect(client)).hello;
  }

  /**
   * Waits for an attempt to connect. If the server is still being downloaded after the time it has to
   * connect, the caller gets an error and the attempt continues.
   */
  async unlessDownloading<T>(attempt: Promise<T>): Promise<T> {
    const { launcher } = this.#connector;
    if (launcher === undefined || this.host.waitsForDownloads) return attempt;
    const done = attempt.then((value) => ({ value }));
    const settled = await atMost(this.settings.timeouts.connectMs, done);
    if (settled !== undefined) return settled.value;
    const began = await this.#connector.downloadBegan();
    if (began === undefined) return attempt;
    throw this.failures.stillDownloading(launcher, performance.now() - began);
  }

  /**
   * Connects separately from all clients, to see what the server has, and closes the connection
   * again.
   */
  async probe(
    client: ClientProfile,
    look: (connection: Connection) => Promise<void>,
  ): Promise<void> {
    const refused = this.#refusal(client);
    if (refused !== undefined) throw refused;
    if (this.#placement.isOnce) {
      await this.#placement.settle();
      // Never two at once.
      if (this.isHere) return look(await this.connect(client));
    }
    while (this.#connector.isFull) await this.#turn(client);
    const { failures } = this;
    const settings = this.#placement.startWith(this.settings);
    const record = await this.#connector.connect(client, { settings, failures });
    try {
      await look(record.connection);
    } finally {
      await this.connections.drop(record);
    }
  }

  /** Resolves when an announced or running listing has arrived; rejects if there is no list. */
  whenListed(connection: Connection): Promise<void> {
    return this.connections.whenListed(connection);
  }

  /**
   * Closes all connections permanently; `removed` if the server is no longer in the configuration.
   */
  close(removed = false): Promise<void> {
    this.#removed ||= removed;
    this.signIn?.close();
    this.#closing ??= this.#endAll();
    return this.#closing;
  }

  async #endAll(): Promise<void> {
    await this.connections.endAll();
    await this.#placement.end();
  }

  /** A modern server gets all it needs with each request, so one connection serves all clients. */
  #keyOf(client: ClientProfile): string {
    // The replica that runs it has to know which requests come from different clients.
    if (!this.isHere) return `elsewhere ${client.ownKey}`;
    if (this.settings.isolation === "session") return client.ownKey;
    const start = this.#startFor(client)?.key ?? "";
    if (this.#isForAll(client)) return `all${start}`;
    const isModern = this.#connector.eras.get(client.era) === "modern";
    return `${isModern ? "modern" : client.shareKey}${start}`;
  }

  #startFor(client: ClientProfile): ServerStart | undefined {
    return client.shared?.startOf(this.settings);
  }

  /** Whether the client uses a connection that also serves clients with other capabilities. */
  #isForAll({ shared }: ClientProfile): boolean {
    const isForAll = this.#placement.isOnce ? this.isHere : shared?.sharesAll === true;
    return isForAll && this.settings.isolation === "shared";
  }

  #refusal(client: ClientProfile): WorkbenchError | undefined {
    if (this.#removed) return this.failures.error("it is no longer in the configuration");
    if (this.#closing !== undefined) return workbenchError("WORKBENCH_CLOSED", {});
    const { disabled, unavailable, transport } = this.#startFor(client)?.settings ?? this.settings;
    const setting = transport.kind === "scripts" ? " (setting disabled or scripts.enabled)" : "";
    if (disabled) return this.failures.error(`it is disabled in the configuration${setting}`);
    if (unavailable !== undefined) return this.failures.error(unavailable);
    return this.#failuresFor(client).refusal();
  }

  /** What fails with the variables of one client may work with those of others. */
  #failuresFor(client: ClientProfile): ServerFailures {
    const start = this.#startFor(client);
    if (start === undefined) return this.failures;
    const known = this.#startFailures.get(start.key);
    if (known !== undefined) return known;
    const failures = new ServerFailures(() => this.settings, this.host);
    for (const key of this.#startFailures.keys())
      if (this.#startFailures.size >= MAX_STARTS) this.#startFailures.delete(key);
    this.#startFailures.set(start.key, failures);
    return failures;
  }

  /** With a connection for each client or its environment, the number of clients is the limit. */
  #makeRoom(client: ClientProfile): WorkbenchError | undefined {
    return this.#isOwn(client) ? undefined : this.connections.makeRoom();
  }

  /** Whether a connection is of no use when the clients that it was made for have left. */
  #isOwn(client: ClientProfile): boolean {
    return this.#isFixed || this.#startFor(client) !== undefined;
  }

  /** Whether what is learned during the handshake does not change who uses a connection. */
  get #isFixed(): boolean {
    return this.settings.isolation === "session" || !this.isHere;
  }

  async #start(
    client: ClientProfile,
    key: string,
    onHello: (hello: ServerHello) => void,
  ): Promise<Connection> {
    while (this.#connector.isFull) await this.#turn(client);
    const introduced = this.#isForAll(client) ? commonProfile(client) : client;
    const own = this.#startFor(client)?.settings ?? this.settings;
    const settings = this.#placement.startWith(own);
    const failures = this.#failuresFor(client);
    const [isOwn, isFixed] = [this.#isOwn(client), this.#isFixed];
    const record = await this.#connector.connect(introduced, { settings, failures }, onHello);
    this.connections.add(isFixed ? key : this.#keyOf(client), record, isOwn);
    this.#connected(record.connection);
    return record.connection;
  }

  async #turn(client: ClientProfile): Promise<void> {
    await this.#connector.turn();
    const refused = this.#refusal(client);
    if (refused !== undefined) throw refused;
  }
}
