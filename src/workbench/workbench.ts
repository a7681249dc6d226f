import { diffSettings, waitForNextStart } from "../config/diff.ts";
import type { WorkbenchSettings } from "../config/types.ts";
import type { ClientSession, Step } from "../calls/call.ts";
import type { Connection } from "../servers/connection/connection.ts";
import type { ServerProcess } from "../servers/transport/channel.ts";
import type { Server } from "../servers/server.ts";
import { Toolbox } from "../toolboxes/toolbox.ts";
import { CallPipeline } from "./call-pipeline.ts";
import type { Catalogues } from "./catalogue/catalogues.ts";
import type { Discovery } from "./discovery/discovery.ts";
import { Readers } from "./readers.ts";
import { type Scope, Scopes, serversIn } from "./scopes.ts";
import { ServerLists } from "./server-lists.ts";
import { isBusy, restartServer, stopWhenIdle } from "./shutdown.ts";
import { type HostOptions, WorkbenchHost } from "./workbench-host.ts";

/** Surfaces that show the toolboxes to clients, and have to know when they change. */
export interface WorkbenchWatcher {
  onConnected?(server: Server, connection: Connection): void;
  /** What is known of a server has changed. */
  onLearned?(): void;
  onSessionStarted?(session: ClientSession): void;
  onSessionEnded?(session: ClientSession): void;
  /** The configuration is about to change what clients see. */
  onSurfaceChanging?(): void;
  /** The configuration changed, or servers were replaced and may offer something else. */
  onSurfaceChanged?(): void;
}

/** How long a new client has the workbench to itself. */
const FIRST_TASKS_MS = 1000;
const DRAIN_POLL_MS = 20;

export interface WorkbenchOptions extends HostOptions {
  /** False keeps the catalogues of servers in memory only. */
  readonly cache?: boolean;
  /**
   * True for commands, which end their servers when they end: callers wait for a server that is
   * being downloaded, instead of being asked to try again.
   */
  readonly waitsForDownloads?: boolean;
  /** Whether calls are recorded in the audit log if the configuration does not say. */
  readonly auditsByDefault?: boolean;
  /** Whether calls are measured, because metrics may be read. */
  readonly recordsMetrics?: boolean;
  /** Steps that every call of a client passes before those of the configuration, in this order. */
  readonly steps?: readonly Step[];
}

