import { workbenchError } from "../errors.ts";
import { ScriptThread } from "./script-thread.ts";

const MAX_THREADS = 2;
const MAX_WAITING = 16;
/** A thread without a script ends after this time. */
const IDLE_MS = 60_000;

/** Scripts that wait without a thread are kept in memory. */
const MAX_KEPT_BYTES = 256 * 1024 * 1024;

/** A script that may have to give its thread up for others while it waits. */
export interface Yielding {
  /** Gives the thread back soon, if that is possible. */
  yieldThread(): void;
}

interface Waiting {
  readonly user: Yielding;
  readonly resolve: (thread: ScriptThread) => void;
  readonly reject: (error: Error) => void;
}

/** The threads for scripts: started when they are needed, kept for a while, few at a time. */
export class ThreadPool {
  readonly #file: () => string;
  readonly #idle: ScriptThread[] = [];
  readonly #used = new Map<ScriptThread, Yielding>();
  #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #keptBytes = 0;

  constructor(file: () => string) {
    this.#file = file;
  }

  /** Whether the state of one more script, with this much memory, can be kept. */
  hasRoomFor(memoryMb: number): boolean {
    return this.#keptBytes + memoryMb * 1024 * 1024 <= MAX_KEPT_BYTES;
  }

  /** Counts the memory of scripts that wait without a thread. */
  keep(bytes: number): void {
    this.#keptBytes += bytes;
  }

  /** Whether scripts wait for a thread. */
  get isContended(): boolean {
    return this.#waiting.length > 0;
  }

  /**
   * A thread for a script. Scripts that continue are served first and are not limited: there are
   * never more of them than were let in.
   */
  take(user: Yielding, continues: boolean, signal: AbortSignal): Promise<ScriptThread> {
    const free = this.#isClosed ? undefined : (this.#idle.pop() ?? this.#start());
    if (free !== undefined) {
      this.#used.set(free, user);
      return Promise.resolve(free);
    }
    if (this.#isClosed) return Promise.reject(new Error("the workbench is shutting down"));
    if (!continues && this.#waiting.length >= MAX_WAITING)
      return Promise.reject(
        workbenchError("SCRIPTS_BUSY", { reason: `${this.#waiting.length} scripts are waiting` }),
      );
    return new Promise((resolve, reject) => {
      const waiting = { user, resolve, reject };
      if (continues) this.#waiting.unshift(waiting);
      else this.#waiting.push(waiting);
      signal.addEventListener("abort", () => this.#withdraw(waiting), { once: true });
      for (const used of this.#used.values()) used.yieldThread();
    });
  }

  /** Takes a thread back. One that has ended is replaced. */
  giveBack(thread: ScriptThread): void {
    if (!this.#used.delete(thread)) return;
    thread.use(undefined);
    if (thread.isEnded || this.#isClosed) thread.end();
    else this.#idle.push(thread);
    const next = this.#waiting[0];
    const free = next === undefined ? undefined : (this.#idle.pop() ?? this.#start());
    if (next !== undefined && free !== undefined) {
      this.#waiting.shift();
      this.#used.set(free, next.user);
      next.resolve(free);
    } else this.#endIdleLater();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const thread of this.#idle.splice(0)) thread.end();
    for (const { reject } of this.#waiting.splice(0))
      reject(new Error("the workbench is shutting down"));
  }

  #start(): ScriptThread | undefined {
    if (this.#used.size >= MAX_THREADS || this.#isClosed) return undefined;
    return new ScriptThread(this.#file(), (ended) => {
      const at = this.#idle.indexOf(ended);
      if (at >= 0) this.#idle.splice(at, 1);
    });
  }

  #withdraw(waiting: Waiting): void {
    if (!this.#waiting.includes(waiting)) return;
    this.#waiting = this.#waiting.filter((other) => other !== waiting);
    waiting.reject(new Error("the script was cancelled"));
  }

  #endIdleLater(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      for (const thread of this.#idle.splice(0)) thread.end();
    }, IDLE_MS).unref();
  }
}
