/** What a process uses, so that it can be compared with what it used before a fault. */
import { setTimeout as delay } from "node:timers/promises";
import { cpu, fds, processInfo, type ProcessInfo, rss } from "../support/proc.ts";
import type { Place } from "../support/workbench.ts";

export interface Resources {
  /** Open files except the pipes to running servers. */
  readonly fds: number;
  readonly rss: number;
}

const PIPES_PER_SERVER = 3;

export function resourcesOf(pid: number, place: Place): Resources {
  return {
    fds: fds(pid).length - PIPES_PER_SERVER * serversOf(pid, place).length,
    rss: rss(pid),
  };
}

/** The servers that the program itself has started, without their descendants. */
export function serversOf(pid: number, place: Place): ProcessInfo[] {
  return place.servers().filter(({ ppid }) => ppid === pid);
}

/** The share of one processor that a process uses during the next `ms`. */
export async function cpuShare(pid: number, ms: number): Promise<number> {
  const before = cpu(pid);
  const begin = performance.now();
  await delay(ms);
  return (cpu(pid) - before) / (performance.now() - begin);
}

/** Watches the memory of a process and returns its peak when stopped. */
export function watchMemory(pid: number, everyMs = 20): () => number {
  let peak = rss(pid);
  const timer = setInterval(() => {
    peak = Math.max(peak, rss(pid));
  }, everyMs);
  return () => {
    clearInterval(timer);
    return Math.max(peak, rss(pid));
  };
}

export function isRunning(pid: number): boolean {
  return (processInfo(pid)?.state ?? "Z") !== "Z";
}
