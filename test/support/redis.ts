/** A real Redis, started for a test on a free port of the loopback interface. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

import { Redis } from "ioredis";

import { findOrInstall } from "./debian-packages.ts";
import type { Disposables } from "./disposables.ts";
import { freePort } from "./free-port.ts";
import { waitFor } from "./proc.ts";
import { GENEROUS_MS } from "./raw-client.ts";
import { temporaryFolder } from "./workbench.ts";

const PROGRAM = findOrInstall("redis-server", "redis-server");
export const HAS_REDIS = PROGRAM !== undefined;

export class TestRedis {
  readonly port: number;
  readonly url: string;
  readonly #folder: string;
  #process: ChildProcess | undefined;

  private constructor(port: number, folder: string) {
    this.port = port;
    this.url = `redis://127.0.0.1:${port}`;
    this.#folder = folder;
  }

  static async start(disposables: Disposables): Promise<TestRedis> {
    const redis = new TestRedis(await freePort(), temporaryFolder(disposables));
    disposables.defer(() => redis.stop());
    await redis.start();
    return redis;
  }

  /** Starts it, empty, on the same port as before. */
  async start(): Promise<void> {
    const args = ["--port", String(this.port), "--bind", "127.0.0.1", "--dir", this.#folder];
    this.#process = spawn(
      PROGRAM ?? "redis-server",
      [...args, "--save", "", "--appendonly", "no", "--daemonize", "no"],
      { stdio: "ignore" },
    );
    await waitFor(() => this.answers(), GENEROUS_MS, "Redis to answer");
  }

  /** Ends it without a farewell. */
  async stop(): Promise<void> {
    const process = this.#process;
    this.#process = undefined;
    if (process === undefined) return;
    const exited = once(process, "exit");
    process.kill("SIGKILL");
    await exited;
  }

  kill(signal: NodeJS.Signals): void {
    this.#process?.kill(signal);
  }

  /** Runs a command, with a connection of its own. */
  async command(name: string, ...args: (string | number)[]): Promise<unknown> {
    const redis = this.connect();
    try {
      return await redis.call(name, ...args);
    } finally {
      redis.disconnect();
    }
  }

  /** A connection of the caller, which closes it. */
  connect(): Redis {
    const redis = new Redis(this.url, { retryStrategy: () => null, maxRetriesPerRequest: 0 });
    redis.on("error", () => {});
    return redis;
  }

  async answers(): Promise<boolean> {
    return this.command("PING").then(
      () => true,
      () => false,
    );
  }
}
