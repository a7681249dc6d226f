import { EventEmitter } from "node:events";
import type { Worker } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { ResolveJob } from "./jobs.ts";
import { ResultThread } from "./thread.ts";

/** A thread that answers when the test says so. */
class FakeWorker extends EventEmitter {
  readonly numbers: number[] = [];
  ends = 0;
  ref(): void {}
  unref(): void {}
  postMessage({ number }: { number: number }): void {
    this.numbers.push(number);
  }
  async terminate(): Promise<number> {
    return ++this.ends;
  }
  answer(): void {
    this.emit("message", { number: this.numbers.shift(), value: "done" });
  }
}

const job = (request = "{}"): ResolveJob => ({
  kind: "resolve",
  request,
  at: "params.arguments",
  files: {},
  maxBytes: 1,
});
const LARGE = "x".repeat(100 * 1024 * 1024);

function scene(): { worker: FakeWorker; thread: ResultThread } {
  const worker = new FakeWorker();
  return { worker, thread: new ResultThread(() => worker as unknown as Worker) };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("the thread for large results", () => {
  it("takes many jobs at the same time", async () => {
    const { worker, thread } = scene();
    const jobs = Array.from({ length: 100 }, () => thread.run(job()));
    while (worker.numbers.length > 0) worker.answer();
    expect(new Set(await Promise.all(jobs))).toEqual(new Set(["done"]));
  });

  it("refuses what does not fit into the memory beside what waits", async () => {
    const { worker, thread } = scene();
    const first = [thread.run(job(LARGE)), thread.run(job(LARGE))];
    await expect(thread.run(job(LARGE))).rejects.toThrow("too many large results");
    worker.answer();
    const third = thread.run(job(LARGE));
    worker.answer();
    worker.answer();
    expect(await Promise.all([...first, third])).toEqual(["done", "done", "done"]);
  });

  it("ends with a job that takes too long, but not because many wait", async () => {
    const { worker, thread } = scene();
    const jobs = Array.from({ length: 3 }, () => thread.run(job()));
    vi.advanceTimersByTime(20_000);
    worker.answer();
    vi.advanceTimersByTime(20_000);
    worker.answer();
    const last = jobs[2]?.catch(String);
    vi.advanceTimersByTime(30_000);
    expect(await last).toContain("took too long");
    expect(await Promise.all(jobs.slice(0, 2))).toEqual(["done", "done"]);
    expect(worker.ends).toBe(1);
  });
});
