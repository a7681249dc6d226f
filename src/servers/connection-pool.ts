import type { WorkbenchError } from "../errors.ts";
import type { Connection } from "./connection/connection.ts";
import type { ConnectedServer } from "./connection/connection-owner.ts";
import { type AskingServer, ClientTurns } from "../calls/client-turns.ts";
import { ConnectionRecord } from "./connection-record.ts";
import type { ServerHello } from "./handshake/server-hello.ts";
import { MAX_CONNECTIONS, MAX_LIVE_CONNECTIONS, crowded, leastUsed } from "./crowd.ts";
import type { ServerFailures } from "./server-failures.ts";
import { Catalogue } from "./tools/catalogue.ts";
import type { ServerProcess } from "./transport/channel.ts";

/** How much of a server's standard error is kept for its status. */
const STDERR_LINES = 20;

/** What is known of a server; if nothing else is said, from the connection that is or was in use last. */
export interface ObservedServer {
  /** The last lines of its standard error. */
  readonly stderrTail: readonly string[];
  /** What each of its processes wrote, also before it is ready and while it ends. */
  readonly outputs: readonly ProcessOutput[];
  /** How many tools it shows; undefined if that is not known. */
  readonly toolCount: number | undefined;
  /** What the configuration says about its tools that does not fit them. */
  readonly problems: readonly string[];
}

/** A process of a server. */
export interface ProcessOutput {
  readonly pid: number;
  /** The last lines of its standard error. */
  readonly stderrTail: readonly string[];
}

/** An attempt to connect. */
interface Attempt {
  readonly connection: Promise<Connection>;
  /** What the server says about itself, which it does before it is ready. */
  readonly hello: Promise<ServerHello>;
}

/** The connections of one server: one for each key, and no more of them than there may be. */
export class ConnectionPool {
  readonly #server: ConnectedServer;
  readonly #ready = new Map<string, ConnectionRecord>();
  readonly #starting = new Map<string, Attempt>();
  /** Every connection that may have a process, from before its handshake until it is closed. */
  readonly #live = new Map<Connection, ConnectionRecord>();
  /** Those that no other clients can use. */
  readonly #own = new WeakSet<Connection>();
  #asking: AskingServer | undefined;
  #stderrTail: readonly string[] = [];
  #toolCount: number | undefined;

  constructor(server: ConnectedServer) {
    this.#server = server;
  }

  /** How many connections are in use. */
  get size(): number {
    return this.#ready.size;
  }

  get isStarting(): boolean {
    return this.#starting.size > 0;
  }

  /** True while a caller waits for an answer, or for an attempt to connect if that counts. */
  isBusy(startsCount: boolean): boolean {
    if (startsCount && this.isStarting) return true;
    return [...this.values()].some(({ calls }) => calls.waiting > 0);
  }

  /** The processes of all connections. */
  get processes(): ServerProcess[] {
    return Array.from(this.#live.keys(), ({ channel }) => channel.process).filter(
      (process) => process !== undefined,
    );
  }

