import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";

import { within } from "./deadline.ts";

export interface Command {
  /** What follows `node`. */
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** A program that runs `node`, with its own arguments. */
  readonly under?: readonly string[];
}

/**
 * Node reads these certificates whenever it starts, which takes longer than everything else that it does then: with them,
 * a ratio of two starts would say little about the programs.
 */
const WITHOUT_EXTRA_CERTIFICATES = { NODE_EXTRA_CA_CERTS: "" };

const TAIL = 2_000;
const END_MS = 5_000;

/** A running Node program, ended by its own process id. */
export class Program {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #exited: Promise<void>;
  #stderr = "";

  constructor({ args, env, under = [] }: Command) {
    const [program, ...before] = [...under, process.execPath];
    this.child = spawn(program as string, [...before, ...args], {
      env: { ...process.env, ...WITHOUT_EXTRA_CERTIFICATES, ...env },
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.child.stderr.on("data", (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString()).slice(-TAIL);
    });
    this.child.stdin.on("error", () => {});
    this.#exited = new Promise((resolve) => {
      this.child.once("exit", () => resolve());
    });
  }

  get pid(): number {
    return this.child.pid as number;
  }

  get exited(): Promise<void> {
    return this.#exited;
  }

  /** The end of its standard error. */
  get stderr(): string {
    return this.#stderr;
  }

  /** Resolves with the match of a pattern in the program's standard error. */
  async says(pattern: RegExp, milliseconds: number): Promise<string> {
    const found = new Promise<string>((resolve, reject) => {
      const look = (): void => {
        const match = pattern.exec(this.#stderr)?.[1];
        if (match !== undefined) resolve(match);
      };
      this.child.stderr.on("data", look);
      void this.#exited.then(() => reject(new Error(`ended early: ${this.#stderr}`)));
      look();
    });
    return within(milliseconds, "start", found);
  }

  /** Ends the program as a client does, and kills it if that does not help. */
  async end(): Promise<void> {
    this.child.stdin.end();
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill("SIGTERM");
    try {
      await within(END_MS, "end", this.#exited);
    } catch {
      this.child.kill("SIGKILL");
      await this.#exited;
    }
  }
}
