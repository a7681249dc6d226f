import { shortReasonOf } from "../errors.ts";
import type { ClientProfile } from "../protocol/client-profile.ts";
import { codeOf } from "../text/error-code.ts";
import type { ConnectedServer } from "./connection/connection-owner.ts";
import type { ConnectionPool } from "./connection-pool.ts";
import type { ConnectionRecord } from "./connection-record.ts";
import { within } from "./deadline.ts";
import { NegotiatedEras } from "./handshake/negotiated-eras.ts";
import { openChannel } from "./transport/open-channel.ts";
import { Trials } from "./trials.ts";

/** Makes connections to one server: opens the channel, does the handshake and lists the tools. */
export class Connector {
  readonly eras = new NegotiatedEras();
  readonly #server: ConnectedServer;
  readonly #pool: ConnectionPool;
  readonly #trials = new Trials();
  #recalled: Promise<void> | undefined;

  constructor(server: ConnectedServer, pool: ConnectionPool) {
    this.#server = server;
    this.#pool = pool;
  }

  /** True while no more attempts should be made. */
  get isFull(): boolean {
    return this.#trials.isFull;
  }

  /** Resolves when another attempt may be made. */
  turn(): Promise<void> {
    return this.#trials.turn();
  }

  /** Makes a connection for this client, which the pool does not have in use yet. */
  connect(client: ClientProfile): Promise<ConnectionRecord> {
    const attempt = this.#connect(client);
    this.#trials.follow(attempt);
    return attempt;
  }

  /** The settings mean a different server now. */
  forget(): void {
    this.eras.clear();
    this.#recalled = undefined;
  }

  async #connect(client: ClientProfile): Promise<ConnectionRecord> {
    const { failures, host } = this.#server;
    failures.tried();
    let record = this.#pool.create();
    try {
      await this.#open(record, client).catch(async (error: unknown) => {
        const wasLost = record.connection.loss !== undefined;
        if (!this.eras.shouldRetryWith(client.era, error, wasLost)) throw error;
        // Never two at once: some servers need exclusive access to their data.
        await this.#pool.drop(record);
        record = this.#pool.create();
        await this.#open(record, client);
      });
      // It may have ended while its tool list was being read.
      const { loss } = record.connection;
      if (loss !== undefined) throw new Error(loss[0]);
    } catch (error) {
      const { connection, startedAt } = record;
      const stderr = connection.stderrTail();
      const wasEnded = connection.closed && connection.loss === undefined;
      // Callers learn it now; a server that ignores signals may take its time to end.
      void this.#pool.drop(record);
      // A connection that was closed by the workbench while it was being made has not failed.
      if (!wasEnded) failures.failed(startedAt, shortReasonOf(error), codeOf(error));
      throw failures.describe(error, stderr);
    }
    const { place, channel, era } = record.connection;
    this.eras.set(client.era, era);
    host.memory.learn(this.#server, record.connection);
    host.log.info("connected", { ...place, pid: channel.pid, era });
    return record;
  }

  #open(record: ConnectionRecord, client: ClientProfile): Promise<void> {
    const { connection, tools } = record;
    const { settings, failures, host } = this.#server;
    const late = (): Error => failures.silence();
    return within(settings.timeouts.connectMs, late, async () => {
      this.#recalled ??= this.#recall();
      const { guard } = host;
      await connection.attach(await openChannel(this.#server.settings, guard, connection.input));
      await this.#recalled;
      const { protocol } = this.#server.settings;
      connection.hello = await this.eras.negotiate(connection, client, protocol);
      await tools.read();
      record.listenForChanges();
    });
  }

  /** What an earlier run learned about the server saves asking it. */
  async #recall(): Promise<void> {
    const known = await this.#server.host.memory.recall(this.#server);
    if (known !== undefined) this.eras.recall(known.eras);
  }
}
