import type { SoakReport } from "./run.ts";

const cell = (value: number, digits = 1): string => value.toFixed(digits).padStart(9);

/** The report as a table for people. */
export function tableOf(report: SoakReport): string {
  const { tally, steady, faults, series, kept } = report;
  const rows = series.map(({ name, unit, values, secondHalf, isFlat }) => {
    const { slopePerHour, errorPerHour, rise } = secondHalf;
    const sorted = [...values].sort((a, b) => a - b);
    const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
    return [
      name.padEnd(20),
      cell(values[0] ?? 0),
      cell(median),
      cell(sorted.at(-1) ?? 0),
      cell(values.at(-1) ?? 0),
      cell(rise, 2),
      `${cell(slopePerHour)} ±${(2 * errorPerHour).toFixed(1)}`.padEnd(20),
      isFlat ? "flat" : "NOT FLAT",
      unit,
    ].join(" ");
  });
  return [
    `${tally.calls} calls in ${report.seconds.toFixed(0)} s: ${tally.right} right, ${tally.refused} refused with a reason, ` +
      `${tally.wrong.length} wrong, ${tally.missing.length} unanswered, ${tally.late.length} late`,
    `bystander: ${tally.tookSteady.length} calls, p50 ${steady.p50} ms, p99 ${steady.p99} ms, max ${steady.max} ms`,
    `faults: ${[...faults].map(([name, count]) => `${count} ${name}`).join(", ")}`,
    "",
    `${"".padEnd(20)}     first    median      most      last      rise  slope per hour`,
    ...rows,
    "",
    `kept on the heap when all is quiet: ${[...kept].map(([name, mb]) => `${name} ${mb.toFixed(1)} MB`).join(", ")}`,
    `processes left: ${report.processesLeft}`,
    ...report.problems.map((problem) => `PROBLEM ${problem}`),
  ].join("\n");
}
