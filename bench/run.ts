/**
 * Measures the cost of the workbench, compared with no relay and with a minimal one.
 *
 *   npm run bench [-- --quick] [-- --only PHASES [--merge]] [-- --out FILE]
 */
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg, release, totalmem, type } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import type { Machine, Measure, Results } from "./harness/measure.ts";
import type { Effort } from "./harness/rounds.ts";
import { Workspace } from "./harness/workspace.ts";
import { measureCalls } from "./phases/calls.ts";
import { measureFeatures } from "./phases/features.ts";
import { type Sizes, SIZES, measureServers, measureTools } from "./phases/growth.ts";
import { CLIENTS, measureClients } from "./phases/http-clients.ts";
import { measureLarge } from "./phases/large.ts";
import { measureStart } from "./phases/start.ts";
import { plainTables } from "./report/tables.ts";

const RESULTS = fileURLToPath(new URL("results.json", import.meta.url));
const FULL: Effort = { rounds: 11, scale: 1 };
const QUICK: Effort = { rounds: 3, scale: 0.25 };
const QUICK_SIZES: Sizes = { servers: [1, 200], tools: [10, 1_000] };
const QUICK_CLIENTS = [1, 50];

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    only: { type: "string" },
    out: { type: "string" },
    merge: { type: "boolean", default: false },
  },
});
const quick = values.quick;
const effort = quick ? QUICK : FULL;
const sizes = quick ? QUICK_SIZES : SIZES;

const PHASES: Readonly<Record<string, (workspace: Workspace) => Promise<Measure[]>>> = {
  calls: (workspace) => measureCalls(workspace, effort),
  start: (workspace) => measureStart(workspace, effort, sizes.servers),
  servers: (workspace) => measureServers(workspace, effort, sizes.servers),
  tools: (workspace) => measureTools(workspace, effort, sizes.tools),
  clients: (workspace) => measureClients(workspace, effort, quick ? QUICK_CLIENTS : CLIENTS),
  features: (workspace) => measureFeatures(workspace, effort),
  large: (workspace) => measureLarge(workspace, effort),
};

const wanted = values.only?.split(",") ?? Object.keys(PHASES);
const loadBefore = Number((loadavg()[0] ?? 0).toFixed(2));
const begun = performance.now();
const workspace = new Workspace();
const measures: Measure[] = [];
try {
  for (const [name, phase] of Object.entries(PHASES)) {
    if (!wanted.includes(name)) continue;
    console.error(`measuring: ${name}`);
    measures.push(...(await phase(workspace)));
  }
} finally {
  workspace.remove();
}

const results: Results = {
  machine: machine(),
  date: new Date().toISOString().slice(0, 10),
  command: `npm run bench${quick ? " -- --quick" : ""}`,
  loadBefore,
  seconds: Math.round((performance.now() - begun) / 1_000),
  measures,
};
console.log(plainTables(results));
// A quick run is not precise enough to replace the last full one.
const out = values.out ?? (quick || values.only !== undefined ? undefined : RESULTS);
if (out !== undefined) writeFileSync(out, jsonOf(results));
if (values.merge) writeFileSync(RESULTS, jsonOf(merged(results)));

/** The results of the last full run with the measures of this one in their places. */
function merged({ date, measures: now }: Results): Results {
  const before = JSON.parse(readFileSync(RESULTS, "utf8")) as Results;
  const phases = wanted.join(",");
  const later = (before.later ?? []).filter((run) => run.phases !== phases);
  const others = before.measures.filter(({ id }) => now.every((measure) => measure.id !== id));
  return {
    ...before,
    later: [...later, { phases, date, loadBefore }],
    measures: [...others, ...now],
  };
}

/** One line for each measure, so that a new run has a readable diff. */
function jsonOf({ measures: all, ...run }: Results): string {
  const lines = all.map((measure) => `  ${JSON.stringify(measure)}`).join(",\n");
  const head = JSON.stringify(run, undefined, 1).slice(0, -2);
  return `${head},\n "measures": [\n${lines}\n ]\n}\n`;
}

function machine(): Machine {
  const processors = cpus();
  return {
    cpu: processors[0]?.model.trim() ?? "unknown",
    cores: processors.length,
    memoryGB: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
    node: process.version,
  };
}
