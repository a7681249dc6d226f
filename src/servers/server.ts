import type { ServerSettings } from "../config/types.ts";
import { type WorkbenchError, isWorkbenchError, reasonOf, workbenchError } from "../errors.ts";
import type { ClientProfile } from "../relay/client-profile.ts";
import type { IncomingNotification, IncomingRequest } from "../wire/messages.ts";
import { askAll } from "./ask.ts";
import { Catalogue } from "./catalogue.ts";
import { Connection } from "./connection.ts";
import { initialize } from "./handshake.ts";
import { RestartPolicy } from "./restart-policy.ts";
import { openStdioChannel } from "./stdio-channel.ts";
import { type ToolFilter, toolFilter } from "./tool-filter.ts";

export type ServerState = "idle" | "connecting" | "ready" | "backoff" | "closing" | "disabled";

export interface ServerEvents {
  /** The visible tools of a connection are no longer what they were. */
  toolsChanged(server: Server, connection: Connection): void;
  notified(server: Server, connection: Connection, notification: IncomingNotification): void;
  requested(server: Server, connection: Connection, request: IncomingRequest): void;
}

const REFRESH_DEBOUNCE_MS = 300;

/**
 * One configured server of one toolbox. Connects when it is first needed, once however many ask at
 * the same time, and again after it was lost. Clients with different capabilities get connections
 * of their own, because a server hears about its client only once.
 */
export class Server {
  readonly settings: ServerSettings;
  readonly #events: ServerEvents;
  readonly #visible: ToolFilter;
  readonly #connections = new Map<string, Connection>();
  readonly #connecting = new Map<string, Promise<Connection>>();
  /** Every connection that may hold a process, from before its handshake until it is closed. */
  readonly #live = new Set<Connection>();
  readonly #refreshing = new Map<Connection, Promise<void>>();
  readonly #policy = new RestartPolicy();
  #lastError: string | undefined;
  #closing: Promise<void> | undefined;

  constructor(settings: ServerSettings, events: ServerEvents) {
    this.settings = settings;
    this.#events = events;
    this.#visible = toolFilter(settings.toolFilters);
  }

  get name(): string {
    return this.settings.name;
  }

