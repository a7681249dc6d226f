/**
 * Runs jobs in a thread, so that others need not wait while a large result is parsed. This file is
 * also what the thread runs. It starts with the first job and ends when there has been none for a while.
 */
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";

import { reasonOf } from "../errors.ts";
import { type Job, type JobResult, runJob } from "./jobs.ts";

const ROLE = "mcp-workbench results";
const MAX_PENDING = 1000;
/** What is waiting is in memory. */
const MAX_PENDING_BYTES = 256 * 1024 * 1024;
const MAX_JOB_MS = 30_000;
const IDLE_MS = 10_000;
const MAX_HEAP_MB = 1024;

interface Request {
  readonly number: number;
  readonly job: Job;
}

interface Reply {
  readonly number: number;
  readonly value?: unknown;
  readonly problem?: string;
}

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly bytes: number;
}

export class ResultThread {
  readonly #pending = new Map<number, Pending>();
  readonly #newWorker: () => Worker;
  #worker: Worker | undefined;
  #jobs = 0;
  #pendingBytes = 0;
  #idle: NodeJS.Timeout | undefined;
  /** Ends a job that takes too long: the first of those that wait, because they run one by one. */
  #watchdog: NodeJS.Timeout | undefined;

  constructor(newWorker: () => Worker = startWorker) {
    this.#newWorker = newWorker;
  }

  /** Rejects if the job fails or takes too long, or if there are too many. */
  run<J extends Job>(job: J): Promise<JobResult<J>> {
    const bytes = job.kind === "store" ? job.message.byteLength : job.request.length;
    if (this.#pending.size >= MAX_PENDING || this.#pendingBytes + bytes > MAX_PENDING_BYTES)
      return Promise.reject(new Error("too many large results at the same time"));
    clearTimeout(this.#idle);
    const worker = (this.#worker ??= this.#start());
    worker.ref();
    const number = ++this.#jobs;
    return new Promise((resolve, reject) => {
      this.#pending.set(number, { resolve: resolve as Pending["resolve"], reject, bytes });
      this.#pendingBytes += bytes;
      if (this.#pending.size === 1) this.#watch();
      const request: Request = { number, job };
      worker.postMessage(request, job.kind === "store" ? transferable(job.message) : []);
    });
  }

  close(): void {
    this.#end(new Error("the workbench is closing"));
  }

  #start(): Worker {
    const worker = this.#newWorker();
    worker.on("message", (reply: Reply) => this.#onReply(reply));
    const onEnd = (error: Error): void => {
      if (this.#worker === worker) this.#end(error);
    };
    worker.on("error", onEnd);
    worker.on("exit", () => onEnd(new Error("the thread for large results has ended")));
    return worker;
  }

  #onReply({ number, value, problem }: Reply): void {
    const pending = this.#pending.get(number);
    if (pending === undefined) return;
    this.#pending.delete(number);
    this.#pendingBytes -= pending.bytes;
    clearTimeout(this.#watchdog);
    if (problem === undefined) pending.resolve(value);
    else pending.reject(new Error(problem));
    if (this.#pending.size > 0) {
      this.#watch();
      return;
    }
    // An idle thread keeps neither the program running nor its memory for long.
    this.#worker?.unref();
    this.#idle = setTimeout(() => this.close(), IDLE_MS).unref();
  }

  #watch(): void {
    const onTimeout = (): void => this.#end(new Error("the work on a large result took too long"));
    this.#watchdog = setTimeout(onTimeout, MAX_JOB_MS);
  }

  #end(error: Error): void {
    clearTimeout(this.#idle);
    clearTimeout(this.#watchdog);
    const worker = this.#worker;
    this.#worker = undefined;
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
    this.#pendingBytes = 0;
    void worker?.terminate();
  }
}

function startWorker(): Worker {
  const here = import.meta.url;
  // In the bundled program it is a path.
  return new Worker(here.startsWith("file:") ? new URL(here) : here, {
    workerData: ROLE,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    // The work needs no settings of the environment, which may hold secrets.
    env: {},
  });
}

/** A buffer of its own is handed over; a part of a shared one has to be copied. */
function transferable({ buffer, byteLength }: Uint8Array): ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}

if (!isMainThread && workerData === ROLE)
  parentPort?.on("message", ({ number, job }: Request) => {
    let reply: Reply;
    try {
      reply = { number, value: runJob(job) };
    } catch (error) {
      reply = { number, problem: reasonOf(error) };
    }
    parentPort?.postMessage(reply);
  });
