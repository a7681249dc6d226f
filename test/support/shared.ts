/** Clients that share one workbench, and the process they share. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { useTool, textOf } from "./calls.ts";
import type { Disposables } from "./disposables.ts";
import { UNHANDLED } from "./hygiene.ts";
import { type ProcessInfo, alive, killIfAlive, processesWith, waitFor } from "./proc.ts";
import { namesIn, textIfPresent } from "./present-files.ts";
import { GENEROUS_MS, RawClient } from "./raw-client.ts";
import type { Config } from "./servers.ts";
import { SharedLog } from "./shared-log.ts";
import {
  type Place,
  type PlaceOptions,
  type StartOptions,
  initialize,
  prepareWorkbench,
  runCommand,
} from "./workbench.ts";

export interface SharedRecord {
  readonly pid: number;
  readonly socket: string;
  readonly secret: string;
  readonly version: string;
}

export interface ClientOptions extends StartOptions {
  /** More arguments of `serve --shared`. */
  readonly more?: readonly string[];
}

/** A folder with a configuration whose clients share a workbench. */
export class SharedPlace {
  readonly place: Place;
  readonly folder: string;
  readonly #log: SharedLog;

  constructor(disposables: Disposables, config: Config, options: PlaceOptions = {}) {
    this.place = prepareWorkbench(disposables, config, { args: ["serve", "--shared"], ...options });
    this.folder = sharedFolder(this.place);
    this.#log = new SharedLog(this.folder);
    disposables.defer(() => this.#clean().finally(() => this.#log.end()));
  }

  /** The records in the folder; one, unless versions or configurations differ. */
  records(): SharedRecord[] {
    return (
      namesIn(this.folder)
        .filter((name) => name.endsWith(".json"))
        .map((name) => textIfPresent(join(this.folder, name)))
        // One that is being written is still empty; a process that ends removes its own.
        .filter((text) => text !== "")
        .map((text) => JSON.parse(text) as SharedRecord)
    );
  }

  get record(): SharedRecord {
    const [record, ...more] = this.records();
    if (record === undefined || more.length > 0)
      throw new Error(`there are ${this.records().length} records`);
    return record;
  }

  /** Shared processes, also those that are about to start or end. */
  processes(): ProcessInfo[] {
    return sharedProcesses(this.place);
  }

  /**
   * Waits until one shared process is left, the one of the record. Clients that start at once may
   * start more than one, but all others end by themselves.
   */
  async onlyProcess(): Promise<void> {
    const isAlone = (): boolean => {
      const [first, ...others] = this.processes();
      return others.length === 0 && first?.pid === this.records()[0]?.pid;
    };
    await waitFor(isAlone, GENEROUS_MS, "the only shared process to be that of the record");
  }

  /** A client; it is initialized unless the options exclude that. */
  async client(disposables: Disposables, options: ClientOptions = {}): Promise<RawClient> {
    const { command, args, env, dir } = this.place;
    const child = spawn(command, [...args, ...(options.more ?? [])], {
      cwd: options.cwd ?? dir,
      env: { ...env, ...options.env },
      stdio: "pipe",
    });
    const client = new RawClient(child);
    for (const [method, responder] of Object.entries(options.responders ?? {}))
      client.responders.set(method, responder);
    disposables.defer(() => this.leave(client));
    if (options.initialize !== false) await initialize(client, options);
    return client;
  }

  /** Ends a client and checks that it got what it should and nothing else. */
  async leave(client: RawClient): Promise<void> {
    await client.close();
    const problems = [
      ...client.garbage,
      ...client.duplicates.map(({ line }) => `answered twice: ${line}`),
      ...client.unmatched
        .filter(({ id }) => id !== null)
        .map(({ line }) => `answered without being asked: ${line}`),
      ...(UNHANDLED.exec(client.stderr) ?? []),
    ];
    if (problems.length > 0) throw new Error(problems.join("\n"));
  }

  async #clean(): Promise<void> {
    if (namesIn(this.folder).length === 0) return;
    const { stderr, code } = runCommand(this.place, "stop");
    for (const { pid } of this.processes()) killIfAlive(pid);
    if (code !== 0) throw new Error(`stop failed: ${stderr}`);
    await waitFor(() => this.place.servers().length === 0, GENEROUS_MS, "the servers to end");
    const log = this.#log.text;
    if (UNHANDLED.test(log)) throw new Error(`the shared process had an error:\n${log}`);
  }

  /** Ends the shared process as the system does; nothing happens if there is none. */
  async end(): Promise<void> {
    const pids = this.records().map(({ pid }) => pid);
    for (const pid of pids) killIfAlive(pid, "SIGTERM");
    await waitFor(() => !pids.some(alive), GENEROUS_MS, "the shared process to end");
  }

  /** Ends the shared process as the system would in the worst case. */
  async kill(): Promise<void> {
    const { pid } = this.record;
    process.kill(pid, "SIGKILL");
    await waitFor(() => !alive(pid), GENEROUS_MS, "the shared process to end");
  }
}

/** Where the processes that clients share keep their records and logs. */
export function sharedFolder({ dir }: Pick<Place, "dir">): string {
  return join(dir, "state", "mcp-workbench", "shared");
}

/** The processes that the clients of a place share. */
export function sharedProcesses({ dir }: Pick<Place, "dir">): ProcessInfo[] {
  return processesWith("XDG_STATE_HOME", join(dir, "state")).filter(({ command }) =>
    command.includes("__shared"),
  );
}

/** The id of the server's process that answers a client. */
export async function serverPid(client: RawClient, path = "dev/fx/status"): Promise<number> {
  return (JSON.parse(textOf(await useTool(client, path))) as { pid: number }).pid;
}
