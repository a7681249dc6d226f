/** Every run of the suite that the proof consists of. */
import { fileURLToPath } from "node:url";
import {
  type Revision,
  type Scenario,
  type ScenarioResult,
  measureClient,
  measureServer,
  scenariosOf,
} from "./suite.ts";
import { type FixtureOptions, withFixture, withWorkbench } from "./subjects.ts";
import { limitConcurrency } from "./concurrency.ts";
import { loadExpectedFailures, problemsOf } from "./verdict.ts";

const DRIVER = fileURLToPath(new URL("client-driver.mjs", import.meta.url));
/** Two cores wait for each other more than for the suite beyond this. */
const CONCURRENCY = 3;

export interface Leg {
  readonly name: string;
  readonly revision: Revision;
  readonly side: "server" | "client";
}

export interface LegResult extends Leg {
  readonly seconds: number;
  readonly results: readonly ScenarioResult[];
  /** Empty if the leg is good. */
  readonly problems: readonly string[];
}

interface RunnableLeg extends Leg {
  readonly run: () => Promise<ScenarioResult[]>;
}

function directLeg(revision: Revision): RunnableLeg {
  return {
    name: "fixture, directly",
    revision,
    side: "server",
    run: () => withFixture({}, (url) => measureServer(url, revision)),
  };
}

function throughLeg(
  revision: Revision,
  options: FixtureOptions & { readonly transport: "stdio" | "http" },
): RunnableLeg {
  const { transport, era = "dual-era" } = options;
  return {
    name: `workbench, ${era} server over ${transport}`,
    revision,
    side: "server",
    run: () => withWorkbench(options, (url) => measureServer(url, revision)),
  };
}

function clientLeg(revision: Revision, clientEra: "legacy" | "modern"): RunnableLeg {
  return {
    name: `workbench as the client, for a ${clientEra} client`,
    revision,
    side: "client",
    run: async () => {
      const scenarios = (await scenariosOf(revision, "client")).filter(needsNoOAuth);
      const command = `${process.execPath} ${DRIVER} ${clientEra}`;
      // One after the other, because one of the scenarios measures time.
      const results: ScenarioResult[] = [];
      for (const scenario of scenarios) {
        results.push(await measureClient(command, revision, scenario));
      }
      return results;
    },
  };
}

/** The workbench sends the headers it is configured with; it does not log in by itself. */
export function needsNoOAuth({ name }: Scenario): boolean {
  return !name.startsWith("auth/");
}

const DIRECT = [directLeg("2025-11-25"), directLeg("2026-07-28")];
const THROUGH = [
  throughLeg("2026-07-28", { transport: "stdio" }),
  throughLeg("2026-07-28", { transport: "http" }),
  throughLeg("2025-11-25", { transport: "stdio" }),
  throughLeg("2025-11-25", { transport: "http" }),
  throughLeg("2025-11-25", { transport: "stdio", era: "legacy" }),
  throughLeg("2025-11-25", { transport: "http", era: "legacy" }),
];
const CLIENT = [
  clientLeg("2025-11-25", "legacy"),
  clientLeg("2026-07-28", "modern"),
  clientLeg("2026-07-28", "legacy"),
];

/** In the order of the results of `runLegs`. */
export const LEGS: readonly Leg[] = [...DIRECT, ...THROUGH, ...CLIENT];

export const GROUPS = ["direct", "through", "client"] as const;
export type Group = (typeof GROUPS)[number];

/** Runs groups of legs. What goes through a workbench is always compared with the direct legs. */
export async function runLegs(groups: readonly Group[] = GROUPS): Promise<LegResult[]> {
  const expected = await loadExpectedFailures();
  const limit = limitConcurrency(CONCURRENCY);
  const start = (legs: readonly RunnableLeg[]): Promise<Measured>[] =>
    legs.map((leg) => limit(() => measure(leg)));
  const direct = start(groups.includes("direct") || groups.includes("through") ? DIRECT : []);
  const through = start(groups.includes("through") ? THROUGH : []);
  const client = start(groups.includes("client") ? CLIENT : []);

  const baseline = await Promise.all(direct);
  return [
    ...baseline.map((leg) => judged(leg, [])),
    ...(await Promise.all(through)).map((leg) =>
      judged(
        leg,
        expected.server,
        baseline.find(({ revision }) => revision === leg.revision),
      ),
    ),
    ...(await Promise.all(client)).map((leg) => judged(leg, expected.client)),
  ];
}

interface Measured extends Omit<LegResult, "problems"> {
  /** Why there are no results. */
  readonly failure?: string;
}

async function measure({ name, revision, side, run }: RunnableLeg): Promise<Measured> {
  const started = performance.now();
  const elapsed = (): number => (performance.now() - started) / 1000;
  try {
    const results = await run();
    return { name, revision, side, results, seconds: elapsed() };
  } catch (error) {
    return { name, revision, side, results: [], seconds: elapsed(), failure: String(error) };
  }
}

function judged(leg: Measured, expected: readonly string[], direct?: Measured): LegResult {
  const problems = leg.failure ? [leg.failure] : problemsOf(leg.results, expected, direct?.results);
  return { ...leg, problems };
}
