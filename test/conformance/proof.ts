import { limitConcurrency } from "./concurrency.ts";
import {
  AUTH,
  AUTH_ACROSS,
  CLIENT,
  DIRECT,
  type Leg,
  SKILLS_CLIENT,
  SKILLS_DIRECT,
  SKILLS_THROUGH,
  THROUGH,
} from "./legs.ts";
import type { Revision, ScenarioResult } from "./suite.ts";
import { loadExpectedFailures, problemsOf } from "./verdict.ts";

/** With more, two cores are the bottleneck instead of the suite. */
const CONCURRENCY = 3;

export interface LegResult {
  readonly name: string;
  readonly revision: Revision;
  readonly seconds: number;
  readonly results: readonly ScenarioResult[];
  /** Empty if the leg is good. */
  readonly problems: readonly string[];
}

export const GROUPS = ["direct", "through", "skills", "client", "auth", "auth-across"] as const;
export type Group = (typeof GROUPS)[number];

/** What the tests run; their legs are in the order of the results of `runLegs`. */
export const TESTED_GROUPS = [
  "direct",
  "through",
  "skills",
  "client",
  "auth",
] as const satisfies Group[];
export const TESTED_LEGS = [
  ...DIRECT,
  ...THROUGH,
  ...SKILLS_DIRECT,
  ...SKILLS_THROUGH,
  ...SKILLS_CLIENT,
  ...CLIENT,
  ...AUTH,
];

/** Runs groups of legs. Legs through a workbench are always compared with the direct ones. */
export async function runLegs(groups: readonly Group[] = GROUPS): Promise<LegResult[]> {
  const expected = await loadExpectedFailures();
  const limit = limitConcurrency(CONCURRENCY);
  const start = (legs: readonly Leg[]): Promise<Measured>[] =>
    legs.map((leg) => limit(() => measure(leg)));
  const direct = start(groups.includes("direct") || groups.includes("through") ? DIRECT : []);
  const through = start(groups.includes("through") ? THROUGH : []);
  const hasSkills = groups.includes("skills");
  const skillsDirect = start(hasSkills ? SKILLS_DIRECT : []);
  const skillsThrough = start(hasSkills ? SKILLS_THROUGH : []);
  const client = start([
    ...(hasSkills ? SKILLS_CLIENT : []),
    ...(groups.includes("client") ? CLIENT : []),
    ...(groups.includes("auth") ? AUTH : []),
    ...(groups.includes("auth-across") ? AUTH_ACROSS : []),
  ]);

  const baseline = await Promise.all(direct);
  const skills = await Promise.all(skillsDirect);
  return [
    ...baseline.map((leg) => judged(leg, [])),
    ...(await Promise.all(through)).map((leg) =>
      judged(
        leg,
        expected.server,
        baseline.find(({ revision }) => revision === leg.revision),
      ),
    ),
    ...skills.map((leg) => judged(leg, [])),
    ...(await Promise.all(skillsThrough)).map((leg) => {
      const same = skills.find(({ revision }) => revision === leg.revision);
      return { ...judged(leg, []), problems: [...judged(leg, []).problems, ...missing(leg, same)] };
    }),
    ...(await Promise.all(client)).map((leg) => judged(leg, expected.client)),
  ];
}

interface Measured extends Omit<LegResult, "problems"> {
  /** Why there are no results. */
  readonly failure?: string;
}

async function measure({ name, revision, run }: Leg): Promise<Measured> {
  const started = performance.now();
  const elapsed = (): number => (performance.now() - started) / 1000;
  try {
    const results = await run();
    return { name, revision, results, seconds: elapsed() };
  } catch (error) {
    return { name, revision, results: [], seconds: elapsed(), failure: String(error) };
  }
}

/** The suite skips what a server does not declare, so the number of passed checks is compared as well. */
function missing({ results }: Measured, direct: Measured | undefined): string[] {
  return results.flatMap(({ name, passed }) => {
    const expected = direct?.results.find((one) => one.name === name)?.passed ?? 0;
    return passed < expected ? [`${name}: ${passed} checks pass instead of ${expected}`] : [];
  });
}

function judged(leg: Measured, expected: readonly string[], direct?: Measured): LegResult {
  const problems = leg.failure ? [leg.failure] : problemsOf(leg.results, expected, direct?.results);
  return { ...leg, problems };
}
