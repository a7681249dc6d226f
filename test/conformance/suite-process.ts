/** A process of the official suite, which runs one command after the other. */
import { type ChildProcess, fork } from "node:child_process";
import { bundledSuite } from "./bundled-suite.ts";

export class Suite {
  #child: ChildProcess | undefined;

  /** Runs a command of the suite, and returns what it printed. */
  async run(args: readonly string[], timeout: number): Promise<string> {
    const child = (this.#child ??= fork(bundledSuite(), { silent: true }));
    let crash = "";
    child.stderr?.on("data", (data: Buffer) => (crash += data.toString()));
    const timer = setTimeout(() => child.kill(), timeout);
    try {
      return await new Promise<string>((resolve) => {
        child.once("message", (output) => resolve(String(output)));
        child.once("exit", () => {
          // The next command gets a new process.
          this.#child = undefined;
          resolve(`The suite ended. ${crash}`);
        });
        child.send([...args]);
      });
    } finally {
      clearTimeout(timer);
      child.removeAllListeners();
      child.stderr?.removeAllListeners();
    }
  }

  end(): void {
    this.#child?.kill();
  }
}

/** A process for the commands of `use`, in which no scenario is run twice: scenarios keep their state. */
export async function withSuite<T>(use: (suite: Suite) => Promise<T>): Promise<T> {
  const suite = new Suite();
  try {
    return await use(suite);
  } finally {
    suite.end();
  }
}
