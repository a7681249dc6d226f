import { type WorkbenchError, workbenchError } from "../errors.ts";
import { FairQueue, type ScriptOwner } from "./fair-queue.ts";
import { KeptMemory, type KeptScript } from "./kept-memory.ts";
import { ScriptThread } from "./script-thread.ts";

/** No principal has all threads, so that one that computes does not delay the others. */
const MAX_THREADS = { principal: 2, all: 4 };
const MAX_WAITING = { client: 16, principal: 32 };
/** A thread without a script ends after this time. */
const IDLE_MS = 60_000;
/** A script that waits and cannot be kept is ended if another client needs its thread for so long. */
const PATIENCE_MS = 1000;

/** A script that may have to give its thread up for others while it waits. */
export interface PoolUser extends KeptScript {
  /** Gives the thread back soon, if the script waits. With `isForced`, at any price. */
  yieldThread(isForced: boolean): void;
}

interface Waiting {
  readonly user: PoolUser;
  readonly owner: ScriptOwner;
  readonly since: number;
  readonly resolve: (thread: ScriptThread) => void;
  readonly reject: (error: Error) => void;
}

/** The threads for scripts: started when they are needed, kept for a while, few at a time. */
export class ThreadPool {
  readonly kept = new KeptMemory();
  readonly #file: () => string;
  readonly #idle: ScriptThread[] = [];
  readonly #used = new Map<ScriptThread, PoolUser>();
  readonly #queue = new FairQueue<Waiting>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(file: () => string) {
    this.#file = file;
  }

  /**
   * A thread for a script. Scripts that continue precede others of their client and are not
   * limited: there are never more of them than were let in.
   */
  take(user: PoolUser, continues: boolean): Promise<ScriptThread> {
    if (this.#isClosed) return Promise.reject(new Error("the workbench is shutting down"));
    return new Promise((resolve, reject) => {
      const { owner } = user;
      const waiting = { user, owner, since: performance.now(), resolve, reject };
      const busy = continues ? undefined : this.#busyError(owner);
      this.#queue.add(waiting, continues);
      this.#assign();
      if (busy !== undefined && this.#queue.remove(waiting)) reject(busy);
      else for (const used of this.#used.values()) this.askToYield(used);
    });
  }

  /** Takes a script out of the queue. */
  withdraw(user: PoolUser, error: Error): void {
    const waiting = this.#queue.items.find((item) => item.user === user);
    if (waiting !== undefined && this.#queue.remove(waiting)) waiting.reject(error);
  }

  /** Takes a thread back. One that has ended is replaced. */
  giveBack(thread: ScriptThread): void {
    if (!this.#used.delete(thread)) return;
    thread.use(undefined);
    if (thread.isEnded || this.#isClosed) thread.end();
    else this.#idle.push(thread);
    this.#assign();
    if (this.#idle.length > 0) this.#endIdleLater();
  }

  /** Asks a script that has a thread to give it up, if that helps one that waits for a thread. */
  askToYield(user: PoolUser): void {
    const { principal, client } = user.owner;
    const isFull = this.#used.size >= MAX_THREADS.all;
    const helped = this.#queue.items.filter(({ owner }) => isFull || owner.principal === principal);
    if (helped.length === 0) return;
    const latest = performance.now() - PATIENCE_MS;
    const isForced = helped.some(
      ({ owner, since }) =>
        since < latest && (owner.principal !== principal || owner.client !== client),
    );
    user.yieldThread(isForced);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const thread of this.#idle.splice(0)) thread.end();
    for (const { user } of this.#queue.items)
      this.withdraw(user, new Error("the workbench is shutting down"));
  }

  /** Gives free threads to those who wait. */
  #assign(): void {
    const mayHave = (principal: string): boolean =>
      this.#threadsOf(principal) < MAX_THREADS.principal;
    while (!this.#isClosed && this.#used.size < MAX_THREADS.all) {
      const next = this.#queue.take(mayHave);
      if (next === undefined) return;
      try {
        const thread = this.#idle.pop() ?? this.#start();
        this.#used.set(thread, next.user);
        next.resolve(thread);
      } catch (error) {
        next.reject(error as Error);
      }
    }
  }

  #threadsOf(principal: string): number {
    let count = 0;
    for (const { owner } of this.#used.values()) if (owner.principal === principal) count++;
    return count;
  }

  #busyError(owner: ScriptOwner): WorkbenchError | undefined {
    const { client, principal } = this.#queue.count(owner);
    if (client < MAX_WAITING.client && principal < MAX_WAITING.principal) return undefined;
    return workbenchError("SCRIPTS_BUSY", { reason: `${principal} scripts are waiting` });
  }

  #start(): ScriptThread {
    return new ScriptThread(this.#file(), (ended) => {
      const at = this.#idle.indexOf(ended);
      if (at >= 0) this.#idle.splice(at, 1);
    });
  }

  #endIdleLater(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      for (const thread of this.#idle.splice(0)) thread.end();
    }, IDLE_MS).unref();
  }
}
