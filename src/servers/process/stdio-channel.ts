import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";

import type { ServerSettings, StdioTransport } from "../../config/types.ts";
import { LineReader } from "../../wire/lines.ts";
import { Outbox } from "../../wire/outbox.ts";
import type { Channel, ChannelEvents } from "../channel.ts";
import { serverEnvironment } from "./environment.ts";
import type { Guard } from "./guard.ts";
import { ProcessTree } from "./process-tree.ts";
import { StderrTail } from "./stderr-tail.ts";

/** How long output of a process that has ended may still arrive before the channel counts as lost. */
const DRAIN_MS = 100;

type Spawn = (command: string, args: string[], options: SpawnOptions) => ChildProcess;

/** Starts the server's process. Rejects if the operating system cannot start it. */
export async function openStdioChannel(
  settings: ServerSettings,
  transport: StdioTransport,
  guard: Guard,
  events: ChannelEvents,
): Promise<Channel> {
  // Only Windows needs help to find `npx.cmd` and to quote for it; elsewhere no shell is involved.
  const start: Spawn = process.platform === "win32" ? (await import("cross-spawn")).default : spawn;
  const child = start(transport.command, [...transport.args], {
    cwd: transport.cwd,
    env: serverEnvironment(transport.env, settings.inheritEnv),
    stdio: ["pipe", "pipe", "pipe"],
    detached: process.platform !== "win32",
    windowsHide: true,
    shell: false,
  });
  const channel = new StdioChannel(child, settings, guard, events);
  if (child.pid === undefined) {
    const error = await new Promise<NodeJS.ErrnoException>((resolve) =>
      child.once("error", resolve),
    );
    throw new Error(spawnProblem(error, transport), { cause: error });
  }
  return channel;
}

function spawnProblem(error: NodeJS.ErrnoException, transport: StdioTransport): string {
  const { command, cwd } = transport;
  if (error.code === "ENOENT")
    return cwd === undefined
      ? `command '${command}' not found (ENOENT). Is it installed and on the PATH?`
      : `command '${command}' or folder '${cwd}' not found (ENOENT)`;
  if (error.code === "EACCES")
    return `command '${command}' cannot be executed (EACCES). Check its permissions`;
  if (error.code === "ENOTDIR") return `'${cwd}' is not a folder (ENOTDIR)`;
  return `cannot start '${command}': ${error.message}`;
}

class StdioChannel implements Channel {
  readonly pid: number | undefined;
  readonly refusesUnknown = false;
  readonly #child: ChildProcess;
  readonly #out: Outbox;
  readonly #stderr = new StderrTail();
  readonly #events: ChannelEvents;
  readonly #graceMs: number;
  readonly #guard: Guard;
  readonly #tree: ProcessTree | undefined;
  readonly #exited: Promise<void>;
  #ended = false;
  #closing: Promise<void> | undefined;

  constructor(child: ChildProcess, settings: ServerSettings, guard: Guard, events: ChannelEvents) {
    this.#child = child;
    this.#guard = guard;
    this.pid = child.pid;
    if (child.pid !== undefined) {
      this.#tree = new ProcessTree(child.pid);
      guard.watch(child.pid);
    }
    this.#events = events;
    this.#graceMs = settings.timeouts.shutdownMs;
    this.#out = new Outbox(child.stdin as Writable);
    const reader = new LineReader(settings.limits.messageBytes, {
      line: (line) => events.line(line),
      oversized: (head, bytes, tail) => events.oversized(head, bytes, undefined, tail),
    });
    const stdout = child.stdout as Readable;
    stdout.on("data", (chunk: Buffer) => reader.push(chunk));
    (child.stderr as Readable).on("data", (chunk: Buffer) => this.#stderr.push(chunk));
    // A broken pipe says that the server is ending; its exit tells the rest.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.on("error", () => {});
    this.#exited = new Promise((resolve) => {
      child.on("exit", (code, signal) => {
        this.#ended = true;
        resolve();
        this.#onExit(stdout, code, signal);
      });
      child.on("error", () => resolve());
    });
  }

  get backlog(): number {
    return this.#out.backlog;
  }

  send(message: string): void {
    this.#out.text(`${message}\n`);
  }

  hold(held: boolean): void {
    if (held) this.#child.stdout?.pause();
    else this.#child.stdout?.resume();
  }

  kill(): void {
    this.#tree?.signal("SIGKILL");
  }

  abandon(): boolean {
    return false;
  }

  negotiated(): void {}

  unusable(): undefined {}

  stderrTail(count: number): string[] {
    return this.#stderr.lines(count);
  }

  close(): Promise<void> {
    this.#closing ??= this.#terminate();
    return this.#closing;
  }

  /**
   * The end of the process is what counts, not the end of its output: a child of the server may
   * hold the pipe open for ever. Whatever was written before is still read.
   */
  #onExit(stdout: Readable, code: number | null, signal: NodeJS.Signals | null): void {
    if (this.#closing !== undefined) return;
    let said = false;
    const lost = (): void => {
      if (said || this.#closing !== undefined) return;
      said = true;
      clearTimeout(timer);
      this.#events.lost(
        signal === null ? `it exited with code ${code}` : `it was ended by ${signal}`,
      );
    };
    const timer = setTimeout(lost, DRAIN_MS);
    if (stdout.readableEnded) lost();
    else stdout.once("end", lost);
  }

  async #terminate(): Promise<void> {
    const tree = this.#tree;
    if (tree === undefined) return;
    if (!this.#ended) {
      await tree.look();
      this.#child.stdin?.end();
      await within(this.#exited, this.#graceMs);
    }
    // What is left, be it the server itself or children it did not wait for, gets the signals.
    await tree.terminate(this.#graceMs);
    this.#guard.forget(tree.leader);
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
  }
}

function within(promise: Promise<void>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    void promise.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
