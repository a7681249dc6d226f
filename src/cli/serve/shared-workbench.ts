import type { Socket } from "node:net";

import type { FoundConfig } from "../../config/load.ts";
import type { WorkbenchSettings } from "../../config/types.ts";
import type { Hello, SessionHello, Welcome } from "../../serve/shared/hello.ts";
import { type Launch, mayNeedMore } from "../../serve/shared/launch.ts";
import { KnownLaunches, settingsFor } from "../../serve/shared/launch-starts.ts";
import { hashOf } from "../../serve/shared/proof.ts";
import { type Rendezvous, type SharedRecord, removeRecord } from "../../serve/shared/rendezvous.ts";
import { SharedServer } from "../../serve/shared/shared-server.ts";
import { SharedSessions } from "../../serve/shared/shared-sessions.ts";
import { followConfig } from "../../workbench/reload.ts";
import { Workbench } from "../../workbench/workbench.ts";
import { endSignal } from "./end-signal.ts";
import { serveMetrics } from "./serve-metrics.ts";
import { viewOf } from "./view.ts";

/** How long clients have to read their last answers. */
const FLUSH_MS = 2000;
const FIRST_CLIENT_MS = 30_000;
const RETRY: Welcome = { ok: false, reason: "it is ending", retry: true };
/** Only one of them wants to be asked before a change of the file is applied. */
const OTHER_TRUST: Welcome = {
  ok: false,
  reason:
    "it uses the configuration with --config, or because of its folder, and this client does not",
  retry: false,
};

type Dashboards = InstanceType<
  (typeof import("../../dashboard/loopback-dashboard.ts"))["LoopbackDashboard"]
>;

interface SharedOptions {
  /** How it was started itself. */
  readonly launch: Launch;
  readonly place: Rendezvous;
  /** Where its metrics are served, if anywhere. */
  readonly metrics: string | undefined;
}

/** A workbench and the clients that share it. */
export class SharedWorkbench {
  readonly #place: Rendezvous;
  readonly #fromCurrentFolder: boolean;
  readonly #metrics: string | undefined;
  readonly #workbench: Workbench;
  readonly #sessions: SharedSessions;
  readonly #launches: KnownLaunches;
  readonly #follower: { refresh(): Promise<void>; stop(): void };
  #dashboard: Dashboards | undefined;
  #server: SharedServer | undefined;
  #record: SharedRecord | undefined;
  /** Set when no more clients are accepted. */
  #isLeaving = false;
  #idleTimer: NodeJS.Timeout | undefined;
  /** The client that started it needs a moment to connect. */
  #graceMs = FIRST_CLIENT_MS;
  #end: () => void = () => {};
  readonly #ended = new Promise<void>((resolve) => (this.#end = resolve));

