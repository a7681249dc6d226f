/** Servers whose lists of tools are odd, ambiguous or endless. */
import { expect } from "vitest";
import {
  callTool,
  listTools,
  openToolbox,
  textOf,
  type Tool,
  type ToolInfo,
  useTool,
} from "../../support/calls.ts";
import { originOf } from "../../support/native.ts";
import { chaos } from "../chaos.ts";
import { expectWithin } from "../measured.ts";
import type { Rig, Run } from "../rig.ts";
import type { Scenario } from "../scenario.ts";

const META_TOOLS = ["open_toolbox", "close_toolbox", "use_tool", "search_tools"];
/** Names that split at the wrong place, or look like tools of the workbench. */
const NAMED = ["a__b__c", "b__c", "__c", "c__", "use_tool", "open_toolbox", "dev__one__c"];
const SERVERS = ["a", "a-b", "one"];

function ambiguous(): Record<string, ReturnType<typeof chaos>> {
  return Object.fromEntries(
    SERVERS.map((name) => [
      name,
      chaos("--name", `server-${name}`, "--dup-tools", "--named", NAMED.join(",")),
    ]),
  );
}

async function names(rig: Rig): Promise<void> {
  await namesInProxyMode(rig);
  await namesInDynamicMode(rig);
}

async function namesInProxyMode(rig: Rig): Promise<void> {
  const run = await rig.start(ambiguous());
  const { tools } = await openToolbox(run.client, "dev");
  const identities = tools.map(({ server, name }) => `dev/${server}/${name}`);
  expect(new Set(identities).size).toBe(identities.length);
  expect(identities).toHaveLength(SERVERS.length * (3 + NAMED.length));
  for (const { server, name } of tools.filter((tool) => isNamed(tool)))
    expect(JSON.parse(textOf(await useTool(run.client, `dev/${server}/${name}`, {})))).toEqual({
      ran: name,
      by: `server-${server}`,
    });
  expect(tools.find(isEcho)?.description).toBe("Says it again.");
  for (const server of SERVERS)
    await rig.wait(
      () => new RegExp(`WARN .*more than once.*echo.* server="${server}"`).test(run.process.stderr),
      1000,
      `the report of the second echo of ${server}`,
    );
  await metaToolsAreOurs(run);
}

async function namesInDynamicMode(rig: Rig): Promise<void> {
  const run = await rig.start(ambiguous(), { toolMode: "dynamic" });
  await openToolbox(run.client, "dev");
  const tools = (await listTools(run.client)).filter(({ name }) => name.startsWith("dev__"));
  expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length);
  expect(tools).toHaveLength(SERVERS.length * (3 + NAMED.length));
  for (const tool of tools) {
    const [, server, original = ""] = originOf(tool);
    if (!NAMED.includes(original)) continue;
    expect(JSON.parse(textOf(await callTool(run.client, tool.name, {})))).toEqual({
      ran: original,
      by: `server-${server}`,
    });
  }
  await metaToolsAreOurs(run);
}

async function metaToolsAreOurs(run: Run): Promise<void> {
  const own = (await listTools(run.client)).filter(({ name }) => META_TOOLS.includes(name));
  expect(new Set(own.map(({ name }) => name)).size).toBe(own.length);
  expect(own.map(({ name }) => name)).toContain("open_toolbox");
  expect((await openToolbox(run.client, "dev")).toolbox).toBe("dev");
}

const isNamed = ({ name }: ToolInfo): boolean => NAMED.includes(name);
const isEcho = ({ name }: Tool): boolean => name === "echo";

const MAX_PAGES = 100;
const CURSORS = ["cycle", "same", "endless", "empty", "pages:10"];

async function cursors(rig: Rig): Promise<void> {
  const nameOf = (how: string): string => how.replace(/\W/g, "-");
  const run = await rig.start(
    Object.fromEntries(CURSORS.map((how) => [nameOf(how), chaos("--cursor", how)])),
  );
  const begin = performance.now();
  const { tools, servers_failed: failed } = await openToolbox(run.client, "dev");
  expectWithin(rig, begin, 2000);
  expect(failed).toBeUndefined();
  for (const how of CURSORS) {
    const server = nameOf(how);
    const own = tools.filter((tool) => tool.server === server).map(({ name }) => name);
    expect(new Set(own).size, how).toBe(own.length);
    expect(own, how).toEqual(expect.arrayContaining(["echo", "page_first"]));
    const pages = run.witness("dev", server).messages("tools/list").length;
    expect(pages, how).toBeLessThanOrEqual(MAX_PAGES);
  }
  const ofServer = (server: string): string[] =>
    tools.filter((tool) => tool.server === server).map(({ name }) => name);
  expect(ofServer("empty")).toContain("page_");
  expect(ofServer("pages-10")).toEqual(
    expect.arrayContaining(Array.from({ length: 9 }, (_, i) => `page_${i + 1}`)),
  );
}

export const listing: readonly Scenario[] = [
  {
    id: "S-19",
    title:
      "tools with equal or ambiguous names, or those of our own tools, are each called on their own server",
    naive: /expected 30 to be 33/,
    play: names,
  },
  {
    id: "S-20",
    title: "lists of tools that go round in circles or never end are read up to the limit",
    naive: /no answer to initialize/,
    play: cursors,
  },
];
