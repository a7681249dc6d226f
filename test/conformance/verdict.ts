/** When a run of the suite is good enough. */
import { readFile } from "node:fs/promises";
import { parse } from "yaml";
import type { ScenarioResult } from "./suite.ts";

/** The scenarios, or single checks as `scenario:check`, that are known to fail, by side. */
export interface ExpectedFailures {
  readonly server: readonly string[];
  readonly client: readonly string[];
}

export async function loadExpectedFailures(): Promise<ExpectedFailures> {
  const file = new URL("expected-failures.yaml", import.meta.url);
  const content = parse(await readFile(file, "utf8")) as Partial<ExpectedFailures> | null;
  return { server: content?.server ?? [], client: content?.client ?? [] };
}

/**
 * What is wrong with the results of one run, one line each: every failed check of a scenario that
 * counts or is required, and of one that passes directly; and every expectation that is out of date.
 *
 * @param direct the results of the same scenarios without a workbench, where that exists
 */
export function problemsOf(
  results: readonly ScenarioResult[],
  expected: readonly string[],
  direct: readonly ScenarioResult[] = [],
): string[] {
  const passesDirectly = new Set(direct.filter(hasPassed).map(({ name }) => name));
  const used = new Set<string>();
  const problems = results
    .filter(
      ({ name, scored, isRequired }) => scored || isRequired === true || passesDirectly.has(name),
    )
    .flatMap(({ name, findings }) =>
      findings
        .filter(({ status }) => status === "FAILURE")
        .filter(({ id }) => {
          const entry = [name, `${name}:${id}`].find((candidate) => expected.includes(candidate));
          if (entry !== undefined) used.add(entry);
          return entry === undefined;
        })
        .map(({ id, message }) => `${name}: ${id}: ${message}`),
    );
  const stale = expected.filter((entry) => !used.has(entry) && wasRun(results, entry));
  return [...problems, ...stale.map((entry) => `${entry}: expected to fail, but passes`)];
}

export function hasPassed({ findings }: ScenarioResult): boolean {
  return findings.every(({ status }) => status !== "FAILURE");
}

function wasRun(results: readonly ScenarioResult[], entry: string): boolean {
  return results.some(({ name }) => entry === name || entry.startsWith(`${name}:`));
}