  constructor(config: FoundConfig, settings: WorkbenchSettings, options: SharedOptions) {
    const { launch, place, metrics } = options;
    this.#place = place;
    this.#fromCurrentFolder = config.fromCurrentFolder;
    this.#metrics = metrics;
    const own = settingsFor(settings, launch);
    this.#workbench = new Workbench(own, { recordsMetrics: metrics !== undefined });
    const { host } = this.#workbench;
    for (const warning of settings.warnings) host.log.warn(warning);
    this.#launches = new KnownLaunches(
      { file: config.file, text: config.text, settings: own },
      host.redactValues,
    );
    this.#sessions = new SharedSessions(this.#workbench, {
      viewOf: (toolbox, server) => viewOf(this.#workbench, toolbox, server),
      onLeft: () => this.#onLeft(),
    });
    let needsMore = false;
    this.#follower = followConfig(this.#workbench, config, {
      complete: async (next, text) => {
        const applied = settingsFor(next, launch);
        needsMore = mayNeedMore(this.#launches.config.text, text);
        await this.#launches.update({ file: config.file, text, settings: applied });
        this.#sessions.endUnshareable();
        return applied;
      },
      onApplied: () => {
        // Clients connect again, to this process, with all the variables that are needed now.
        if (needsMore) this.#sessions.reconnect(place.key);
      },
    });
  }

  /** Get every line of its log. */
  get logLines(): Set<(line: string) => void> {
    return this.#workbench.host.log.readers;
  }

  async listen(record: SharedRecord): Promise<void> {
    this.#record = record;
    this.#server = new SharedServer(record, (hello, socket) => this.#onHello(hello, socket));
    await this.#server.listen();
  }

  /** Accepts no more clients; those that are connected stay. */
  stopListening(): void {
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    this.#server?.close();
    if (this.#record !== undefined) removeRecord(this.#place, this.#record);
  }

  /** A newer version takes over: clients move when they have their answers. */
  drain(to: string): void {
    this.stopListening();
    this.#sessions.passOn(to);
    this.#onLeft();
  }

  /** Serves until no client needs it, or until it is stopped. */
  async run(): Promise<void> {
    const signalled = endSignal(this.#workbench);
    const { openLinkChannel, presenceFolder, publishPresence, statusOf } =
      await import("./presence-bundle.ts");
    const view = { scope: this.#workbench.toolboxes };
    const links = openLinkChannel(presenceFolder(), () => this.#dashboardLink(view));
    const status = (): ReturnType<typeof statusOf> => ({
      ...statusOf(this.#workbench, view, this.#sessions.size),
      shared: true,
    });
    const leave = publishPresence(this.#workbench, status, links);
    if (this.#metrics !== undefined) void serveMetrics(this.#workbench, this.#metrics);
    this.#onLeft();
    await Promise.race([this.#ended, signalled]);
    this.stopListening();
    this.#sessions.announceStop();
    this.#follower.stop();
    this.#dashboard?.close();
    leave();
    await this.#workbench.shutDown();
    await this.#sessions.end(FLUSH_MS);
  }

  async #onHello(hello: Hello, socket: Socket): Promise<Welcome> {
    if (hello.op === "session") return this.#onSession(hello, socket);
    if (hello.op === "drain") this.drain(hello.to);
    else if (hello.op === "stop") this.#end();
    else {
      const discovery = await this.#workbench.discovery();
      await discovery.probeUnknown(this.#workbench.toolboxes);
      await this.#workbench.catalogues.flush();
    }
    socket.write('{"ok":true}\n');
    // The one who asks for the end sees it when the connection closes.
    if (hello.op !== "stop") socket.end();
    return { ok: true };
  }

  async #onSession(hello: SessionHello, socket: Socket): Promise<Welcome> {
    if (this.#isLeaving) return RETRY;
    const { fromCurrentFolder = this.#fromCurrentFolder } = hello;
    if (fromCurrentFolder !== this.#fromCurrentFolder) return OTHER_TRUST;
    clearTimeout(this.#idleTimer);
    this.#graceMs = 0;
    try {
      const { text } = this.#launches.config;
      // The client has read a file that was changed a moment ago.
      if (hello.config !== hashOf(text)) await this.#follower.refresh();
      const starts = await this.#launches.startsOf(hello.launch);
      return this.#isLeaving ? RETRY : this.#sessions.open(hello, starts, socket);
    } finally {
      this.#onLeft();
    }
  }

  /** Pages keep it running, as clients do. */
  async #dashboardLink(view: { readonly scope: Workbench["toolboxes"] }): Promise<string> {
    const { LoopbackDashboard } = await import("../../dashboard/loopback-dashboard.ts");
    this.#dashboard ??= new LoopbackDashboard(
      { workbench: this.#workbench, view, sessions: () => this.#sessions.size, isShared: true },
      () => this.#onLeft(),
    );
    clearTimeout(this.#idleTimer);
    return this.#dashboard.newLink();
  }

  #onLeft(): void {
    clearTimeout(this.#idleTimer);
    void this.#launches.keepOnly(this.#sessions.starts);
    if (this.#sessions.size > 0) return;
    if (this.#dashboard?.isUsed === true && !this.#isLeaving) return;
    const { idleMs } = this.#workbench.settings.shared;
    if (this.#isLeaving) this.#end();
    else if (idleMs > 0) this.#idleTimer = setTimeout(this.#end, Math.max(idleMs, this.#graceMs));
  }
}
