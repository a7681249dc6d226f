/**
 * MCP Apps and skills with the started program, as docs/apps-and-skills.md shows them; the full suite
 * has every mode and era.
 */
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { blocksOf } from "../readme/blocks.ts";
import {
  callTool,
  listTools,
  resultOf,
  searchTools,
  textOf,
  toolErrorOf,
  useTool,
} from "../support/calls.ts";
import type { Params } from "../support/clients/json-rpc.ts";
import { perBlock } from "../support/disposables.ts";
import { dev, extended } from "../support/servers.ts";
import { type RunningWorkbench, startWorkbench } from "../support/workbench.ts";

const page = readFileSync(new URL("../../docs/apps-and-skills.md", import.meta.url), "utf8");
const shownIn = (language: string): string =>
  blocksOf(page)
    .find((block) => block.language === language)
    ?.lines.join("\n") ?? "";
const UI = "io.modelcontextprotocol/ui";
const CHANGED = "notifications/tools/list_changed";

describe("a client that supports MCP Apps", () => {
  const shared = perBlock();
  let running: RunningWorkbench;
  beforeAll(async () => {
    const capabilities = { extensions: { [UI]: { mimeTypes: ["text/html;profile=mcp-app"] } } };
    const config = dev({ charts: extended("--apps", "--skills") });
    running = await startWorkbench(shared, config, { capabilities });
  });

  it("learns that the workbench supports them, too, and has skills", () => {
    expect(running.hello.capabilities).toMatchObject({
      extensions: { [UI]: {}, "io.modelcontextprotocol/skills": { directoryRead: true } },
    });
  });

  it("is notified when tools with pages become known, and can call them natively", async () => {
    const { client } = running;
    const before = (await listTools(client)).map(({ name }) => name);
    expect(before.filter((name) => name.includes("__"))).toEqual([]);
    await searchTools(client, "bar chart");
    await client.when(() => client.notificationsOf(CHANGED).length > 0, "the notification");
    const tools = (await listTools(client)).filter(({ name }) => name.includes("__"));
    expect(tools.map(({ name }) => name)).toEqual([
      "dev__charts__show_chart",
      "dev__charts__show_old_chart",
    ]);
    // What the documentation shows.
    expect(tools[0]).toEqual(JSON.parse(shownIn("json")));
    const shown = await callTool(client, "dev__charts__show_chart", {});
    expect(resultOf(shown)).toMatchObject({
      _meta: { ui: { resourceUri: "ui://dev.charts/charts/bar" } },
    });
    const page = await client.request("resources/read", { uri: "ui://dev.charts/charts/bar" });
    expect(page.result).toMatchObject({ contents: [{ uri: "ui://dev.charts/charts/bar" }] });
    expect(textOf(await callTool(client, "refresh_chart", {}))).toBe("refreshed");
    expect(toolErrorOf(await useTool(client, "dev/charts/refresh_chart", {}))).toMatch("not found");
  });

  it("reads skills of servers and of the workbench", async () => {
    const { client } = running;
    const { result } = await client.request("skills/list", {});
    const { skills } = result as unknown as { skills: { uri: string; resources: Params[] }[] };
    expect(skills.map(({ uri }) => uri)).toEqual(shownIn("text").split("\n"));
    for (const { uri } of skills) {
      const read = await client.request("resources/read", { uri });
      expect(read.result).toMatchObject({ contents: [{ uri, mimeType: "text/markdown" }] });
    }
  });
});