  get state(): ServerState {
    if (this.settings.disabled) return "disabled";
    if (this.#closing !== undefined) return "closing";
    if (this.#connections.size > 0) return "ready";
    if (this.#connecting.size > 0) return "connecting";
    return this.#policy.waitMs(performance.now()) > 0 ? "backoff" : "idle";
  }

  get lastError(): string | undefined {
    return this.#lastError;
  }

  get connections(): ReadonlyMap<string, Connection> {
    return this.#connections;
  }

  /** The connection for this client if there is one already. */
  ready(client: ClientProfile): Connection | undefined {
    return this.#connections.get(client.key);
  }

  connect(client: ClientProfile): Promise<Connection> {
    const ready = this.#connections.get(client.key);
    if (ready !== undefined) return Promise.resolve(ready);
    const running = this.#connecting.get(client.key);
    if (running !== undefined) return running;
    const refused = this.#refusal();
    if (refused !== undefined) return Promise.reject(refused);
    const attempt = this.#start(client).finally(() => this.#connecting.delete(client.key));
    this.#connecting.set(client.key, attempt);
    return attempt;
  }

  /** Resolves when a listing that was announced or is under way has arrived. */
  async refreshed(connection: Connection): Promise<void> {
    await this.#refreshing.get(connection);
  }

  /** Ends all connections; the server may be connected again afterwards. */
  async disconnect(): Promise<void> {
    this.#connections.clear();
    await Promise.all(Array.from(this.#live, (connection) => this.#drop(connection)));
  }

  /** Ends all connections for good. */
  close(): Promise<void> {
    this.#closing ??= this.disconnect();
    return this.#closing;
  }

  #refusal(): WorkbenchError | undefined {
    if (this.#closing !== undefined) return workbenchError("WORKBENCH_CLOSED", {});
    if (this.settings.disabled) return this.#failure("it is disabled in the configuration");
    if (this.settings.unavailable !== undefined) return this.#failure(this.settings.unavailable);
    const wait = this.#policy.waitMs(performance.now());
    if (wait === 0) return undefined;
    const seconds = Math.ceil(wait / 100) / 10;
    return this.#failure(
      `${this.#lastError ?? "it failed"}. It failed ${this.#policy.failures} times; next try in ${seconds} s`,
    );
  }

  async #start(client: ClientProfile): Promise<Connection> {
    const connection: Connection = new Connection(this.settings, {
      notified: (notification) => this.#notified(connection, notification),
      requested: (request) => this.#events.requested(this, connection, request),
      lost: (reason) => this.#lost(client, connection, reason),
    });
    this.#live.add(connection);
    this.#policy.started(performance.now());
    try {
      await this.#deadline(this.#open(connection, client));
    } catch (error) {
      const stderr = connection.stderrTail();
      await this.#drop(connection);
      const failure = this.#describe(error, stderr);
      this.#lastError = reasonOf(error);
      this.#policy.failed(performance.now());
      throw failure;
    }
    this.#connections.set(client.key, connection);
    return connection;
  }

  async #drop(connection: Connection): Promise<void> {
    await connection.close();
    this.#live.delete(connection);
  }

  async #open(connection: Connection, client: ClientProfile): Promise<void> {
    const { transport } = this.settings;
    if (transport.kind !== "stdio") throw new Error("servers with a url are not supported yet");
    await connection.attach(await openStdioChannel(this.settings, transport, connection));
    connection.greeting = await initialize(connection, client);
    connection.catalogue = await this.#list(connection);
  }

  async #list(connection: Connection): Promise<Catalogue> {
    const hasTools = connection.greeting.capabilities["tools"] !== undefined;
    const listed = hasTools ? await askAll(connection, "tools/list", "tools") : [];
    return new Catalogue(listed, this.#visible);
  }

  async #deadline<T>(work: Promise<T>): Promise<T> {
    const { connectMs } = this.settings.timeouts;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const reason = `connection timeout: no answer within ${connectMs} ms`;
      timer = setTimeout(() => reject(new Error(reason)), connectMs);
    });
    try {
      return await Promise.race([work, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  #lost(client: ClientProfile, connection: Connection, reason: string): void {
    this.#lastError = reason;
    void this.#drop(connection);
    if (this.#connections.get(client.key) !== connection) return;
    this.#connections.delete(client.key);
    this.#policy.failed(performance.now());
  }

  #notified(connection: Connection, notification: IncomingNotification): void {
    if (notification.method === "notifications/tools/list_changed") this.#refresh(connection);
    else this.#events.notified(this, connection, notification);
  }

  /**
   * Waits a little, lists once, and tells only if something changed. A change announced while the
   * listing runs starts one more; further ones are covered by that.
   */
  #refresh(connection: Connection): void {
    if (connection.catalogue === undefined) return;
    const running = this.#refreshing.get(connection);
    if (running !== undefined) {
      this.#again.add(connection);
      return;
    }
    const work = this.#relist(connection).finally(() => {
      this.#refreshing.delete(connection);
      if (this.#again.delete(connection) && !connection.closed) this.#refresh(connection);
    });
    this.#refreshing.set(connection, work);
  }

  readonly #again = new Set<Connection>();

  async #relist(connection: Connection): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, REFRESH_DEBOUNCE_MS));
    this.#again.delete(connection);
    try {
      const next = await this.#list(connection);
      if (next.fingerprint === connection.catalogue.fingerprint) return;
      connection.catalogue = next;
      this.#events.toolsChanged(this, connection);
    } catch (error) {
      // The old list stays; the connection itself tells if it is gone.
      this.#lastError = reasonOf(error);
    }
  }

  #describe(error: unknown, stderr: readonly string[]): WorkbenchError {
    if (isWorkbenchError(error) && error.code === "CONNECTION_FAILED") return error;
    const reason = reasonOf(error);
    const known = stderr.length === 0 || reason.includes(stderr[stderr.length - 1] as string);
    return this.#failure(known ? reason : `${reason}. Its last output: ${stderr.join(" | ")}`);
  }

  #failure(reason: string): WorkbenchError {
    const { toolbox, name } = this.settings;
    return workbenchError("CONNECTION_FAILED", { toolbox, server: name, reason });
  }
}
