import { replaceBetweenMarkers } from "../artifact.ts";
import type { RealCosts } from "./measure-tokens.ts";

const BEGIN = "<!-- Written by `npm run tokens -- --write`. Do not edit. -->";

/** docs/discovery.md with these costs. */
export function withTokenTables(page: string, costs: RealCosts): string {
  return replaceBetweenMarkers(page, BEGIN, tokenTables(costs));
}

/** The costs as two tables: the servers, and what an agent pays. */
export function tokenTables({ direct, start, searches, schema, open }: RealCosts): string {
  const total = (key: "tools" | "tokens"): number =>
    direct.reduce((sum, cost) => sum + cost[key], 0);
  const median = searches[Math.floor((searches.length - 1) / 2)];
  const range = `${searches[0]} to ${searches.at(-1)}, median ${median}`;
  return [
    `| ${direct.length} servers, ${count(total("tools"))} tools | tokens |`,
    "| --- | ---: |",
    `| all servers connected directly, at the start of every conversation | ${count(total("tokens"))} |`,
    `| the workbench, at the start of every conversation | ${count(start)} |`,
    `| a search | ${range} |`,
    `| the schema of one tool that was found | ${count(schema)} |`,
    `| opening the largest toolbox, ${open.tools} tools: names | ${count(open.names)} |`,
    `| … signatures | ${count(open.signatures)} |`,
    `| … full | ${count(open.full)} |`,
    "",
    "| toolbox | server | package | tools | tokens, directly |",
    "| --- | --- | --- | ---: | ---: |",
    ...direct.map(
      ({ server, tools, tokens }) =>
        `| ${server.toolbox} | ${server.name} | \`${server.package}@${server.version}\` | ${tools} | ${count(tokens)} |`,
    ),
  ].join("\n");
}

const count = (value: number): string => value.toLocaleString("en-US");
