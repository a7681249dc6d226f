import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import type { Readable, Writable } from "node:stream";

import type { ServerSettings, StdioTransport } from "../../../config/types.ts";
import { LineReader, Outbox } from "../../../wire/lines.ts";
import type { Channel, ChannelEvents, ServerProcess } from "../channel.ts";
import { atMost, drain } from "../../deadline.ts";
import { PacedReader } from "../../turns.ts";
import { declaredVariables, processEnvironment } from "./environment.ts";
import type { Guard } from "./guard.ts";
import { Launch } from "./launch.ts";
import { ProcessTree } from "./process-tree.ts";
import type { CommandLine } from "./sandbox/command-line.ts";
import type { SandboxedStart } from "./sandbox/sandbox.ts";
import { StderrTail } from "./stderr-tail.ts";

/** How long a server that closed one of its pipes may take to exit; its exit code explains more. */
const CLOSED_PIPE_MS = 1000;

/** It finishes even if the workbench ends first. */
const CLEAN_UP: SpawnOptions = { detached: true, stdio: "ignore", windowsHide: true };

type Spawn = (command: string, args: string[], options: SpawnOptions) => ChildProcess;

/** Starts the server's process. Rejects if the operating system cannot start it. */
export async function openStdioChannel(
  settings: ServerSettings,
  transport: StdioTransport,
  guard: Guard,
  events: ChannelEvents,
): Promise<Channel> {
  // Only Windows needs help to find and quote `npx.cmd`; elsewhere no shell is involved.
  const start: Spawn = process.platform === "win32" ? (await import("cross-spawn")).default : spawn;
  const { inherited } = settings;
  const env = processEnvironment(transport, settings.inheritEnv, inherited?.env);
  const { line, warning } = await startOf(transport, env);
  const child = start(line.command, [...line.args], {
    cwd: line.cwd ?? inherited?.cwd,
    env: line.env,
    stdio: ["pipe", "pipe", "pipe"],
    detached: process.platform !== "win32",
    windowsHide: true,
    shell: false,
  });
  const { pid } = child;
  if (pid !== undefined) {
    const launch = Launch.of(transport, pid, env);
    const channel = new StdioChannel(child, pid, launch, settings, guard, events, line);
    channel.noteSandbox(warning);
    return channel;
  }
  const error = await new Promise<NodeJS.ErrnoException>((resolve) => child.once("error", resolve));
  const cwd = line.cwd ?? inherited?.cwd;
  throw new Error(spawnProblem(error, { ...line, cwd }), { cause: error });
}

/** What is executed for a server: its command, or its sandbox around it. */
async function startOf(
  transport: StdioTransport,
  env: Readonly<Record<string, string>>,
): Promise<SandboxedStart> {
  const { command, args, cwd, sandbox } = transport;
  const line = { command, args, cwd, env };
  if (sandbox === undefined) return { line };
  const { sandboxed } = await import("./sandbox/sandbox.ts");
  return sandboxed(line, sandbox, declaredVariables(env, transport));
}

function spawnProblem(error: NodeJS.ErrnoException, { command, cwd }: CommandLine): string {
  if (error.code === "ENOENT")
    return cwd === undefined || existsSync(cwd)
      ? `command '${command}' not found (ENOENT). Is it installed and on the PATH?`
      : `folder '${cwd}' not found (ENOENT)`;
  if (error.code === "EACCES")
    return `command '${command}' cannot be executed (EACCES). Check its permissions`;
  if (error.code === "ENOTDIR") return `'${cwd}' is not a folder (ENOTDIR)`;
  if (error.code === "EMFILE" || error.code === "ENFILE")
    return `cannot start '${command}': too many files are open (${error.code}). Raise the limit (ulimit -n) or use fewer servers at once`;
  return `cannot start '${command}': ${error.message}`;
}

class StdioChannel implements Channel, ServerProcess {
  readonly process = this;
  readonly pid: number;
  readonly refusesUnknown = false;
  readonly #child: ChildProcess;
  readonly #launch: Launch | undefined;
  readonly #out: Outbox;
  readonly #output: PacedReader;
  readonly #stderr = new StderrTail();
  readonly #allRead: Promise<unknown>;
  readonly #events: ChannelEvents;
  readonly #graceMs: number;
  readonly #guard: Guard;
  readonly #tree: ProcessTree;
  readonly #exited: Promise<void>;
  #ended = false;
  /** True once the server has answered. */
  #wasReady = false;
  /** Why the workbench ended it. */
  #endedFor: string | undefined;
  #isHurried = false;
  #hurry: () => void = () => {};
  /** Resolves when there is no time to wait for the end of input to take effect. */
  readonly #hurried = new Promise<void>((resolve) => (this.#hurry = resolve));
  #closing: Promise<void> | undefined;
  readonly #line: Pick<CommandLine, "container" | "env">;
  /** Whether the process was killed before its time to end was over. */
  #wasKilled = false;

