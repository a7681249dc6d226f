/**
 * With PROCESSOR_TIME_REPORT=FILE, appends the processor time of each test file to it, the programs it started
 * included: elapsed times say little while several files share the processors.
 */
import { appendFileSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { afterAll, expect } from "vitest";

/** The fields of `/proc/PID/stat` after the name: own time, and that of children that have ended. */
const TIMES = { from: 11, to: 15 };
const TICKS_PER_SECOND = 100;

function usedSeconds(): number {
  const stat = readFileSync("/proc/self/stat", "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = fields.slice(TIMES.from, TIMES.to).reduce((sum, field) => sum + Number(field), 0);
  return ticks / TICKS_PER_SECOND;
}

export function reportProcessorTime(report: string): void {
  const before = usedSeconds();
  const begin = performance.now();
  afterAll(() => {
    const file = relative(process.cwd(), expect.getState().testPath ?? "");
    const elapsed = (performance.now() - begin) / 1000;
    const used = usedSeconds() - before;
    appendFileSync(report, `${used.toFixed(1)} ${elapsed.toFixed(1)} ${file}\n`);
  });
}
