/** The program at the end of a pipe. Remembers nothing, so that a million messages cost no memory. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { UNHANDLED } from "../../support/hygiene.ts";
import { type Message, parseMessage } from "../../support/raw-client.ts";
import type { Place } from "../../support/workbench.ts";
import { BUSY_MACHINE_MS } from "../program.ts";

/** A rule that the program has broken. */
export class Violation extends Error {}

const STDERR_KEPT = 100_000;
const STDERR_SHOWN = 2000;

export class Pipe {
  readonly child: ChildProcessWithoutNullStreams;
  /** The first rule that was broken. */
  violation: Violation | undefined;
  stderr = "";
  readonly #received: (message: Message) => void;
  #asked = false;

  constructor(place: Place, received: (message: Message) => void) {
    this.#received = received;
    this.child = spawn(place.command, place.args, {
      cwd: place.dir,
      env: place.env,
      stdio: "pipe",
    });
    this.child.stdin.on("error", () => {});
    this.child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.stderr = (this.stderr + text).slice(-STDERR_KEPT);
      if (UNHANDLED.test(this.stderr)) this.blame(`I9 unhandled error: ${this.logEnd}`);
    });
    this.child.on("exit", (code, signal) => {
      if (!this.#asked) this.blame(`I1 it ended with ${code ?? signal}: ${this.logEnd}`);
    });
  }

  /** The end of its log, for the message of a failure. */
  get logEnd(): string {
    return this.stderr.slice(-STDERR_SHOWN);
  }

  /** Over stdio every line of output is a message; only a line feed ends a line. */
  readMessages(): void {
    let rest = "";
    this.child.stdout.setEncoding("utf8").on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) this.#line(line);
    });
  }

  write(bytes: Buffer | string): void {
    this.child.stdin.write(bytes);
  }

  blame(what: string): void {
    this.violation ??= new Violation(what);
  }

  /** Waits for a condition; if it never comes true, that is a violation. */
  async until(condition: () => boolean, ms: number, what: () => string): Promise<void> {
    const deadline = performance.now() + ms;
    while (!condition()) {
      if (this.violation !== undefined) throw this.violation;
      if (performance.now() > deadline) throw new Violation(`${what()}: ${this.logEnd}`);
      await delay(2);
    }
    if (this.violation !== undefined) throw this.violation;
  }

  /** Ends the program as the system does; a program that needs longer has failed. */
  async end(ms = BUSY_MACHINE_MS): Promise<void> {
    this.#asked = true;
    this.child.kill("SIGTERM");
    await this.leave(ms);
  }

  /** Ends the program as a client does when it is finished. */
  async leave(ms = BUSY_MACHINE_MS): Promise<void> {
    this.#asked = true;
    this.child.stdin.end();
    await this.until(
      () => this.child.exitCode !== null,
      ms,
      () => "I6 it does not end",
    );
    const { exitCode } = this.child;
    if (exitCode !== 0) throw new Violation(`I6 exit code ${exitCode}: ${this.logEnd}`);
  }

  kill(): void {
    this.#asked = true;
    this.child.kill("SIGKILL");
  }

  #line(line: string): void {
    const message = parseMessage(line);
    if (message === undefined) this.blame(`I5 not a message: ${line.slice(0, 500)}`);
    else this.#received(message);
  }
}