  constructor(
    child: ChildProcess,
    pid: number,
    launch: Launch | undefined,
    settings: ServerSettings,
    guard: Guard,
    events: ChannelEvents,
    line: Pick<CommandLine, "container" | "env">,
  ) {
    this.#line = line;
    this.#child = child;
    this.pid = pid;
    this.#launch = launch;
    this.#tree = new ProcessTree(pid);
    this.#guard = guard;
    const { container: name, env } = line;
    const container = name === undefined ? undefined : { name, host: env["DOCKER_HOST"] };
    guard.watch(pid, launch?.download, container);
    this.#events = events;
    this.#graceMs = settings.timeouts.shutdownMs;
    this.#out = new Outbox(child.stdin as Writable);
    const reader = new LineReader(settings.limits.messageBytes, {
      line: (line) => events.onLine(line),
      oversized: (head, bytes, tail) => events.onOversized(head, bytes, undefined, tail),
    });
    const stdout = child.stdout as Readable;
    this.#output = new PacedReader(stdout, (chunk, mayGoOn) => reader.push(chunk, mayGoOn));
    const stderr = child.stderr as Readable;
    stderr.on("data", (chunk: Buffer) => this.#stderr.push(chunk));
    this.#allRead = Promise.all([
      this.#output.done,
      new Promise((resolve) => stderr.once("end", resolve)),
    ]);
    stdout.on("end", () => this.#onPipeClosed("it closed its standard output"));
    child.stdin?.on("error", () => this.#onPipeClosed("it closed its standard input"));
    for (const stream of [stdout, stderr]) stream.on("error", () => {});
    this.#exited = new Promise((resolve) => {
      child.on("exit", (code, signal) => {
        this.#ended = true;
        resolve();
        void this.#onExit(code, signal);
      });
      child.on("error", () => resolve());
    });
  }

  /** Shows why there is no sandbox with its error output. */
  noteSandbox(warning: string | undefined): void {
    if (warning !== undefined) this.#stderr.push(Buffer.from(`mcp-workbench: ${warning}\n`));
  }

  get backlog(): number {
    return this.#out.backlog;
  }

  send(message: string): void {
    this.#out.line(message);
  }

  pauseReading(paused: boolean): void {
    this.#output.setPaused(paused);
  }

  hurry(): void {
    this.#isHurried = true;
    this.#hurry();
  }

  kill(): void {
    this.#wasKilled = true;
    this.#tree.signal("SIGKILL");
  }

  async isServerRunning(): Promise<boolean> {
    if (this.#launch === undefined || this.#wasReady || this.#ended) return true;
    return this.#launch.hasServerStarted(() => this.#stderr.lines(Infinity));
  }

  abandon(): boolean {
    return false;
  }

  onNegotiated(): void {
    this.#wasReady = true;
    if (this.#launch !== undefined) this.#guard.endDownload(this.pid);
  }

  reasonUnusable(): undefined {}

  stderrTail(count: number): string[] {
    return this.#stderr.lines(count);
  }

  close(): Promise<void> {
    this.#closing ??= this.#terminate();
    return this.#closing;
  }

  /**
   * The channel ends with the process, not with its output. What it wrote is still read, also to
   * standard error, which often says why.
   */
  async #onExit(code: number | null, signal: NodeJS.Signals | null): Promise<void> {
    await drain(this.#allRead);
    if (this.#closing !== undefined) return;
    if (this.#endedFor !== undefined) this.#events.onLost(this.#endedFor, "closedPipe");
    else if (signal === null) this.#events.onLost(`it exited with code ${code}`, "exited");
    else this.#events.onLost(`it was ended by ${signal}`, "killed");
  }

  /** Usually the server is exiting. One that keeps running cannot be reached any longer, and is ended. */
  #onPipeClosed(reason: string): void {
    setTimeout(() => {
      if (this.#ended || this.#closing !== undefined) return;
      this.#endedFor ??= reason;
      void this.#tree.terminate(this.#graceMs);
    }, CLOSED_PIPE_MS).unref();
  }

  async #terminate(): Promise<void> {
    // A package manager does not read its input, and may need the time to undo half a download.
    const isDownloading = !(await this.isServerRunning());
    if (!this.#ended && !isDownloading) {
      await this.#tree.look();
      this.#child.stdin?.end();
      await atMost(this.#graceMs, Promise.race([this.#exited, this.#hurried]));
    }
    // Everything that still runs, the server or children it did not wait for, gets the signals.
    const steps = isDownloading && !this.#isHurried ? 1.5 : 1;
    const wasKilled = await this.#tree.terminate(steps * this.#graceMs);
    if (isDownloading && (wasKilled || this.#wasKilled)) await this.#launch?.onKilled();
    const { container, env } = this.#line;
    // It may have outlived the program that started it.
    if (container !== undefined)
      spawn("docker", ["rm", "--force", container], { ...CLEAN_UP, env })
        .on("error", () => {})
        .unref();
    this.#guard.forget(this.pid);
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
  }
}
