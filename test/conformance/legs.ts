/** The runs of the suite that the proof consists of. */
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

const DRIVER = fileURLToPath(new URL("client-driver.mjs", import.meta.url));

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

function throughLeg(
  revision: Revision,
  options: FixtureOptions & { readonly transport: "stdio" | "http" },
): Leg {
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
      const scenarios = (await scenariosOf(revision, "client")).filter(needsNoOAuth);
      // The suite hands the command to a shell.
      const command = `"${process.execPath}" "${DRIVER}" ${clientEra}`;
      // One after the other, because one of the scenarios measures time.
      const results: ScenarioResult[] = [];
      for (const scenario of scenarios) {
        results.push(await measureClient(command, revision, scenario));
      }
      return results;
    },
  };
}

/** The workbench sends its configured headers; it does not log in. */
function needsNoOAuth({ name }: Scenario): boolean {
  return !name.startsWith("auth/");
}

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
