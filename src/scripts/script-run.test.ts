import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { ScriptBudget } from "./script-budget.ts";
import { ScriptRun } from "./script-run.ts";
import type { SettledCall } from "./started-call.ts";
import { Sleeps } from "./sleeps.ts";
import { ThreadPool } from "./thread-pool.ts";

const SETTINGS = {
  enabled: true,
  memoryMb: 64,
  cpuMs: 60_000,
  totalMs: 60_000,
  calls: 1,
  parallel: 1,
  outputChars: 1000,
  sourceBytes: 1000,
};

/** A thread that makes a call, can be suspended, and ends when it is continued. */
const WORKER = `const { parentPort } = require("node:worker_threads");
const output = { value: "1", valueChars: 1, log: "", emitted: [], cpuMs: 0 };
const image = { memory: new Uint8Array(1024), numbers: [], cpuMs: 0 };
const state = { image, open: [], log: [], logChars: 0, mediaChars: 0, media: [], emitted: [] };
const answers = {
  start: { kind: "request", request: { id: 1, kind: "call", subject: "a/b/c", args: "{}" } },
  suspend: { kind: "suspended", state },
  settle: { kind: "end", end: { kind: "value" }, output },
};
parentPort.on("message", ({ kind }) => answers[kind] && parentPort.postMessage(answers[kind]));`;

const OWNER = { principal: "a", client: "1" };

let folder: string;
let pool: ThreadPool;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "script-run-"));
  const file = join(folder, "worker.cjs");
  writeFileSync(file, WORKER);
  pool = new ThreadPool(() => file);
});
afterEach(() => {
  pool.close();
  rmSync(folder, { recursive: true });
});

/** A script that is forced to give its thread up while it waits for its call. */
function forcedRun(): { run: ScriptRun; settle: (settled: SettledCall) => void } {
  let onSettled: (settled: SettledCall) => void = () => {};
  const run: ScriptRun = new ScriptRun(pool, {
    source: "",
    owner: OWNER,
    input: "{}",
    results: {},
    settings: SETTINGS,
    startCall: (_path, _args, settled) => {
      onSettled = settled;
      run.yieldThread(true);
      return { cancel: () => {}, isSent: () => true, mayHaveChanged: () => false };
    },
    signal: new AbortController().signal,
  });
  return { run, settle: (settled) => onSettled(settled) };
}

describe("a script whose thread another client needs", () => {
  it("continues when its call has ended, if its memory can be kept", async () => {
    const { run, settle } = forcedRun();
    const ended = run.run();
    // Both threads of the principal are used until the script has given its own back.
    const other = { owner: OWNER, evict: () => {}, yieldThread: () => {} };
    const first = await pool.take(other, false);
    const second = await pool.take(other, false);
    const answer = { kind: "failure", message: "no" } as const;
    settle({ answer, isFailure: true, mayHaveChanged: false });
    pool.giveBack(first);
    expect((await ended).end).toEqual({ kind: "value" });
    pool.giveBack(second);
  });

  it("is stopped if its client keeps too much memory already", async () => {
    pool.kept.add({ owner: OWNER, evict: () => {} }, 3 * 64 * 1024 * 1024);
    const { end } = await forcedRun().run.run();
    expect(end).toEqual({ kind: "evicted" });
  });
});

describe("a script that sleeps", () => {
  it("sleeps only for the rest of the time when it is continued elsewhere", () => {
    const sleeps = new Sleeps(() => {});
    sleeps.start(1, 600_000);
    const call = { id: 2, kind: "call", subject: "a/b/c", args: "{}" } as const;
    const sleep = { id: 1, kind: "sleep", subject: "900000", args: "" } as const;
    const [shortened, unchanged] = sleeps.shortened([sleep, call]);
    expect(Number(shortened?.subject)).toBeLessThanOrEqual(600_000);
    expect(unchanged).toEqual(call);
    sleeps.clear();
    expect(sleeps.size).toBe(0);
  });
});

describe("scripts that share a budget", () => {
  function sharing(budget: ScriptBudget): { run: ScriptRun; started: string[] } {
    const started: string[] = [];
    const run = new ScriptRun(pool, {
      source: "",
      owner: OWNER,
      input: "{}",
      results: {},
      settings: SETTINGS,
      budget,
      startCall: (path, _args, onSettled) => {
        started.push(path);
        const answer = { kind: "failure", message: "", code: "" } as const;
        queueMicrotask(() => onSettled({ answer, isFailure: false, mayHaveChanged: false }));
        return { cancel: () => {}, isSent: () => true, mayHaveChanged: () => false };
      },
      signal: new AbortController().signal,
    });
    return { run, started };
  }

  it("make no more calls together than one may make", async () => {
    const budget = new ScriptBudget();
    const [first, second] = [sharing(budget), sharing(budget)];
    expect((await first.run.run()).isShared).toBe(false);
    expect((await second.run.run()).isShared).toBe(true);
    expect([first.started, second.started]).toEqual([["a/b/c"], []]);
  });

  it("compute no longer together than one may compute", async () => {
    const budget = new ScriptBudget();
    const other = { cpuMs: SETTINGS.cpuMs };
    budget.add(other);
    budget.end(other);
    const { run, started } = sharing(budget);
    expect((await run.run()).end).toEqual({ kind: "limit", limit: "cpuMs" });
    expect(started).toEqual([]);
  });
});
