/**
 * What the operating system reports about processes: a witness that cannot be fooled. Linux only.
 */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

/** Every server that a test configures carries this variable, so that its processes can be found. */
export const MARKER_VARIABLE = "WB_TEST_RUN";

export interface ProcessInfo {
  readonly pid: number;
  readonly ppid: number;
  /** The process group; a group leader has its own pid here. */
  readonly pgid: number;
  /** One letter as in `ps`: `S` sleeping, `R` running, `Z` zombie. */
  readonly state: string;
  readonly cpuMs: number;
  readonly command: string;
}

const MS_PER_CLOCK_TICK = 10;

function readProc(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return undefined;
  }
}

/** What is known about a process, or undefined when there is none with this pid. */
export function processInfo(pid: number): ProcessInfo | undefined {
  const stat = readProc(pid, "stat");
  if (stat === undefined) return undefined;
  // The command name may hold spaces and parentheses, so the fields are counted after its end.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return {
    pid,
    state: fields[0] ?? "?",
    ppid: Number(fields[1]),
    pgid: Number(fields[2]),
    cpuMs: (Number(fields[11]) + Number(fields[12])) * MS_PER_CLOCK_TICK,
    command: (readProc(pid, "cmdline") ?? "").split("\0").join(" ").trim(),
  };
}

function allPids(): number[] {
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number);
}

function infosOf(pids: readonly number[]): ProcessInfo[] {
  return pids.map(processInfo).filter((info) => info !== undefined);
}

/**
 * Every process that carries the marker, wherever it was re-parented to. Zombies no longer have an
 * environment and so never count; `zombiesOf` finds the ones that a parent did not reap.
 */
export function processesOf(marker: string): ProcessInfo[] {
  return processesWith(MARKER_VARIABLE, marker);
}

/** Every process with this variable in the environment it was started with. */
export function processesWith(variable: string, value: string): ProcessInfo[] {
  const entry = `${variable}=${value}`;
  // Read first: every test asks for its processes, and few of all processes have the entry.
  const hasEntry = (pid: number): boolean =>
    (readProc(pid, "environ") ?? "").split("\0").includes(entry);
  return infosOf(allPids().filter(hasEntry));
}

/** Children that have ended but were never waited for by `parent`. */
export function zombiesOf(parent: number): ProcessInfo[] {
  return infosOf(allPids()).filter((info) => info.ppid === parent && info.state === "Z");
}

/** True while the process runs; a zombie does not. */
export function alive(pid: number): boolean {
  const info = processInfo(pid);
  return info !== undefined && info.state !== "Z";
}

/** Sends a signal to a process, unless it has ended by itself since it was found. */
export function killIfAlive(pid: number, signal: NodeJS.Signals = "SIGKILL"): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Resident memory in bytes. */
export function rss(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(readProc(pid, "status") ?? "")?.[1];
  return Number(kilobytes ?? 0) * 1024;
}

/** Open file descriptors, each with what it leads to. */
export function fds(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((fd) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${fd}`);
      } catch {
        return "closed";
      }
    });
  } catch {
    return [];
  }
}

/** Processor time used so far, in milliseconds. */
export function cpu(pid: number): number {
  return processInfo(pid)?.cpuMs ?? 0;
}

/**
 * Waits until the condition returns something truthy and returns it; fails after `ms` with a
 * description.
 */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  ms: number,
  what: string,
): Promise<Exclude<T, undefined | null | false | 0 | "">> {
  const deadline = performance.now() + ms;
  for (;;) {
    const value = await condition();
    if (value) return value as Exclude<T, undefined | null | false | 0 | "">;
    if (performance.now() > deadline) throw new Error(`waited ${ms} ms in vain for ${what}`);
    await delay(15);
  }
}

/** The time of a process on a processor, user and system, of all threads: other processes hardly change it. */
export function cpuMsOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]),
  );
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e6;
}
