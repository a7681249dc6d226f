/** The official suite: what it requires, how it is run, and its results. */
import { readFile, readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { parse } from "yaml";
import { REQUIREMENTS } from "./bundled-suite.ts";
import { type Suite, withSuite } from "./suite-process.ts";
import { withTemporaryDirectory } from "./temporary.ts";

export type Revision = "2025-11-25" | "2026-07-28";

export interface Scenario {
  readonly name: string;
  /** The suite runs some scenarios without counting them. */
  readonly scored: boolean;
  /** Counts here although the suite does not score it. */
  readonly isRequired?: true;
}

export interface Finding {
  readonly id: string;
  readonly status: "FAILURE" | "WARNING";
  readonly message: string;
}

export interface ScenarioResult extends Scenario {
  readonly passed: number;
  readonly findings: readonly Finding[];
}

const SERVER_RUN_MS = 240_000;
const CLIENT_SCENARIO_MS = 90_000;

/** The scenarios that measure one side at a revision. */
export async function scenariosOf(
  revision: Revision,
  side: "server" | "client",
): Promise<Scenario[]> {
  const file = new URL(`${revision}.yaml`, REQUIREMENTS);
  const requirements = parse(await readFile(file, "utf8")) as {
    server: string[];
    client: string[];
    not_scored: { scenario: string; leg: string }[];
  };
  const unscored = requirements.not_scored.filter(({ leg }) => leg === side);
  return [
    ...requirements[side].map((name) => ({ name, scored: true })),
    ...unscored.map(({ scenario }) => ({ name: scenario, scored: false })),
  ];
}

/** Measures the server at a URL by every scenario of a revision. */
export async function measureServer(url: string, revision: Revision): Promise<ScenarioResult[]> {
  const scenarios = await scenariosOf(revision, "server");
  return withTemporaryDirectory(async (directory) => {
    const args = ["server", "--url", url, "--requirements", revision, "--output-dir", directory];
    const output = await withSuite((suite) => suite.run(args, SERVER_RUN_MS));
    return Promise.all(
      scenarios.map((scenario) =>
        readResult(directory, `server-${scenario.name}`, scenario, output),
      ),
    );
  });
}

/** Measures the server at a URL by single scenarios, such as those of an extension. */
export async function measureByScenario(
  url: string,
  revision: Revision,
  names: readonly string[],
): Promise<ScenarioResult[]> {
  const one = (suite: Suite, name: string): Promise<ScenarioResult> =>
    withTemporaryDirectory(async (directory) => {
      const args = ["server", "--url", url, "--scenario", name, "--spec-version", revision];
      args.push("--force", "--output-dir", directory);
      const output = await suite.run(args, SERVER_RUN_MS);
      const scenario: Scenario = { name, scored: false, isRequired: true };
      return readResult(directory, `server-${name}`, scenario, output);
    });
  return withSuite((suite) => inOrder(names, (name) => one(suite, name)));
}

/** Measures a client, given as the command that runs it. The suite hands the command to a shell. */
export function measureClient(
  command: string,
  revision: Revision,
  scenarios: readonly Scenario[],
): Promise<ScenarioResult[]> {
  return withSuite((suite) =>
    inOrder(scenarios, (scenario) => measureScenario(suite, command, revision, scenario)),
  );
}

/** One after the other, because one of the scenarios measures time. */
async function inOrder<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await work(item));
  return results;
}

async function measureScenario(
  suite: Suite,
  command: string,
  revision: Revision,
  scenario: Scenario,
): Promise<ScenarioResult> {
  return withTemporaryDirectory(async (directory) => {
    const args = ["client", "--command", command, "--scenario", scenario.name];
    args.push("--spec-version", revision, "--force", "--output-dir", directory);
    args.push("--timeout", String(CLIENT_SCENARIO_MS));
    const output = await suite.run(args, CLIENT_SCENARIO_MS + 10_000);
    const result = await readResult(directory, scenario.name, scenario, output);
    // A client that timed out or failed is not a check of the suite; it is only reported.
    const [message] = /^Client (?:exited|timed out).*?(?=^Results saved)/ms.exec(output) ?? [];
    if (message === undefined) return result;
    const exit: Finding = { id: "client-exit", status: "FAILURE", message };
    return { ...result, findings: [...result.findings, exit] };
  });
}

interface Check {
  readonly id: string;
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "INFO" | "SKIPPED";
  readonly description: string;
  readonly errorMessage?: string;
}

async function readResult(
  directory: string,
  prefix: string,
  scenario: Scenario,
  output: string,
): Promise<ScenarioResult> {
  const checks = await readChecks(directory, prefix);
  if (!checks) {
    const message = `The scenario did not finish: ${endOf(output)}`;
    return { ...scenario, passed: 0, findings: [{ id: "not-run", status: "FAILURE", message }] };
  }
  const findings = checks.flatMap(({ id, status, description, errorMessage = description }) =>
    status === "FAILURE" || status === "WARNING" ? [{ id, status, message: errorMessage }] : [],
  );
  const passed = checks.filter(({ status }) => status === "SUCCESS").length;
  return { ...scenario, passed, findings };
}

/** The suite names the directory of a scenario after the scenario, which may have a slash, and the time. */
async function readChecks(directory: string, prefix: string): Promise<Check[] | undefined> {
  const parent = join(directory, dirname(prefix));
  const start = basename(prefix);
  try {
    const entry = (await readdir(parent)).find(
      (name) => name.startsWith(start) && /^-\d{4}-\d\d-\d\dT/.test(name.slice(start.length)),
    );
    if (entry === undefined) return undefined;
    return JSON.parse(await readFile(join(parent, entry, "checks.json"), "utf8")) as Check[];
  } catch {
    return undefined;
  }
}

function endOf(output: string): string {
  return output.trim().split("\n").slice(-5).join("\n");
}
