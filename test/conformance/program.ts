import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

const READY_MS = 60_000;
const KILL_AFTER_MS = 60_000;

/** A Node program that runs until it is stopped. */
export class Program {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  #output = "";

  constructor(args: string[], env: NodeJS.ProcessEnv = process.env) {
    this.#child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "pipe"] });
    this.#exited = once(this.#child, "exit");
    const collect = (data: Buffer): void => {
      this.#output = (this.#output + data.toString()).slice(-4000);
    };
    this.#child.stdout?.on("data", collect);
    this.#child.stderr?.on("data", collect);
  }

  /** Waits for the first value of `attempt`, from the program's output or from elsewhere. */
  async ready<T>(attempt: (output: string) => Promise<T | undefined> | T | undefined): Promise<T> {
    const end = performance.now() + READY_MS;
    while (this.#isRunning() && performance.now() < end) {
      const value = await attempt(this.#output);
      if (value !== undefined) return value;
      await sleep(20);
    }
    throw new Error(`"${this.#child.spawnargs.join(" ")}" was not ready:\n${this.#output}`);
  }

  async stop(): Promise<void> {
    if (!this.#isRunning()) return;
    this.#child.kill("SIGTERM");
    const kill = setTimeout(() => this.#child.kill("SIGKILL"), KILL_AFTER_MS);
    await this.#exited;
    clearTimeout(kill);
  }

  #isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }
}
