/** Upper bounds that do not blame the program for what the machine does besides. */
import { availableParallelism, loadavg } from "node:os";
import { readFileSync } from "node:fs";

const PER_WAITING_PROCESS_MS = 500;
const MOST_MS = 3000;

/**
 * The bound itself on a machine that has a processor for everybody who wants one; half a second
 * more for each process per processor that has to wait for its turn, three seconds at most.
 */
export function bound(ms: number): number {
  const waiting = (loadavg()[0] ?? 0) / availableParallelism() - 1;
  return ms + Math.min(MOST_MS, Math.max(0, waiting) * PER_WAITING_PROCESS_MS);
}

/** How long a process has been ready to run but waited for a processor, since its start. */
export function waitedForProcessor(pid: number): number {
  try {
    const [, nanoseconds] = readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ");
    return Number(nanoseconds) / 1e6;
  } catch {
    return 0;
  }
}
