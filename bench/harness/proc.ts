import { readFileSync, readdirSync, writeFileSync } from "node:fs";

/** Measurements of a process on Linux; undefined on other systems. */

const TICKS_PER_SECOND = 100;
/** `utime` and `stime`, counted from the field after the name of the program. */
const USER_TIME = 11;
const SYSTEM_TIME = 12;

/** Milliseconds of processor time, of all threads, since the process began. */
export function cpuMs(pid: number): number | undefined {
  return scheduledMs(pid) ?? countedMs(pid);
}

/** In nanoseconds, where the kernel records the run time of processes. */
function scheduledMs(pid: number): number | undefined {
  let total = 0;
  for (const thread of list(`/proc/${pid}/task`)) {
    const nanoseconds = Number(read(`/proc/${pid}/task/${thread}/schedstat`)?.split(" ")[0]);
    if (!Number.isNaN(nanoseconds)) total += nanoseconds;
  }
  return total === 0 ? undefined : total / 1e6;
}

/** In steps of ten milliseconds. */
function countedMs(pid: number): number | undefined {
  const stat = read(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The name is in brackets and may contain blanks.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = Number(fields[USER_TIME]) + Number(fields[SYSTEM_TIME]);
  return (ticks * 1_000) / TICKS_PER_SECOND;
}

export function memoryMB(pid: number): number | undefined {
  return statusMB(pid, "VmRSS");
}

/** The most memory since the last `forgetPeak`. */
export function peakMB(pid: number): number | undefined {
  return statusMB(pid, "VmHWM");
}

export function forgetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, "5");
  } catch {
    // Otherwise the peak is the one since the start, which is an upper bound.
  }
}

function statusMB(pid: number, key: string): number | undefined {
  const kilobytes = new RegExp(`^${key}:\\s+(\\d+)`, "m").exec(
    read(`/proc/${pid}/status`) ?? "",
  )?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1_024;
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
