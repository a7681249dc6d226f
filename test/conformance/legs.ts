/** The runs of the suite that the proof consists of. */
import { fileURLToPath } from "node:url";
import {
  type Revision,
  type Scenario,
  type ScenarioResult,
  measureByScenario,
  measureClient,
  measureServer,
  scenariosOf,
} from "./suite.ts";
import { HttpClient } from "../support/http-client.ts";
import { authDriver } from "./auth-driver.ts";
import { withDriver } from "./drivers.ts";
import { type WorkbenchOptions, withFixture, withWorkbench } from "./subjects.ts";

const DRIVER = fileURLToPath(new URL("client-driver.mjs", import.meta.url));
/** The suite has these for clients of the first revision with authorization, and does not score them. */
const FALLBACKS = [
  "auth/2025-03-26-oauth-metadata-backcompat",
  "auth/2025-03-26-oauth-endpoint-fallback",
].map((name) => ({ name, scored: false }));

export interface Leg {
  readonly name: string;
  readonly revision: Revision;
  readonly run: () => Promise<ScenarioResult[]>;
}

function directLeg(revision: Revision): Leg {
  return {
    name: "fixture, directly",
    revision,
    run: () => withFixture({}, (url) => measureServer(url, revision)),
  };
}

function throughLeg(revision: Revision, options: WorkbenchOptions): Leg {
  const { transport, era = "dual-era" } = options;
  return {
    name: `workbench, ${era} server over ${transport}`,
    revision,
    run: () => withWorkbench(options, (url) => measureServer(url, revision)),
  };
}

function clientLeg(revision: Revision, clientEra: "legacy" | "modern"): Leg {
  return {
    name: `workbench as the client, for a ${clientEra} client`,
    revision,
    run: async () => {
      const scenarios = await scenariosOf(revision, "client");
      const command = `"${process.execPath}" "${DRIVER}" ${clientEra}`;
      return measureClient(command, revision, scenarios.filter(needsNoOAuth));
    },
  };
}

function authLeg(revision: Revision, clientEra: "legacy" | "modern"): Leg {
  return {
    name: `workbench that signs in, for a ${clientEra} client`,
    revision,
    run: async () => {
      const scenarios = (await scenariosOf(revision, "client")).filter((s) => !needsNoOAuth(s));
      if (revision === "2025-11-25") scenarios.push(...FALLBACKS);
      const required = scenarios.map((scenario) => ({ ...scenario, isRequired: true as const }));
      return withDriver(authDriver(clientEra), (command) =>
        measureClient(command, revision, required),
      );
    },
  };
}

/** The other scenarios have a driver of their own. */
function needsNoOAuth({ name }: Scenario): boolean {
  return !name.startsWith("auth/");
}

const SKILLS_SCENARIOS = ["enumeration", "manifest", "directory"].map(
  (name) => `sep-2640-skills-${name}`,
);
const SKILLS_CLIENT_SCENARIOS = [
  "no-prefetch",
  "verify-digest",
  "verify-size",
  "verify-frontmatter",
];

function skillsLegs(revision: Revision): { direct: Leg; through: readonly Leg[] } {
  const measure = (url: string): Promise<ScenarioResult[]> =>
    measureByScenario(url, revision, SKILLS_SCENARIOS);
  const through = (seesAll: boolean): Leg => ({
    name: seesAll ? "skills of all servers" : "skills in the view of one server",
    revision,
    run: () =>
      withWorkbench({ transport: "stdio", skills: true, seesAll }, async (url) => {
        // Lists for a legacy client have the servers that are known; those for a modern one start them.
        if (seesAll) await new HttpClient(url, undefined).modern("skills/list").done();
        return measure(url);
      }),
  });
  return {
    direct: {
      name: "skills of the fixture, directly",
      revision,
      run: () => withFixture({ skills: true }, measure),
    },
    through: [through(false), through(true)],
  };
}

function skillsClientLeg(revision: Revision, clientEra: "legacy" | "modern"): Leg {
  return {
    name: `skills of the suite, for a ${clientEra} client`,
    revision,
    run: () => {
      const scenarios = SKILLS_CLIENT_SCENARIOS.map((name) => ({
        name: `sep-2640-client-${name}`,
        scored: false,
        isRequired: true as const,
      }));
      return measureClient(`"${process.execPath}" "${DRIVER}" ${clientEra}`, revision, scenarios);
    },
  };
}

const SKILLS = [skillsLegs("2025-11-25"), skillsLegs("2026-07-28")];
export const SKILLS_DIRECT = SKILLS.map(({ direct }) => direct);
export const SKILLS_THROUGH = SKILLS.flatMap(({ through }) => through);
export const SKILLS_CLIENT = [
  skillsClientLeg("2026-07-28", "legacy"),
  skillsClientLeg("2026-07-28", "modern"),
];
export const DIRECT = [directLeg("2025-11-25"), directLeg("2026-07-28")];
export const THROUGH = [
  throughLeg("2026-07-28", { transport: "stdio" }),
  throughLeg("2026-07-28", { transport: "http" }),
  throughLeg("2025-11-25", { transport: "stdio" }),
  throughLeg("2025-11-25", { transport: "http" }),
  // A server of the other era: everything it sends is translated.
  throughLeg("2025-11-25", { transport: "stdio", era: "modern" }),
  throughLeg("2025-11-25", { transport: "http", era: "modern" }),
];
export const CLIENT = [
  clientLeg("2025-11-25", "legacy"),
  clientLeg("2026-07-28", "modern"),
  clientLeg("2026-07-28", "legacy"),
];
export const AUTH = [authLeg("2025-11-25", "legacy"), authLeg("2026-07-28", "modern")];
/**
 * The era of the client has no part in a login. So these repeat the requests of the legs above, and
 * are not worth their minutes in every run of the tests.
 */
export const AUTH_ACROSS = [authLeg("2026-07-28", "legacy")];
