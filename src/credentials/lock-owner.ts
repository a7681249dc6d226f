import { createHash, randomUUID } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

import { isProcessRunning } from "../files/is-running.ts";
import { asText, isObject, parseJson } from "../text/json.ts";

/** The content of a lock file. */
export interface LockOwner {
  readonly pid: number;
  /** Where the process id means something; see `pidSpace`. */
  readonly space: string;
  /** Differs for every time the lock is taken. */
  readonly nonce: string;
}

export function newOwner(): LockOwner {
  return { pid: process.pid, space: pidSpace(), nonce: randomUUID() };
}

/** The owner in a lock file; a file that is just being written, or is damaged, has an empty nonce. */
export function parseOwner(text: string): LockOwner {
  const value = parseJson(text);
  const { pid, space, nonce } = isObject(value) ? value : {};
  return {
    pid: Number.isSafeInteger(pid) ? Number(pid) : 0,
    space: asText(space),
    nonce: asText(nonce),
  };
}

/** True only if the process has certainly ended. */
export function isDead({ pid, space }: LockOwner): boolean {
  return pid > 0 && space === pidSpace() && !isProcessRunning(pid);
}

/**
 * Identifies the machine, its current run and the container whose process ids this process sees.
 * Sandboxes with their own process ids share files and host name with the rest of the machine.
 */
function pidSpace(): string {
  const parts = [
    hostname(),
    attempt(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8")),
    attempt(() => readlinkSync("/proc/self/ns/pid")),
  ];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16);
}

/** Only Linux has these files. */
function attempt(read: () => string): string {
  try {
    return process.platform === "linux" ? read() : "";
  } catch {
    return "";
  }
}
