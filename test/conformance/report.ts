import type { LegResult } from "./proof.ts";
import type { ScenarioResult } from "./suite.ts";
import { hasPassed } from "./verdict.ts";

const COLUMNS = ["revision", "subject", "scored", "unscored", "checks", "warnings", "time", ""];

/** A table with one line for each leg, and below it everything that is wrong or may be. */
export function formatReport(legs: readonly LegResult[]): string {
  const rows = [COLUMNS, ...legs.map(rowOf)];
  const widths = COLUMNS.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const table = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join("  ")
      .trimEnd(),
  );
  return [...table, ...legs.flatMap(remarksOn)].join("\n");
}

function rowOf({ revision, name, results, seconds, problems }: LegResult): string[] {
  return [
    revision,
    name,
    passedOf(results.filter(({ scored }) => scored)),
    passedOf(results.filter(({ scored }) => !scored)),
    String(sum(results, ({ passed }) => passed)),
    String(sum(results, (result) => count(result, "WARNING"))),
    `${seconds.toFixed(1)} s`,
    problems.length === 0 ? "ok" : "FAILED",
  ];
}

function remarksOn({ revision, name, results, problems }: LegResult): string[] {
  const warnings = results.flatMap((result) =>
    result.findings
      .filter(({ status }) => status === "WARNING")
      .map(({ id, message }) => `  warning: ${result.name}: ${id}: ${message}`),
  );
  const remarks = [...problems.map((problem) => `  problem: ${problem}`), ...warnings];
  return remarks.length === 0 ? [] : ["", `${revision}, ${name}`, ...remarks];
}

function passedOf(results: readonly ScenarioResult[]): string {
  return `${results.filter(hasPassed).length}/${results.length}`;
}

function count({ findings }: ScenarioResult, status: string): number {
  return findings.filter((finding) => finding.status === status).length;
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}
