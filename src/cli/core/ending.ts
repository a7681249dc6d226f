import { EXIT, reasonOf, workbenchError } from "../../errors.ts";
import { codeOf } from "../../text/error-code.ts";
import type { Output } from "../output/output.ts";
import { exitAfter } from "./exit-after.ts";

/** A command that was interrupted has this long to stop its servers; then the program exits. */
const MAX_STOP_MS = 900;
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** The reader of a pipe is gone, or the terminal is. */
const READER_IS_GONE = new Set(["EPIPE", "EIO", "ERR_STREAM_DESTROYED"]);

/**
 * How a command ends before it is finished. The first signal asks it to stop, and the second one
 * exits at once, unless a token is about to be stored. When the reader of the output has closed it, as `head` does, the command stops
 * without a word, unless it changes files: half of a change is worse than one that is not read about.
 */
export class Ending {
  /** Whether a question is on the screen, so that the cursor is behind it. */
  isAsking: () => boolean = () => false;
  readonly #out: Output;
  readonly #abort = new AbortController();
  /** The exit code once the command was asked to stop. */
  #code: number | undefined;
  #isExpected = false;
  #finishesUnread = false;
  #note = "";
  readonly #pending: (() => Promise<unknown>)[] = [];
  #isOver = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(out: Output) {
    this.#out = out;
    for (const signal of SIGNALS) process.on(signal, this.#onSignal);
    process.stdout.on("error", this.#onOutputError);
    // Notes that cannot be written must not stop the command.
    process.stderr.on("error", ignore);
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** A signal is the normal way to end the command. */
  expect(): void {
    this.#isExpected = true;
  }

  /** What users should know if they interrupt the command from now on. */
  noteInterruption(text: string): void {
    this.#note = `\n${text}`;
  }

  /** What the program finishes before it exits, even after several signals. */
  finishFirst(pending: () => Promise<unknown>): void {
    this.#pending.push(pending);
  }

  /** The command continues when its output is no longer read. */
  finishUnread(): void {
    this.#finishesUnread = true;
  }

  /** The exit code of a command: its own, or that of the reason to stop it. */
  async exitCode(work: Promise<number>): Promise<number> {
    try {
      const code = await work;
      // A reader who has seen enough does not change the outcome.
      if (this.#code === EXIT.ok) this.#code = code;
      if (this.#code === undefined) return code;
    } catch (error) {
      if (this.#code === undefined) throw error;
    }
    if (this.#code === EXIT.interrupted) this.#reportInterruption();
    return this.#code;
  }

  /** Stops listening. The handlers of output errors stay: the last output may still be on its way. */
  release(): void {
    this.#isOver = true;
    for (const signal of SIGNALS) process.off(signal, this.#onSignal);
    clearTimeout(this.#timer);
    // Standard input may still be open and would keep an interrupted program running.
    if (this.#code !== undefined) process.exit(this.#code);
  }

  readonly #onSignal = (): void => {
    if (this.#code !== undefined) return exitAfter(this.#pending, this.#code);
    if (!this.#isExpected) this.#out.say(`${this.isAsking() ? "\n" : ""}Stopping…${this.#note}`);
    this.#stop(this.#isExpected ? EXIT.ok : EXIT.interrupted);
  };

  readonly #onOutputError = (error: unknown): void => {
    if (this.#code !== undefined) return;
    const isGone = READER_IS_GONE.has(codeOf(error) ?? "");
    if (!isGone) this.#out.warn(`The output cannot be written: ${reasonOf(error)}`);
    if (isGone && this.#finishesUnread) this.#out.stopResults();
    else if (!this.#isOver) this.#stop(isGone ? EXIT.ok : EXIT.unexpected);
    else if (!isGone) process.exit(EXIT.unexpected);
  };

  #stop(code: number): void {
    this.#code = code;
    this.#out.stop();
    this.#timer = setTimeout(() => {
      if (code === EXIT.interrupted) this.#reportInterruption();
      exitAfter(this.#pending, code);
    }, MAX_STOP_MS);
    this.#abort.abort(workbenchError("INTERRUPTED", {}));
  }

  #reportInterruption(): void {
    const { code, message } = workbenchError("INTERRUPTED", {});
    this.#out.failure({ code, message });
  }
}

const ignore = (): void => {};