  get observed(): ObservedServer {
    const [connection] = this.values();
    return {
      stderrTail: connection?.stderrTail(STDERR_LINES) ?? this.#stderrTail,
      outputs: Array.from(this.#live.keys()).flatMap(outputOf),
      toolCount: connection === undefined ? this.#toolCount : toolCountOf(connection),
      problems: connection?.catalogue.problems ?? [],
    };
  }

  /** The connections in use. */
  *values(): Generator<Connection> {
    for (const { connection } of this.#ready.values()) yield connection;
  }

  get(key: string): Connection | undefined {
    return this.#ready.get(key)?.connection;
  }

  /** The connection with this key, once it is ready; undefined if there is none. */
  find(key: string): Promise<Connection> | undefined {
    const ready = this.get(key);
    return ready === undefined ? this.#starting.get(key)?.connection : Promise.resolve(ready);
  }

  /** How the server describes itself on the connection with this key, once it has. */
  helloOf(key: string): Promise<ServerHello> | undefined {
    const ready = this.get(key);
    return ready === undefined ? this.#starting.get(key)?.hello : Promise.resolve(ready.hello);
  }

  /** Starts an attempt to connect and keeps it for those who want the same connection. */
  follow(
    key: string,
    start: (onHello: (hello: ServerHello) => void) => Promise<Connection>,
  ): Promise<Connection> {
    let onHello = (_hello: ServerHello): void => {};
    const received = new Promise<ServerHello>((resolve) => (onHello = resolve));
    const connection = start(onHello).finally(() => this.#starting.delete(key));
    const hello = Promise.race([received, connection.then((ready) => ready.hello)]);
    hello.catch(() => {});
    this.#starting.set(key, { connection, hello });
    return connection;
  }

  /** A new connection, which is not in use yet; `isShared` if clients of a shared workbench use it. */
  create(isShared: boolean, failures: ServerFailures): ConnectionRecord {
    const record: ConnectionRecord = new ConnectionRecord(this.#server, failures, (reason, code) =>
      this.#onLost(record, reason, code),
    );
    const { calls } = record.connection;
    if (isShared) calls.turns = new ClientTurns(calls, this.#askingServer());
    this.#live.set(record.connection, record);
    failures.started(record.startedAt);
    return record;
  }

  /** Puts a connection to use, until it is no longer used; `isOwn` if it ends with its clients. */
  add(key: string, record: ConnectionRecord, isOwn = false): void {
    this.#ready.set(key, record);
    if (isOwn) this.#own.add(record.connection);
    record.startIdleTimer(() => {
      this.#server.host.log.info("closing an idle server", record.connection.place);
      void this.end(record.connection);
    });
  }

  /** Ends the least used connection if there are too many; the error if all are in use. */
  makeRoom(): WorkbenchError | undefined {
    if (this.#ready.size + this.#starting.size < MAX_CONNECTIONS) return undefined;
    const isOver = this.#live.size >= MAX_LIVE_CONNECTIONS;
    const spare = isOver ? undefined : leastUsed(this.values());
    if (spare === undefined) return crowded(this.#server.place);
    void this.end(spare);
    return undefined;
  }

  /** Resolves when the tools of the connection are listed; rejects if they cannot be. */
  async whenListed(connection: Connection): Promise<void> {
    const tools = this.#live.get(connection)?.tools;
    await tools?.settled;
    await tools?.ensureListed();
  }

  /** Shows the tools as the settings of the server want them now. */
  applySettings(): void {
    for (const { tools } of this.#ready.values()) tools.applySettings();
  }

  /** The user has signed in: servers may list other tools than before. */
  onSignedIn(): void {
    for (const { tools } of this.#ready.values()) tools.refresh();
  }

  /** A client has left: ends a connection that was its own or is no longer needed. */
  async onClientLeft(connection: Connection, wanted: boolean): Promise<void> {
    const { isolation } = this.#server.settings;
    const isOwn = isolation === "session" || this.#own.has(connection);
    if (connection.clients.size > 0 || (wanted && !isOwn)) return;
    // A modern client has a connection only during its calls.
    if (isolation !== "session" && wanted && connection.isBusy) return;
    await this.end(connection);
  }

  /** Takes a connection out of use and ends it. */
  async end(connection: Connection): Promise<void> {
    this.#remove(connection);
    const record = this.#live.get(connection);
    if (record !== undefined) await this.drop(record);
  }

  /** Closes all connections; the server may be connected again afterwards. */
  async endAll(): Promise<void> {
    this.#ready.clear();
    await Promise.all(Array.from(this.#live.values(), (record) => this.drop(record)));
  }

  /** Ends a connection that is not in use. */
  async drop(record: ConnectionRecord): Promise<void> {
    const { connection } = record;
    this.#stderrTail = connection.stderrTail(STDERR_LINES);
    if (connection.catalogue !== Catalogue.EMPTY) this.#toolCount = toolCountOf(connection);
    await record.close();
    this.#live.delete(connection);
  }

  #askingServer(): AskingServer {
    const isStdio = this.#server.settings.transport.kind === "stdio";
    this.#asking ??= { asksDuringCalls: false, ...(isStdio && { quiet: new Set() }) };
    return this.#asking;
  }

  #onLost(record: ConnectionRecord, reason: string, code: string | undefined): void {
    void this.drop(record);
    // A loss during the handshake is reported by the attempt to connect.
    if (this.#remove(record.connection)) record.failures.failed(record.startedAt, reason, code);
  }

  /** Takes a connection out of use; true if it was in use. */
  #remove(connection: Connection): boolean {
    for (const [key, record] of this.#ready)
      if (record.connection === connection) return this.#ready.delete(key);
    return false;
  }
}

function outputOf(connection: Connection): ProcessOutput[] {
  const { pid } = connection.channel;
  return pid === undefined ? [] : [{ pid, stderrTail: connection.stderrTail(STDERR_LINES) }];
}

function toolCountOf({ toolsProblem, catalogue }: Connection): number | undefined {
  return toolsProblem === undefined ? catalogue.tools.size : undefined;
}
