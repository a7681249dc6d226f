/**
 * Runs the official conformance suite against the fixture server, against the same fixture through
 * the workbench, and against the workbench as a client.
 *
 *   npm run conformance                          everything
 *   npm run conformance -- --only through        one group: direct, through, client, auth or
 *                                                auth-across; repeatable
 *   npm run conformance -- --json results.json   writes every result as well
 */
import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { GROUPS, type Group, runLegs } from "./proof.ts";
import { formatReport } from "./report.ts";

const { values } = parseArgs({
  options: { only: { type: "string", multiple: true }, json: { type: "string" } },
});

function isGroup(name: string): name is Group {
  return (GROUPS as readonly string[]).includes(name);
}

const groups = values.only ?? GROUPS;
if (!groups.every(isGroup)) {
  console.error(`--only takes ${GROUPS.join(", ")}`);
  process.exit(2);
}
const legs = await runLegs(groups);
console.log(formatReport(legs));
if (values.json !== undefined) await writeFile(values.json, JSON.stringify(legs, null, 2));
process.exitCode = legs.every(({ problems }) => problems.length === 0) ? 0 : 1;
