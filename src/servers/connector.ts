import { neededSignIn } from "../calls/sign-in-error.ts";
import { shortReasonOf } from "../errors.ts";
import type { ClientProfile } from "../protocol/client-profile.ts";
import { codeOf } from "../text/error-code.ts";
import type { ConnectedServer } from "./connection/connection-owner.ts";
import type { ConnectionPool } from "./connection-pool.ts";
import type { ConnectionRecord } from "./connection-record.ts";
import { within } from "./deadline.ts";
import { NegotiatedEras } from "./handshake/negotiated-eras.ts";
import { type ServerHello, approvedHello } from "./handshake/server-hello.ts";
import { incompletePackageIn, launcherIn } from "./launchers.ts";
import { prepareSignIn } from "./prepare-sign-in.ts";
import { limitStart, maxDownloadMs } from "./start-limit.ts";
import { openChannel } from "./transport/open-channel.ts";
import { Trials } from "./trials.ts";

/** How many lines of standard error are searched for a known problem. */
const HINT_LINES = 50;

/** How a server is started for a client. */
type Start = Pick<ConnectedServer, "settings" | "failures">;

/** Makes connections to one server: opens the channel, does the handshake and lists the tools. */
export class Connector {
  readonly eras = new NegotiatedEras();
  readonly #server: ConnectedServer;
  readonly #pool: ConnectionPool;
  /** Two downloads of the same package at the same time can damage each other. */
  readonly #trials = new Trials(() => this.launcher !== undefined);
  /** The attempts in progress. */
  readonly #starting = new Set<ConnectionRecord>();
  /** Those of which a check has shown that they wait for a download. */
  readonly #downloading = new Set<ConnectionRecord>();
  #erasLoaded: Promise<void> | undefined;

  constructor(server: ConnectedServer, pool: ConnectionPool) {
    this.#server = server;
    this.#pool = pool;
  }

  /** True while no more attempts should be made. */
  get isFull(): boolean {
    return this.#trials.isFull;
  }

  /** What starts the server and may have to download it first: `npx`, for example. */
  get launcher(): string | undefined {
    const { transport } = this.#server.settings;
    if (transport.kind !== "stdio") return undefined;
    return launcherIn([transport.command, ...transport.args])?.name;
  }

  /** Whether the server was being downloaded when it was last checked. */
  get isDownloading(): boolean {
    return this.#downloading.size > 0;
  }

