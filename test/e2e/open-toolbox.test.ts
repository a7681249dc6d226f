/** What an agent relies on when it opens a toolbox. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { PRECISE_SCHEMA, toolDefinitions } from "../fixtures/tool-definitions.mjs";
import { callTool, openToolbox, resultOf, textOf, toolErrorOf, useTool } from "../support/calls.ts";
import { perBlock, perTest } from "../support/disposables.ts";
import { isCompact } from "../support/json-text.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS, type RawClient } from "../support/raw-client.ts";
import { dev, fixture, publicServer, toolbox, withOptions } from "../support/servers.ts";
import { type RunningWorkbench, startWorkbench, temporaryFolder } from "../support/workbench.ts";

const cleanup = perTest();

describe("opening a toolbox", () => {
  const shared = perBlock();
  let running: RunningWorkbench;
  let client: RawClient;
  beforeAll(async () => {
    running = await startWorkbench(shared, {
      toolboxes: {
        dev: toolbox({ fx: fixture("--name", "fx") }),
        python: toolbox({ fx: fixture(), py: fixture("--python-list") }),
        notes: toolbox({ memory: publicServer("memory") }),
      },
    });
    ({ client } = running);
  });

  it("returns every tool as its server defines it, with toolbox and server", async () => {
    const opened = await openToolbox(client, "dev");
    expect(Object.keys(opened).sort()).toEqual(
      ["description", "instructions", "servers_connected", "toolbox", "tools"].sort(),
    );
    expect(opened).toMatchObject({
      toolbox: "dev",
      description: "Tools for tests",
      servers_connected: 1,
      instructions: { fx: "How to use fx." },
    });
    expect(opened.tools).toEqual(
      toolDefinitions().map((tool) => ({ ...tool, toolbox: "dev", server: "fx" })),
    );
  });

  it("returns one block of compact JSON, because every token costs money", async () => {
    const response = await callTool(client, "open_toolbox", { toolbox: "python" });
    const { content, isError } = resultOf(response);
    expect(isError).not.toBe(true);
    expect(content.map(({ type }) => type)).toEqual(["text"]);
    expect(isCompact(textOf(response))).toBe(true);
  });

  it("keeps the numbers of a schema that JavaScript cannot hold", async () => {
    await openToolbox(client, "python");
    const text = textOf(await callTool(client, "open_toolbox", { toolbox: "python" }));
    expect(text.replaceAll(" ", "")).toContain(PRECISE_SCHEMA.replaceAll(" ", ""));
  });

  it("returns the tools of all servers and all pages", async () => {
    const paged = await startWorkbench(
      cleanup,
      dev({ one: fixture("--pages", "7"), two: fixture(), memory: publicServer("memory") }),
    );
    const { tools, servers_connected } = await openToolbox(paged.client, "dev");
    expect(servers_connected).toBe(3);
    const namesOf = (server: string): string[] =>
      tools.filter((tool) => tool.server === server).map(({ name }) => name);
    const defined = toolDefinitions().map(({ name }) => name);
    expect(namesOf("one")).toEqual(defined);
    expect(namesOf("two")).toEqual(defined);
    expect(namesOf("memory")).toContain("create_entities");
  });

  it("omits instructions and servers_failed when they are empty", async () => {
    const opened = await openToolbox(client, "notes");
    expect(Object.keys(opened).sort()).toEqual(
      ["description", "servers_connected", "toolbox", "tools"].sort(),
    );
  });

  it("accepts the older spelling toolbox_name", async () => {
    await openToolbox(client, "dev");
    const response = await callTool(client, "open_toolbox", { toolbox_name: "dev" });
    expect(JSON.parse(textOf(response))).toMatchObject({ toolbox: "dev", servers_connected: 1 });
  });

  it("can be repeated with the same answer and no second process", async () => {
    const first = await openToolbox(client, "dev");
    expect(await openToolbox(client, "dev")).toEqual(first);
    expect(running.witness("dev", "fx").starts).toBe(1);
  });

  it("starts each server once, however many calls open and use it at the same moment", async () => {
    const workbench = await startWorkbench(cleanup, dev({ one: fixture(), two: fixture() }));
    const opens = Array.from({ length: 5 }, () => openToolbox(workbench.client, "dev"));
    const calls = Array.from({ length: 5 }, (_, i) =>
      useTool(workbench.client, "dev/one/echo", { text: `call ${i}` }),
    );
    for (const opened of await Promise.all(opens)) expect(opened.servers_connected).toBe(2);
    expect((await Promise.all(calls)).map(textOf)).toEqual(calls.map((_, i) => `call ${i}`));
    expect(workbench.witness("dev", "one").starts).toBe(1);
    expect(workbench.witness("dev", "two").starts).toBe(1);
    expect(workbench.witness("dev", "one").messages("initialize")).toHaveLength(1);
  });

  it("starts the servers of a toolbox at the same time", async () => {
    // Each of the two answers only once the other runs as well.
    const started = temporaryFolder(cleanup);
    const file = (name: string): string => join(started, name);
    const waitingFor = (own: string, other: string) =>
      withOptions(fixture("--wait-for", file(other)), { env: { WITNESS: file(own) } });
    const workbench = await startWorkbench(
      cleanup,
      dev({ one: waitingFor("1", "2"), two: waitingFor("2", "1") }),
    );
    expect((await openToolbox(workbench.client, "dev")).servers_connected).toBe(2);
  });

  it("does not make other toolboxes wait for a slow server", async () => {
    const go = join(temporaryFolder(cleanup), "go");
    const workbench = await startWorkbench(cleanup, {
      toolboxes: {
        slow: toolbox({ fx: fixture("--wait-for", go) }),
        quick: toolbox({ fx: fixture() }),
      },
    });
    const slow = openToolbox(workbench.client, "slow");
    await waitFor(
      () => workbench.witness("slow", "fx").starts === 1,
      GENEROUS_MS,
      "the slow server",
    );
    expect((await openToolbox(workbench.client, "quick")).servers_connected).toBe(1);
    writeFileSync(go, "");
    expect((await slow).servers_connected).toBe(1);
  });
});

describe("tool filters", () => {
  it("make a tool neither visible nor callable", async () => {
    const filtered = withOptions(fixture(), { toolFilters: ["e*", "st*", "!elicit", "!stderr"] });
    const workbench = await startWorkbench(cleanup, dev({ fx: filtered }));
    const { tools } = await openToolbox(workbench.client, "dev");
    expect(tools.map(({ name }) => name)).toEqual(["echo", "status", "structured"]);
    expect(toolErrorOf(await useTool(workbench.client, "dev/fx/elicit", {}))).toMatch(
      /^Tool 'elicit' not found in server 'fx' \(toolbox 'dev'\)/,
    );
    expect(workbench.witness("dev", "fx").callsOf("elicit")).toEqual([]);
  });
});

describe("a call of open_toolbox that makes no sense", () => {
  const shared = perBlock();
  let workbench: RunningWorkbench;
  beforeAll(async () => {
    workbench = await startWorkbench(shared, {
      toolboxes: {
        development: toolbox({ fx: fixture() }),
        production: toolbox({ fx: fixture() }),
      },
    });
  });

  it.each<[string, unknown, RegExp]>([
    ["nothing", undefined, /^Invalid parameters: toolbox: .*Required/],
    ["an empty object", {}, /^Invalid parameters: toolbox: .*Required/],
    [
      "an empty name",
      { toolbox: "" },
      /^Invalid parameters: toolbox: Toolbox name cannot be empty/,
    ],
    ["a number", { toolbox: 5 }, /^Invalid parameters: toolbox: .*string.*number/],
    ["null", { toolbox: null }, /^Invalid parameters: toolbox: .*string/],
    ["a further key", { toolbox: "development", verbose: true }, /^Invalid parameters: .*verbose/],
    [
      "the alias with a further key",
      { toolbox_name: "development", surplus: 1 },
      /^Invalid parameters: .*surplus/,
    ],
    ["a list", ["development"], /^Invalid parameters: /],
    [
      "an unknown toolbox",
      { toolbox: "staging" },
      /^Toolbox 'staging' not found.*development.*production/,
    ],
    [
      "a misspelt toolbox",
      { toolbox: "developmnet" },
      /^Toolbox 'developmnet' not found.*development/,
    ],
    ["the name of a built-in", { toolbox: "__proto__" }, /^Toolbox '__proto__' not found/],
    ["another built-in", { toolbox: "constructor" }, /^Toolbox 'constructor' not found/],
  ])("is refused with a reason: %s", async (_what, args, message) => {
    const response = await callTool(workbench.client, "open_toolbox", args);
    expect(toolErrorOf(response)).toMatch(message);
    expect(workbench.servers()).toEqual([]);
  });

  it("does not disturb later calls", async () => {
    expect((await openToolbox(workbench.client, "production")).servers_connected).toBe(1);
  });
});
