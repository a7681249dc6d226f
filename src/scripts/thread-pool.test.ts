import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { ScriptRun } from "./script-run.ts";
import { type PoolUser, ThreadPool } from "./thread-pool.ts";

const SETTINGS = {
  enabled: true,
  memoryMb: 4,
  cpuMs: 1000,
  totalMs: 1,
  calls: 1,
  parallel: 1,
  outputChars: 1,
  sourceBytes: 1,
};

class User implements PoolUser {
  readonly owner: PoolUser["owner"];
  yields = 0;

  constructor(principal: string, client = "1") {
    this.owner = { principal, client };
  }

  yieldThread(): void {
    this.yields++;
  }

  evict(): void {}
}

let folder: string;
let pool: ThreadPool;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "thread-pool-"));
  const file = join(folder, "worker.cjs");
  writeFileSync(file, 'require("node:worker_threads").parentPort.on("message", () => {});');
  pool = new ThreadPool(() => file);
});
afterEach(() => {
  pool.close();
  rmSync(folder, { recursive: true });
});

/** The names of the users that get threads, in their order. */
function recorder(): { order: string[]; take: (user: User) => Promise<void> } {
  const order: string[] = [];
  const take = async (user: User): Promise<void> => {
    const thread = await pool.take(user, false);
    order.push(user.owner.principal);
    pool.giveBack(thread);
  };
  return { order, take };
}

describe("the threads for scripts", () => {
  it("are not all used by one principal", async () => {
    const threads = [await pool.take(new User("a"), false), await pool.take(new User("a"), false)];
    const { order, take } = recorder();
    const waiting = take(new User("a"));
    await take(new User("b"));
    expect(order).toEqual(["b"]);
    for (const thread of threads) pool.giveBack(thread);
    await waiting;
    expect(order).toEqual(["b", "a"]);
  });

  it("are given to principals in turn", async () => {
    const threads = await Promise.all(
      ["x", "x", "y", "y"].map((p) => pool.take(new User(p), false)),
    );
    const { order, take } = recorder();
    const waiting = ["a", "a", "a", "b"].map((principal) => take(new User(principal)));
    const [first] = threads;
    if (first !== undefined) pool.giveBack(first);
    await Promise.all(waiting);
    expect(order).toEqual(["a", "b", "a", "a"]);
    for (const thread of threads.slice(1)) pool.giveBack(thread);
  });

  it("are asked for where that helps the one that waits", async () => {
    const [a, b] = [new User("a"), new User("b")];
    const threads = await Promise.all([a, a, b].map((user) => pool.take(user, false)));
    const { take } = recorder();
    const waiting = take(new User("a", "2"));
    expect([a.yields > 0, b.yields]).toEqual([true, 0]);
    for (const thread of threads) pool.giveBack(thread);
    await waiting;
  });

  it("have a limited number of scripts that wait, for each client and principal", async () => {
    const threads = [await pool.take(new User("a"), false), await pool.take(new User("a"), false)];
    const { take } = recorder();
    const waiting = Array.from({ length: 16 }, () => take(new User("a")));
    await expect(take(new User("a"))).rejects.toThrow(/16 scripts are waiting/);
    waiting.push(...Array.from({ length: 16 }, () => take(new User("a", "2"))));
    await expect(take(new User("a", "3"))).rejects.toThrow(/32 scripts are waiting/);
    await take(new User("b"));
    for (const thread of threads) pool.giveBack(thread);
    await Promise.all(waiting);
  });

  it("are not waited for longer than a script may take", async () => {
    const threads = [await pool.take(new User("a"), false), await pool.take(new User("a"), false)];
    const run = new ScriptRun(pool, {
      source: "",
      owner: { principal: "a", client: "1" },
      input: "{}",
      results: {},
      settings: SETTINGS,
      startCall: () => {
        throw new Error("it is never started");
      },
      signal: new AbortController().signal,
    });
    await expect(run.run()).rejects.toThrow(/Too many scripts .* 1 ms \(setting scripts.totalMs\)/);
    for (const thread of threads) pool.giveBack(thread);
  });
});
