/**
 * Clients cache prompts by their beginning, and the tool list and the instructions are that
 * beginning: one changed byte makes the user pay for the whole conversation again.
 */
import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { MODERN_META } from "../support/channel-client.ts";
import { callTool, openToolbox, resultOf, searchTools, useTool } from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import { memberText } from "../support/json-text.ts";
import { killIfAlive, waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { type Config, dev, fixture, MISSING_COMMAND, toolbox } from "../support/servers.ts";
import {
  type Place,
  prepareWorkbench,
  type RunningWorkbench,
  startIn,
} from "../support/workbench.ts";

const cleanup = perTest();

const config = (toolMode: "proxy" | "dynamic"): Config => ({
  toolMode,
  toolboxes: {
    dev: { ...toolbox({ fx: fixture(), bad: MISSING_COMMAND }, "Files"), keywords: ["git"] },
    ops: toolbox({ fx: fixture(), other: fixture() }, "Deployments"),
  },
});

/** The exact bytes that a client gets at the start. */
async function surface({ client, hello }: RunningWorkbench): Promise<string> {
  const { line } = await client.request("tools/list", {});
  return `${memberText(line, "result")}\n${JSON.stringify(hello.instructions)}`;
}

/** The same for a client of the modern era. */
async function modernSurface({ client }: RunningWorkbench): Promise<string> {
  const list = await client.request("tools/list", { _meta: MODERN_META });
  const about = await client.request("server/discover", { _meta: MODERN_META });
  const { instructions } = about.result as { instructions: string };
  return `${memberText(list.line, "result")}\n${instructions}`;
}

const EXAMPLE = /use_tool, (?:in this form|for example):\\n(\{.*?\}\})\\n/;

const withoutExample = (text: string): string => text.replace(EXAMPLE, "");

/** The example call in the instructions. */
function exampleIn(text: string): unknown {
  const [, call = ""] = EXAMPLE.exec(text) ?? [];
  return JSON.parse(JSON.parse(`"${call}"`) as string);
}

/** Waits until the next process knows an example. */
async function exampleRecorded({ dir }: Place): Promise<void> {
  const file = join(dir, "state", "mcp-workbench", "example-calls.json");
  await waitFor(() => existsSync(file), GENEROUS_MS, "an example to be recorded");
}

const cacheOf = (place: Place): string => join(place.dir, "cache", "mcp-workbench", "catalogue");

describe("the tool list and instructions in proxy mode", () => {
  it("contain an example call that works", async () => {
    const place = prepareWorkbench(cleanup, dev({ fx: fixture() }));
    const first = await startIn(cleanup, place);
    await useTool(first.client, "dev/fx/echo", { text: "x" });
    await exampleRecorded(place);
    await first.stop();
    const workbench = await startIn(cleanup, place);
    const call = exampleIn(await surface(workbench));
    expect(call).toMatchObject({ tool: { toolbox: "dev", server: "fx" } });
    const answer = resultOf(await callTool(workbench.client, "use_tool", call));
    expect(answer).not.toHaveProperty("isError", true);
    await workbench.stop();
    place.writeConfig(dev({ fx: fixture() }, { discovery: "off" }));
    // The configuration has changed, so nothing is known about the tool.
    const later = await startIn(cleanup, place);
    expect(exampleIn(await surface(later))).toMatchObject({ tool: { toolbox: "TOOLBOX" } });
  });

  it("stay the same byte for byte, whatever happens to servers, connections and caches", async () => {
    const place = prepareWorkbench(cleanup, config("proxy"));
    const first = await startIn(cleanup, place);
    let expected = await surface(first);
    let modern = await modernSurface(first);
    const unchanged = async (workbench: RunningWorkbench): Promise<void> => {
      expect(await surface(workbench)).toBe(expected);
      expect(await modernSurface(workbench)).toBe(modern);
    };
    const { client } = first;

    await searchTools(client, "echo");
    await unchanged(first);
    await openToolbox(client, "ops");
    await unchanged(first);
    await useTool(client, "ops/fx/change_list", {});
    await unchanged(first);
    await useTool(client, "ops/fx/crash", {});
    await unchanged(first);
    await useTool(client, "ops/fx/echo", { text: "connected again" });
    await unchanged(first);
    for (const { pid } of first.servers()) killIfAlive(pid);
    await waitFor(() => first.servers().length === 0, GENEROUS_MS, "the servers to end");
    await unchanged(first);
    expect(client.notificationsOf("notifications/tools/list_changed")).toEqual([]);
    await exampleRecorded(place);
    await first.stop();

    // The first tools that became known gave the instructions an example, once and for all.
    const warm = await startIn(cleanup, place);
    const withExample = await surface(warm);
    expect(withoutExample(withExample)).toBe(withoutExample(expected));
    expect(exampleIn(withExample)).not.toMatchObject({ tool: { toolbox: "TOOLBOX" } });
    expected = withExample;
    modern = await modernSurface(warm);
    await searchTools(warm.client, "echo");
    await openToolbox(warm.client, "dev");
    await unchanged(warm);
    await warm.stop();
    for (const name of readdirSync(cacheOf(place))) writeFileSync(join(cacheOf(place), name), "x");
    const damaged = await startIn(cleanup, place);
    await unchanged(damaged);
    await damaged.stop();
    rmSync(join(place.dir, "cache"), { recursive: true });
    const cold = await startIn(cleanup, place);
    await unchanged(cold);
  });

  it("change with the configuration, and are announced once", async () => {
    const place = prepareWorkbench(cleanup, config("proxy"));
    const workbench = await startIn(cleanup, place);
    const before = await surface(workbench);
    const { toolboxes } = config("proxy");
    place.writeConfig({
      toolboxes: { ...toolboxes, extra: toolbox({ fx: fixture() }, "One more") },
    });
    const { client } = workbench;
    const changed = "notifications/tools/list_changed";
    await client.when(() => client.notificationsOf(changed).length > 0, "the notification");
    const after = await surface(workbench);
    expect(after).not.toBe(before);
    expect(after).toContain("One more");
    expect(client.notificationsOf(changed)).toHaveLength(1);
  });
});

describe("the tool list and instructions in native mode", () => {
  it("are the same in every process until a toolbox is opened, and after it is closed", async () => {
    const place = prepareWorkbench(cleanup, config("dynamic"));
    const first = await startIn(cleanup, place);
    const expected = await surface(first);
    await searchTools(first.client, "echo");
    expect(await surface(first)).toBe(expected);
    await openToolbox(first.client, "ops");
    const opened = await surface(first);
    await first.client.request("tools/call", {
      name: "close_toolbox",
      arguments: { toolbox: "ops" },
    });
    expect(await surface(first)).toBe(expected);
    await first.stop();
    const second = await startIn(cleanup, place);
    expect(await surface(second)).toBe(expected);
    await openToolbox(second.client, "ops");
    expect(await surface(second)).toBe(opened);
  });
});