/** Owns the toolboxes and everything that runs in them. */
export class Workbench {
  readonly startedAt = Date.now();
  readonly pipeline: CallPipeline;
  readonly lists = new ServerLists();
  readonly watchers = new Set<WorkbenchWatcher>();
  readonly host: WorkbenchHost;
  readonly catalogues: Catalogues;
  readonly readers = new Readers((paused) => {
    for (const process of this.#processes()) process.pauseReading(paused);
  });
  /** What is wrong with the current configuration file, if it is not in effect. */
  configProblem: string | undefined;
  closing = false;
  readonly #toolboxes = new Map<string, Toolbox>();
  /** The toolboxes that clients may use; updated when the configuration changes. */
  readonly scopes: Scopes;
  #settings: WorkbenchSettings;
  /** By what their clients may see in all. */
  readonly #discoveries = new WeakMap<Scope, Promise<Discovery>>();
  /** The scopes whose servers are visited in the background. */
  readonly #visited = new WeakSet<Scope>();

  constructor(
    settings: WorkbenchSettings,
    {
      cache = true,
      steps = [],
      auditsByDefault,
      recordsMetrics,
      ...options
    }: WorkbenchOptions = {},
  ) {
    this.#settings = settings;
    this.host = new WorkbenchHost(settings, cache, {
      ...options,
      onPinsChanged: () => this.#onPinsChanged(),
      onLearned: () => {
        for (const watcher of this.watchers) watcher.onLearned?.();
      },
      openScripts: (folder, events, onProblem) =>
        this.pipeline.scripts.openSaved(folder, () => this.#settings.scripts, events, onProblem),
    });
    this.pipeline = new CallPipeline(this, steps, { auditsByDefault, recordsMetrics });
    this.scopes = new Scopes(this.#toolboxes, this.pipeline);
    this.pipeline.configure(settings);
    this.pipeline.preparing?.then(
      () => this.scopes.update(),
      () => {},
    );
    this.catalogues = this.host.memory;
    for (const box of settings.toolboxes.values()) this.#add(box.name);
  }

  get settings(): WorkbenchSettings {
    return this.#settings;
  }

  get toolboxes(): ReadonlyMap<string, Toolbox> {
    return this.#toolboxes;
  }

  /**
   * Search and its index, loaded when first used. Clients that may see only some servers have their
   * own: what others use must not have an influence on the order of what they find.
   */
  discovery(scope: Scope = this.#toolboxes): Promise<Discovery> {
    const toolboxes = this.scopes.limitOf(scope);
    const known = this.#discoveries.get(toolboxes);
    if (known !== undefined) return known;
    const created = import("./discovery/discovery.ts").then(
      ({ Discovery }) => new Discovery(this, toolboxes),
    );
    this.#discoveries.set(toolboxes, created);
    return created;
  }

  /** A client with this scope has finished its handshake: background work may start. */
  onClient(scope: Scope): void {
    this.pipeline.results.onClient();
    if (this.#settings.discovery !== "eager" || this.#visited.has(scope)) return;
    this.#visited.add(scope);
    setTimeout(() => {
      if (!this.closing) void this.discovery().then((discovery) => discovery.probeUnknown(scope));
    }, FIRST_TASKS_MS).unref();
  }

  /**
   * Applies a changed configuration. Unchanged servers keep running, with their calls; clients are
   * notified once if what they see changed.
   */
  async apply(next: WorkbenchSettings): Promise<void> {
    // What a new policy hides must be known at once. If it cannot be loaded, clients see nothing.
    await this.pipeline.prepareFor(next);
    const before = this.#settings;
    const diff = diffSettings(before, next);
    const removed = new Map(this.#toolboxes);
    const restart = new Set(diff.restart);
    const work: Promise<void>[] = [];
    const isSeen = diff.surfaceChanged || restart.size > 0;
    if (isSeen) for (const watcher of this.watchers) watcher.onSurfaceChanging?.();
    this.host.configure(next);
    this.#settings = next;
    this.pipeline.configure(next);
    this.#toolboxes.clear();
    for (const box of next.toolboxes.values()) {
      const known = removed.get(box.name);
      removed.delete(box.name);
      if (known === undefined) this.#add(box.name);
      else {
        this.#toolboxes.set(box.name, known);
        work.push(known.reconfigure(box, restart));
      }
    }
    for (const toolbox of removed.values()) work.push(toolbox.close(true));
    if (next.pins !== before.pins) work.push(this.#reviewDefinitions());
    this.scopes.update();
    this.host.log.info("configuration applied", {
      added: diff.added.join(" "),
      removed: diff.removed.join(" "),
      changed: diff.changed.join(" "),
    });
    if (next.toolMode !== before.toolMode)
      this.host.log.warn(
        `toolMode "${next.toolMode}" takes effect for clients that connect from now on; those with a session keep "${before.toolMode}"`,
      );
    for (const what of waitForNextStart(before, next))
      this.host.log.warn(`${what}, which takes effect with the next start`);
    await Promise.all(work);
    if (isSeen) for (const watcher of this.watchers) watcher.onSurfaceChanged?.();
  }

  /** Restarts running servers whose secrets have changed. */
  async renewSecrets(): Promise<void> {
    const servers = this.#servers();
    for (const { failures } of servers)
      if (failures.lastErrorCode === "secretUnavailable") failures.forget();
    // A client whose secret was refused may have a different one now.
    const isRefused = ({ failures }: Server): boolean => failures.lastErrorCode === "signInRefused";
    const affected = servers.filter((server) => server.connections.size > 0 || isRefused(server));
    await Promise.all(
      affected.map(async (server) => {
        const { settings } = server;
        const hasChanged = isRefused(server) || (await this.host.haveSecretsChanged(settings));
        // It may have been changed or closed in the meantime.
        if (!hasChanged || settings !== server.settings || this.closing) return;
        this.host.log.info("its secrets have changed", server.place);
        await restartServer(this, server);
      }),
    );
  }

  /** Kills every server without waiting, and records what happened until now. */
  kill(): void {
    this.pipeline.audit.end();
    this.pipeline.results.close();
    for (const process of this.#processes()) process.kill();
  }

  /** Resolves when every call has its answer or its time is over. */
  async drained(): Promise<void> {
    const begin = performance.now();
    const servers = this.#servers();
    const waitsFor = (server: Server): boolean =>
      isBusy(server) && performance.now() - begin < server.settings.timeouts.shutdownMs;
    while (servers.some(waitsFor))
      await new Promise((resolve) => setTimeout(resolve, DRAIN_POLL_MS));
  }

  /** Stops every server when its calls are answered or their time is over. */
  async shutDown(): Promise<void> {
    await Promise.all(this.#servers().map(stopWhenIdle));
    await Promise.all(this.pipeline.unfinished);
    await this.close();
  }

  /** Stops every server at once, without waiting for answers. */
  async close(): Promise<void> {
    this.closing = true;
    const hostClosed = this.host.close();
    this.pipeline.results.close();
    this.pipeline.scripts.close();
    const closed = Array.from(this.#toolboxes.values(), (toolbox) => toolbox.close());
    await Promise.all([...closed, this.catalogues.flush(), hostClosed]);
    await this.pipeline.observers.close();
  }

  /** The user has approved or withdrawn definitions: clients see other tools. */
  #onPinsChanged(): void {
    if (this.closing) return;
    for (const watcher of this.watchers) watcher.onSurfaceChanging?.();
    void this.#reviewDefinitions().then(() => {
      for (const watcher of this.watchers) watcher.onSurfaceChanged?.();
      if (this.host.pins.current?.isEnforced) this.#announceLists();
    });
  }

  /** Prompts and templates are read when a client lists them, so it is not known whether they differ. */
  #announceLists(): void {
    for (const server of this.#servers())
      for (const { clients, hello } of server.connections.values())
        for (const list of ["prompts", "resources"])
          if (list in hello.capabilities)
            clients.notify(
              server,
              { method: `notifications/${list}/list_changed`, params: {} },
              undefined,
            );
  }

  async #reviewDefinitions(): Promise<void> {
    await this.host.pins.load();
    for (const { connections } of this.#servers()) connections.applySettings();
  }

  /** All servers, also those of single users. */
  #servers(): Server[] {
    const personal = [...this.#toolboxes.values()].flatMap((toolbox) =>
      Array.from(toolbox.personal.values(), ({ server }) => server),
    );
    return [...serversIn(this.#toolboxes), ...personal];
  }

  #processes(): ServerProcess[] {
    return this.#servers().flatMap(({ connections }) => connections.processes);
  }

  #add(name: string): void {
    const settings = this.#settings.toolboxes.get(name);
    if (settings === undefined) return;
    const connected = (server: Server, connection: Connection): void => {
      for (const watcher of this.watchers) watcher.onConnected?.(server, connection);
    };
    this.#toolboxes.set(name, new Toolbox(settings, this.host, connected));
  }
}
