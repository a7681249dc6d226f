import { approvalsFile } from "../../access/approvals/approvals-file.ts";
import { watchApprovals } from "../../access/approvals/manage-approvals.ts";
import { stateFile } from "../../access/shared-files.ts";
import { thisMachine } from "../../config/directories.ts";
import { serversOf } from "../../serve/client-view.ts";
import type { Catalogue } from "../../servers/tools/catalogue.ts";
import type { Server } from "../../servers/server.ts";
import { summaryOf } from "../api/servers.ts";
import type { DashboardContext } from "../context.ts";
import type { DashboardEvent, LiveCall, Topic } from "../contract.ts";
import { FileTopics } from "./file-topics.ts";
import { parseLogLine } from "./log-lines.ts";
import { ServerChanges } from "./server-changes.ts";
import type { UiStream } from "./ui-stream.ts";
import { Watching } from "./watching.ts";

/** Four times a second is fluent for people. */
const TICK_MS = 250;
/** How many ticks pass between looks at files and tools, and between keep-alives. */
const SLOW_TICKS = 4;
const PING_TICKS = 60;
/** Shorter than the time for which other processes take it for granted that a person watches. */
const WATCH_TICKS = 20;
/** How long after the last page has gone calls are still observed. */
const LINGER_MS = 30_000;
/** A page cannot show more changes at once. */
const MAX_BATCH = 500;

/**
 * What happens in the workbench, for all open pages. Without a page, nothing is observed: no call, no log line and
 * no file.
 */
export class Feed {
  readonly #context: DashboardContext;
  readonly #streams = new Set<UiStream>();
  readonly #servers = new ServerChanges(summaryOf);
  readonly #files: FileTopics;
  /** Calls that need an approval wait while a dashboard is open. */
  readonly #watching = new Watching((isWatching) => this.#storeWatching(isWatching));
  readonly #topics = new Set<Topic>();
  readonly #changedCalls = new Map<string, LiveCall>();
  #catalogues = new WeakMap<Server, Catalogue | undefined>();
  #logged: string[] = [];
  /** What did not fit into a batch: pages load everything again. */
  #lost = 0;
  #stop: (() => void) | undefined;
  #linger: NodeJS.Timeout | undefined;
  #ticks = 0;

  constructor(context: DashboardContext) {
    this.#context = context;
    this.#files = new FileTopics(context);
  }

  get size(): number {
    return this.#streams.size;
  }

  add(stream: UiStream): void {
    this.#streams.add(stream);
    stream.onClosed(() => this.remove(stream));
    clearTimeout(this.#linger);
    this.#stop ??= this.#start();
    this.#watching.set(true);
    const { workbench } = this.#context;
    const startedAt = new Date(workbench.startedAt).toISOString();
    stream.send({ type: "hello", pid: process.pid, startedAt });
  }

  remove(stream: UiStream): void {
    if (!this.#streams.delete(stream) || this.#streams.size > 0) return;
    this.#watching.set(false);
    // A page that is loaded again shows the calls from before.
    this.#linger = setTimeout(() => this.#end(), LINGER_MS).unref();
  }

  readonly announce = (...topics: readonly Topic[]): void => {
    for (const topic of topics) this.#topics.add(topic);
  };

  /** A call has begun or ended. */
  onCall(call: LiveCall): void {
    if (this.#changedCalls.size < MAX_BATCH || this.#changedCalls.has(call.id))
      this.#changedCalls.set(call.id, call);
    else this.#lost++;
  }

  close(): void {
    for (const stream of this.#streams) stream.end({ type: "bye", reason: "shutdown" });
    if (this.#streams.size > 0) this.#watching.set(false);
    this.#streams.clear();
    this.#end();
  }

  #end(): void {
    clearTimeout(this.#linger);
    this.#stop?.();
    this.#stop = undefined;
  }

  /** Begins to observe; returns how to end that. */
  #start(): () => void {
    const { workbench, calls, log } = this.#context;
    const detach = workbench.pipeline.observers.attach(calls);
    calls.clear();
    const onLine = (line: string): void => {
      log.add(line);
      if (this.#logged.length < MAX_BATCH) this.#logged.push(line.trimEnd());
      else this.#lost++;
    };
    workbench.host.log.readers.add(onLine);
    const watcher = {
      onSurfaceChanged: () => this.announce("servers", "tools", "pins", "config"),
    };
    workbench.watchers.add(watcher);
    // The first look finds what later ones are compared with.
    this.#collect();
    this.#files.changed();
    const timer = setInterval(() => this.#tick(), TICK_MS).unref();
    return () => {
      clearInterval(timer);
      detach();
      workbench.host.log.readers.delete(onLine);
      workbench.watchers.delete(watcher);
      log.clear();
      this.#servers.clear();
      this.#files.clear();
      this.#logged = [];
      this.#changedCalls.clear();
    };
  }

  #tick(): void {
    this.#ticks++;
    if (this.#ticks % SLOW_TICKS === 0) this.announce(...this.#files.changed());
    if (this.#ticks % WATCH_TICKS === 0 && this.size > 0) this.#watching.set(true);
    for (const event of this.#collect()) for (const stream of this.#streams) stream.send(event);
    if (this.#ticks % PING_TICKS === 0) for (const stream of this.#streams) stream.ping();
  }

  /** Everything that has happened since the last time. */
  #collect(): DashboardEvent[] {
    const servers = serversOf(this.#context.view);
    const events = this.#servers.events(servers);
    if (this.#ticks % SLOW_TICKS === 0) this.#compareTools(servers);
    if (this.#changedCalls.size > 0)
      events.push({ type: "calls", calls: [...this.#changedCalls.values()] });
    if (this.#logged.length > 0)
      events.push({ type: "log", lines: this.#logged.map(parseLogLine) });
    if (this.#topics.size > 0) events.push({ type: "changed", topics: [...this.#topics] });
    if (this.#lost > 0) events.push({ type: "lost", events: this.#lost });
    this.#lost = 0;
    this.#changedCalls.clear();
    this.#logged = [];
    this.#topics.clear();
    return events;
  }

  #compareTools(servers: readonly Server[]): void {
    const { catalogues } = this.#context.workbench;
    for (const server of servers) {
      const catalogue = catalogues.known(server)?.catalogue;
      if (this.#catalogues.has(server) && this.#catalogues.get(server) !== catalogue)
        this.announce("tools", "pins");
      this.#catalogues.set(server, catalogue);
    }
  }

  #storeWatching(isWatching: boolean): Promise<void> {
    const { env, workbench } = this.#context;
    const { cluster, log } = workbench.host;
    const path = approvalsFile(thisMachine(env));
    const file = stateFile(path, "approvals", cluster, (problem) => log.error(problem));
    return watchApprovals(file, isWatching);
  }
}
