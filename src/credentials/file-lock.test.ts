import {
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { spawnSync } from "node:child_process";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { GENEROUS_MS } from "../../test/support/clients/json-rpc.ts";
import { newFolder } from "../../test/support/new-folder.ts";
import { waitFor } from "../../test/support/proc.ts";
import { type HeldLock, LOCK_TIMING, type LockTiming, takeLock } from "./file-lock.ts";
import { newOwner, parseOwner } from "./lock-owner.ts";

let folder: string;
let file: string;

beforeEach(() => {
  folder = newFolder("lock");
  file = join(folder, "x.lock");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Clock extends LockTiming {
  /** Milliseconds that were waited. */
  passed: number;
}

const START = Date.UTC(2026, 0, 1);

/** A clock on which time passes only by waiting; `onWait` is called after each wait. */
function clock(onWait: (passed: number) => void = () => {}, maxWaitMs = 90_000): Clock {
  const timing: Clock = {
    ...LOCK_TIMING,
    passed: 0,
    maxWaitMs,
    now: () => START + timing.passed,
    monotonic: () => timing.passed,
    async wait(ms) {
      timing.passed += ms;
      onWait(timing.passed);
    },
  };
  return timing;
}

const failure = (reason: string): Error => new Error(reason);
const take = (timing: LockTiming): Promise<HeldLock> => takeLock(file, timing, failure);

/** A lock that another process holds, and last touched at this time. */
function foreignLock(
  at: number,
  owner: object = { pid: 1, space: "elsewhere", nonce: "n1" },
): void {
  writeFileSync(file, JSON.stringify(owner));
  touch(at);
}

function touch(at: number): void {
  utimesSync(file, new Date(at), new Date(at));
}

/** The id of a process that has ended. */
function deadPid(): number {
  return spawnSync(process.execPath, ["-e", ""]).pid;
}

describe("a lock", () => {
  it("is a private file that names its holder, and is removed at the end", async () => {
    const lock = await take(clock());
    expect(parseOwner(readFileSync(file, "utf8")).pid).toBe(process.pid);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await lock.assertHeld();
    await lock.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it("is waited for until its holder releases it", async () => {
    const first = await take(clock());
    let released: Promise<void> | undefined;
    const timing = clock((passed) => {
      if (released === undefined) touch(timing.now());
      if (passed > 1000) released ??= first.release();
    });
    const second = await take(timing);
    expect(timing.passed).toBeGreaterThan(1000);
    await second.assertHeld();
    await released;
    expect(existsSync(file)).toBe(true);
    await second.release();
  });

  it("is not waited for without end, and the error names the holder", async () => {
    foreignLock(START);
    const timing = clock(() => touch(timing.now()));
    await expect(take(timing)).rejects.toThrow("process 1 does not release its lock");
    expect(timing.passed).toBeLessThan(91_000);
    expect(parseOwner(readFileSync(file, "utf8")).nonce).toBe("n1");
  });
});

describe("the lock of a dead process", () => {
  it("is taken over at once if the process has certainly ended", async () => {
    foreignLock(START, { ...newOwner(), pid: deadPid() });
    const timing = clock();
    await (await take(timing)).release();
    expect(timing.passed).toBe(0);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("is taken over within 35 seconds if nothing is known about the process", async () => {
    foreignLock(START, { pid: deadPid(), space: "another machine", nonce: "n1" });
    const timing = clock();
    const lock = await take(timing);
    expect(timing.passed).toBeGreaterThanOrEqual(30_000);
    expect(timing.passed).toBeLessThan(35_000);
    await lock.assertHeld();
    await lock.release();
  });

  it.each([
    ["an old lock", START - 60_000],
    ["a lock from the future", START + 60_000],
  ])("is watched for a moment first: %s", async (_, at) => {
    foreignLock(at);
    const timing = clock();
    await (await take(timing)).release();
    expect(timing.passed).toBeGreaterThanOrEqual(5000);
    expect(timing.passed).toBeLessThan(6000);
  });

  it("is not confused with one that is old because the machine slept", async () => {
    foreignLock(START - 3_600_000);
    const timing = clock(() => touch(timing.now()), 20_000);
    await expect(take(timing)).rejects.toThrow("does not release");
  });

  it("is taken over after a second if it is empty or damaged", async () => {
    for (const text of ["", "{", '"x"']) {
      writeFileSync(file, text);
      touch(START);
      const timing = clock();
      await (await take(timing)).release();
      expect(timing.passed).toBeGreaterThanOrEqual(1000);
      expect(timing.passed).toBeLessThan(1500);
    }
    expect(readdirSync(folder)).toEqual([]);
  });

  // There are no named pipes in the file system of Windows.
  it.skipIf(process.platform === "win32")("is not waited for if it is not a file", async () => {
    spawnSync("mkfifo", [file]);
    await expect(take(clock())).rejects.toThrow("is not a file");
  });
});

describe("the holder of a lock", () => {
  it("touches it as long as it holds it, so that it does not get stale", async () => {
    const lock = await take({ ...clock(), touchMs: 1, now: () => START });
    const touched = (): boolean => statSync(file).mtimeMs === START;
    for (let round = 0; round < 2; round++) {
      touch(START - 60_000);
      expect(await waitFor(touched, GENEROUS_MS, "the lock to be touched")).toBe(true);
    }
    await lock.release();
  });

  it("notices that another process took it over, and leaves its lock alone", async () => {
    const lock = await take(clock());
    foreignLock(START);
    await expect(lock.assertHeld()).rejects.toThrow("another process took its lock over");
    await lock.release();
    expect(parseOwner(readFileSync(file, "utf8")).nonce).toBe("n1");
  });

  it("notices that its lock was deleted", async () => {
    const lock = await take(clock());
    rmSync(file);
    await expect(lock.assertHeld()).rejects.toThrow("another process took its lock over");
    await lock.release();
  });

  it("keeps it if it is missing only for a moment", async () => {
    let text = "";
    const lock = await take(clock(() => writeFileSync(file, text)));
    text = readFileSync(file, "utf8");
    rmSync(file);
    await lock.assertHeld();
    await lock.release();
    expect(readdirSync(folder)).toEqual([]);
  });
});
