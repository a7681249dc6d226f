import { closeSync, futimesSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { link, readFile, rm, stat } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";

import { codeOf } from "../text/error-code.ts";
import { isDead, type LockOwner, newOwner, parseOwner } from "./lock-owner.ts";

export interface LockTiming {
  /** Milliseconds since the epoch, for the age of files. */
  now(): number;
  /** Milliseconds that never jump, for waiting. */
  monotonic(): number;
  wait(ms: number): Promise<unknown>;
  /** How often a holder shows that it is alive. */
  readonly touchMs: number;
  /** A lock that was not touched for this long belongs to a dead process. */
  readonly staleMs: number;
  /** How long to wait for a lock whose holder is alive. */
  readonly maxWaitMs: number;
}

export const LOCK_TIMING: LockTiming = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  wait: (ms) => delay(ms),
  touchMs: 2000,
  staleMs: 30_000,
  maxWaitMs: 90_000,
};

export interface HeldLock {
  /** Rejects if another process took the lock over. */
  assertHeld(): Promise<void>;
  release(): Promise<void>;
}

const FIRST_POLL_MS = 20;
const MAX_POLL_MS = 250;
/** A waiting process has to see that a lock does not change before it takes it over. */
const OBSERVED_PART = 1 / 6;
/** A holder writes its name right after it creates the file; a lock without a name is of a process that was killed there. */
const UNNAMED_MS = 1000;
/** A process that takes over a stale lock can move the lock of a faster one for a moment. */
const MISSING_TRIES = 5;

/**
 * Takes a lock that is a file, so that it works between processes on every system. The file names its
 * holder, who touches it. A lock of a dead process is renamed before it is deleted: of several
 * processes that find it, one can rename it. `failure` makes the error if the lock is not obtained or
 * lost.
 */
export async function takeLock(
  file: string,
  timing: LockTiming,
  failure: (reason: string) => Error,
): Promise<HeldLock> {
  const owner = newOwner();
  const start = timing.monotonic();
  let seen: Observed | undefined;
  for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(pollMs * 1.5, MAX_POLL_MS)) {
    const descriptor = await create(file, owner);
    if (descriptor !== undefined) return hold(file, descriptor, owner, timing, failure);
    seen = await observe(file, seen, timing);
    if (seen !== undefined && isStale(seen, timing)) {
      await removeStale(file, seen.owner);
      seen = undefined;
      continue;
    }
    if (timing.monotonic() - start > timing.maxWaitMs) throw failure(busyReason(seen));
    // Different for each process, so that they do not meet again and again.
    await timing.wait(pollMs * (0.5 + Math.random()));
  }
}

interface Observed {
  readonly owner: LockOwner;
  readonly mtimeMs: number;
  /** When this process first saw it in this state. */
  readonly since: number;
}

async function create(file: string, owner: LockOwner): Promise<number | undefined> {
  let descriptor: number;
  try {
    descriptor = openSync(file, "wx", 0o600);
  } catch (error) {
    // Windows reports a file that is being deleted in this way.
    if (codeOf(error) === "EEXIST" || isBusyOnWindows(error)) return undefined;
    throw error;
  }
  try {
    // Without a pause after `open`, so that other processes rarely see a lock that names no holder.
    writeSync(descriptor, JSON.stringify(owner));
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    await rm(file, { force: true });
    throw error;
  }
}

async function observe(
  file: string,
  seen: Observed | undefined,
  timing: LockTiming,
): Promise<Observed | undefined> {
  try {
    const found = await stat(file);
    // Reading a pipe would wait for a writer.
    if (!found.isFile()) throw new Error(`${file} is not a file`);
    const owner = parseOwner(await readFile(file, "utf8"));
    const { mtimeMs } = found;
    const isSame = seen?.owner.nonce === owner.nonce && seen.mtimeMs === mtimeMs;
    return isSame ? seen : { owner, mtimeMs, since: timing.monotonic() };
  } catch (error) {
    if (codeOf(error) === "ENOENT" || isBusyOnWindows(error)) return undefined;
    throw error;
  }
}

/**
 * The age alone is not enough: after the machine slept, the locks of living processes are old, and
 * clocks may be set.
 */
function isStale({ owner, mtimeMs, since }: Observed, timing: LockTiming): boolean {
  if (isDead(owner)) return true;
  const unchanged = timing.monotonic() - since;
  // If its holder is alive, but stopped there, it notices by `assertHeld`.
  if (owner.nonce === "" && unchanged >= UNNAMED_MS) return true;
  const age = Math.abs(timing.now() - mtimeMs);
  if (unchanged >= timing.staleMs) return true;
  return age >= timing.staleMs && unchanged >= timing.staleMs * OBSERVED_PART;
}

async function removeStale(file: string, stale: LockOwner): Promise<void> {
  const aside = `${file}.${newOwner().nonce}`;
  try {
    // Without a pause in between, in which another process could replace the lock.
    if (parseOwner(readFileSync(file, "utf8")).nonce !== stale.nonce) return;
    renameSync(file, aside);
  } catch (error) {
    if (codeOf(error) === "ENOENT" || isBusyOnWindows(error)) return;
    throw error;
  }
  try {
    const taken = parseOwner(await readFile(aside, "utf8"));
    // Another process was faster, and this is its new lock. If it cannot be put back, its holder
    // notices by `assertHeld`.
    if (taken.nonce !== stale.nonce) await link(aside, file).catch(() => undefined);
  } finally {
    await rm(aside, { force: true });
  }
}

function hold(
  file: string,
  descriptor: number,
  owner: LockOwner,
  timing: LockTiming,
  failure: (reason: string) => Error,
): HeldLock {
  // By its descriptor: if the lock was taken over, the file of the new holder is not touched.
  const touch = (): void => {
    const at = new Date(timing.now());
    try {
      futimesSync(descriptor, at, at);
    } catch {
      // Other processes may take the lock over; `assertHeld` finds out.
    }
  };
  const timer = setInterval(touch, timing.touchMs).unref();
  const isHeld = async (): Promise<boolean> => {
    for (let tries = 1; ; tries++) {
      const text = await readFile(file, "utf8").catch(() => undefined);
      if (text !== undefined || tries === MISSING_TRIES)
        return parseOwner(text ?? "").nonce === owner.nonce;
      await timing.wait(FIRST_POLL_MS);
    }
  };
  return {
    async assertHeld() {
      if (!(await isHeld())) throw failure("another process took its lock over");
    },
    async release() {
      clearInterval(timer);
      closeSync(descriptor);
      if (await isHeld()) await rm(file, { force: true });
    },
  };
}

function busyReason(seen: Observed | undefined): string {
  const pid = seen?.owner.pid ?? 0;
  return pid > 0 ? `process ${pid} does not release its lock` : "its lock is not released";
}

function isBusyOnWindows(error: unknown): boolean {
  return process.platform === "win32" && /^(?:EPERM|EBUSY|EACCES)$/.test(codeOf(error) ?? "");
}