  /** Checks whether the server is being downloaded; since when, if it is. */
  async downloadBegan(): Promise<number | undefined> {
    for (const record of this.#starting) if (!(await isRunning(record))) return record.startedAt;
    return undefined;
  }

  /** Resolves when another attempt may be possible. */
  turn(): Promise<void> {
    return this.#trials.turn();
  }

  /**
   * Makes a connection for this client, which the pool does not have in use yet. `start` says how the
   * server is started. `onHello` is called as soon as it has described itself.
   */
  connect(
    client: ClientProfile,
    start: Start,
    onHello: (hello: ServerHello) => void = () => {},
  ): Promise<ConnectionRecord> {
    const attempt = this.#connect(client, start, onHello);
    this.#trials.follow(attempt);
    return attempt;
  }

  /** The settings mean a different server now. */
  forget(): void {
    this.eras.clear();
    this.#erasLoaded = undefined;
  }

  async #connect(
    client: ClientProfile,
    { settings, failures }: Start,
    onHello: (hello: ServerHello) => void,
  ): Promise<ConnectionRecord> {
    const { host } = this.#server;
    const isOnce = this.#server.settings.placement === "one" && host.placing !== undefined;
    const isShared = client.shared !== undefined || isOnce;
    failures.tried();
    let record = this.#pool.create(isShared, failures);
    try {
      await this.#open(record, client, settings, onHello).catch(async (error: unknown) => {
        const wasLost = record.connection.loss !== undefined;
        if (!this.eras.shouldRetryWith(client.era, error, wasLost)) throw error;
        // Never two at once: some servers need exclusive access to their data.
        await this.#pool.drop(record);
        record = this.#pool.create(isShared, failures);
        await this.#open(record, client, settings, onHello);
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
      const described = failures.describe(error, stderr, this.#repairHint(connection));
      if (neededSignIn(described) !== undefined) failures.askedForSignIn();
      else if (!wasEnded) failures.failed(startedAt, shortReasonOf(error), codeOf(error));
      throw described;
    }
    const { place, channel, hello } = record.connection;
    const { era } = hello;
    this.eras.set(client.era, era);
    // What it shows when it is started differently may not apply to all clients.
    const usual = this.#server.settings;
    const isUsual = settings === usual || usual.unavailable !== undefined || isOnce;
    if (isUsual && record.connection.toolsProblem === undefined)
      host.memory.update(this.#server, record.connection);
    host.log.info("connected", { ...place, pid: channel.pid, era });
    return record;
  }

  async #open(
    record: ConnectionRecord,
    client: ClientProfile,
    start: ConnectedServer["settings"],
    onHello: (hello: ServerHello) => void,
  ): Promise<void> {
    const { connection, tools } = record;
    const { withSecrets } = this.#server.host;
    this.#starting.add(record);
    try {
      let settings = start;
      // Reading secrets has limits of its own, and so have the keychain and the refresh of a token.
      if (settings.secretTexts.length > 0) settings = await withSecrets(settings, "start");
      await prepareSignIn(this.#server);
      await this.#limited(record, async () => {
        this.#erasLoaded ??= this.#loadEras();
        await connection.attach(await openChannel(settings, this.#server, connection.input));
        this.#checkPlacement(record);
        await this.#erasLoaded;
        const { protocol } = this.#server.settings;
        const hello = await this.eras.negotiate(connection, client, protocol);
        const { pins } = this.#server.host;
        await pins?.load();
        connection.hello = approvedHello(hello, connection.place, pins?.current);
        onHello(connection.hello);
        await tools.readFirst();
        record.listenForChanges();
      });
    } finally {
      this.#starting.delete(record);
    }
  }

  /** A server has `timeouts.connectMs`, not counting the time of a package manager. */
  #limited(record: ConnectionRecord, work: () => Promise<void>): Promise<void> {
    const { settings, failures, host } = this.#server;
    const { connectMs } = settings.timeouts;
    const { launcher } = this;
    const silence = (): Error => failures.silence();
    if (launcher === undefined) return within(connectMs, silence, work);
    const downloadMs = maxDownloadMs(host.waitsForDownloads);
    const onChecked = (isDownloading: boolean): void => {
      if (isDownloading && !this.#downloading.has(record))
        host.log.debug(`${launcher} may be downloading it`, record.connection.place);
      if (isDownloading) this.#downloading.add(record);
      else this.#downloading.delete(record);
    };
    return limitStart(
      {
        connectMs,
        downloadMs,
        isRunning: () => isRunning(record),
        onChecked,
        silence,
        stuck: () => failures.stuckDownload(launcher, downloadMs),
      },
      work(),
    );
  }

  /** The right to run the server may have ended while it was started. */
  #checkPlacement({ connection }: ConnectionRecord): void {
    const { process } = connection.channel;
    if (process === undefined || this.#server.isHere !== false) return;
    process.kill();
    throw new Error("another replica may run it now");
  }

  /** An interrupted download can leave a package behind that npx considers complete. */
  #repairHint({ channel }: ConnectionRecord["connection"]): string | undefined {
    if (this.launcher === undefined) return undefined;
    const folder = incompletePackageIn(channel.stderrTail(HINT_LINES));
    return folder && `npx has an incomplete copy of it: delete ${folder} and try again`;
  }

  /** What an earlier run learned about the server saves asking it. */
  async #loadEras(): Promise<void> {
    const known = await this.#server.host.memory.load(this.#server);
    if (known !== undefined) this.eras.restore(known.eras);
  }
}

/** Whether the server of a connection runs; false before there is a process. */
async function isRunning({ connection }: ConnectionRecord): Promise<boolean> {
  return (await connection.channel.process?.isServerRunning()) ?? false;
}
