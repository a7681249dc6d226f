import { Worker } from "node:worker_threads";

import { type FromWorker, SHARED, type ToWorker, sharedNow } from "./worker/protocol.ts";

/** What the engine needs for its own stack while its code is not optimized yet. */
const STACK_MB = 8;
/** The heap of the thread outside the sandbox, which holds results and media on their way. */
const MAX_HEAP_MB = 256;

/** What a thread reports to the script it runs. */
export interface ThreadUser {
  onMessage(message: FromWorker): void;
  /** The thread has ended without being asked to. */
  onLost(reason: string): void;
}

/** A thread that runs one script at a time and can be ended at any moment. */
export class ScriptThread {
  readonly #worker: Worker;
  readonly #shared = new BigInt64Array(
    new SharedArrayBuffer(SHARED.length * BigInt64Array.BYTES_PER_ELEMENT),
  );
  #user: ThreadUser | undefined;
  isEnded = false;

  constructor(file: string, onEnded: (thread: ScriptThread) => void) {
    this.#worker = new Worker(file, {
      workerData: this.#shared.buffer,
      env: {},
      argv: [],
      execArgv: [],
      stdin: false,
      // Whatever it prints must not end up between the messages of a client.
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB, stackSizeMb: STACK_MB },
    });
    const lose = (reason: string): void => {
      if (this.isEnded) return;
      this.isEnded = true;
      onEnded(this);
      this.#user?.onLost(reason);
    };
    this.#worker.on("message", (message: FromWorker) => this.#user?.onMessage(message));
    this.#worker.on("error", (error: Error) => lose(error.message));
    this.#worker.on("exit", () => lose("its thread ended"));
    this.#worker.unref();
  }

  /**
   * Gives the thread to a script, which has computed for `cpuMs` before; undefined if it is free. While it is
   * used, the program stays.
   */
  use(user: ThreadUser | undefined, cpuMs = 0): void {
    this.#user = user;
    Atomics.store(this.#shared, SHARED.usedMs, BigInt(Math.round(cpuMs)));
    if (user === undefined) this.#worker.unref();
    else this.#worker.ref();
  }

  post(message: ToWorker): void {
    const memory = message.kind === "resume" ? message.state.image.memory.buffer : undefined;
    this.#worker.postMessage(message, memory === undefined ? [] : [memory]);
  }

  /** How long the script has run, in milliseconds. */
  get cpuMs(): number {
    const entered = Atomics.load(this.#shared, SHARED.enteredAt);
    const used = Atomics.load(this.#shared, SHARED.usedMs);
    return Number(used + (entered === 0n ? 0n : sharedNow() - entered));
  }

  /** Whether the script runs now. */
  get isRunning(): boolean {
    return Atomics.load(this.#shared, SHARED.enteredAt) !== 0n;
  }

  end(): void {
    this.isEnded = true;
    this.#user = undefined;
    void this.#worker.terminate();
  }
}
