import { readFileSync } from "node:fs";

/** How long a process has been ready to run but waited for a processor, since its start. */
export function waitedForProcessor(pid: number): number {
  try {
    const [, nanoseconds] = readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ");
    return Number(nanoseconds) / 1e6;
  } catch {
    return 0;
  }
}
