/**
 * Closing toolboxes, and several open ones, with toolMode "dynamic". In the full suite because each case
 * starts several programs; native-mode.test.ts is in `npm test`.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { toolDefinitions } from "../fixtures/tool-definitions.mjs";
import { callTool, failureOf, listTools, openToolbox, textOf } from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import {
  changes,
  closeToolbox,
  namesOf,
  nativeTools,
  oneToolbox,
  originOf,
  statusOf,
  twoToolboxes,
} from "../support/native.ts";
import { alive, waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { dev, fixture } from "../support/servers.ts";
import { startWorkbench, temporaryFolder } from "../support/workbench.ts";

const cleanup = perTest();

describe("closing a toolbox in native mode", () => {
  it("removes its tools, announces that once, and ends its processes", async () => {
    const workbench = await startWorkbench(cleanup, oneToolbox);
    const { client } = workbench;
    await openToolbox(client, "dev");
    const { pid } = await statusOf(client, "dev__fx__status");
    await closeToolbox(client, "dev");
    await client.when(() => changes(client) >= 2, "the second notification");
    expect(changes(client)).toBe(2);
    expect(await nativeTools(client)).toEqual([]);
    await waitFor(() => !alive(pid), GENEROUS_MS, "the process to end");
    expect(failureOf(await callTool(client, "dev__fx__echo", { text: "x" }))).toContain(
      "dev__fx__echo",
    );
  });

  it("can be undone by opening it again", async () => {
    const { client } = await startWorkbench(cleanup, oneToolbox);
    await openToolbox(client, "dev");
    const before = await statusOf(client, "dev__fx__status");
    await closeToolbox(client, "dev");
    await openToolbox(client, "dev");
    const after = await statusOf(client, "dev__fx__status");
    expect(after.pid).not.toBe(before.pid);
    await client.when(() => changes(client) >= 3, "the third notification");
    expect(changes(client)).toBe(3);
  });

  it("that is not open changes nothing, and announces nothing", async () => {
    const { client } = await startWorkbench(cleanup, oneToolbox);
    await closeToolbox(client, "dev");
    await openToolbox(client, "dev");
    await client.when(() => changes(client) >= 1, "the notification of the opening");
    expect(changes(client)).toBe(1);
  });

  it("while it is being opened leaves it either open or closed", async () => {
    const go = join(temporaryFolder(cleanup), "go");
    const workbench = await startWorkbench(
      cleanup,
      dev({ quick: fixture(), slow: fixture("--wait-for", go) }, { toolMode: "dynamic" }),
    );
    const { client } = workbench;
    const opening = callTool(client, "open_toolbox", { toolbox: "dev" });
    await waitFor(
      () => workbench.witness("dev", "slow").starts === 1,
      GENEROUS_MS,
      "the slow server",
    );
    const closing = closeToolbox(client, "dev");
    writeFileSync(go, "");
    await Promise.all([opening, closing]);
    const listed = namesOf(await nativeTools(client));
    for (const name of ["dev__quick__a_b", "dev__slow__a_b"].filter((it) => listed.includes(it))) {
      expect(textOf(await callTool(client, name, {}))).toContain("a_b");
    }
    const expected = ["quick", "slow"].filter((it) => listed.includes(`dev__${it}__a_b`)).length;
    await waitFor(
      () => workbench.servers().length === expected,
      GENEROUS_MS,
      `${expected} running servers`,
    );
  });

  it("fails the calls that are still running", async () => {
    const workbench = await startWorkbench(cleanup, oneToolbox);
    const { client } = workbench;
    await openToolbox(client, "dev");
    const running = callTool(client, "dev__fx__sleep", { ms: 3_600_000 });
    await waitFor(
      () => workbench.witness("dev", "fx").callsOf("sleep").length === 1,
      GENEROUS_MS,
      "the call to reach the server",
    );
    await closeToolbox(client, "dev");
    expect(failureOf(await running)).toContain("dev");
  });
});

describe("several open toolboxes in native mode", () => {
  it("have their own processes and their own lists", async () => {
    const workbench = await startWorkbench(cleanup, twoToolboxes);
    const { client } = workbench;
    await openToolbox(client, "dev");
    await openToolbox(client, "prod");
    const [inDev, inProd] = await Promise.all([
      statusOf(client, "dev__fx__status"),
      statusOf(client, "prod__fx__status"),
    ]);
    expect([inDev.name, inProd.name]).toEqual(["dev-fx", "prod-fx"]);
    expect(inDev.pid).not.toBe(inProd.pid);

    await callTool(client, "dev__fx__change_list", {});
    await waitFor(
      async () => namesOf(await nativeTools(client)).includes("dev__fx__added_1"),
      GENEROUS_MS,
      "the added tool",
    );
    expect(namesOf(await nativeTools(client))).not.toContain("prod__fx__added_1");
  });

  it("never list two tools with the same name", async () => {
    const { client } = await startWorkbench(cleanup, twoToolboxes);
    await openToolbox(client, "dev");
    await openToolbox(client, "prod");
    const names = namesOf(await listTools(client));
    expect(names.length).toBeGreaterThan(3 * toolDefinitions().length);
    expect(new Set(names).size).toBe(names.length);
  });

  it("list tools that each lead to a tool of their server", async () => {
    const { client } = await startWorkbench(cleanup, twoToolboxes);
    for (const name of ["dev", "prod"]) await openToolbox(client, name);
    const native = await nativeTools(client);
    expect(native).toHaveLength(3 * toolDefinitions().length);
    const seen = new Set<string>();
    for (const tool of native) {
      const [, box, server] = /^\[([^/\]]+)\/([^\]]+)\]/.exec(tool.description ?? "") ?? [];
      const names = toolDefinitions().map(({ name }) => name);
      const original = names.find((name) => originOf(tool).includes(name));
      expect(tool.name.startsWith(`${box}__${server}__`)).toBe(true);
      expect(original).toBeDefined();
      seen.add(`${box}/${server}/${original}`);
    }
    expect(seen.size).toBe(native.length);
  });

  it("keep their tools, calls and processes when another one is closed", async () => {
    let answer: (value: unknown) => void = () => {};
    const workbench = await startWorkbench(cleanup, twoToolboxes, {
      capabilities: { elicitation: {} },
      responders: { "elicitation/create": () => new Promise((resolve) => (answer = resolve)) },
    });
    const { client } = workbench;
    await openToolbox(client, "dev");
    await openToolbox(client, "prod");
    const before = await statusOf(client, "prod__fx__status");
    const prodTools = (await nativeTools(client)).filter(({ name }) => name.startsWith("prod__"));
    const running = callTool(client, "prod__fx__elicit", {});
    await client.when(() => client.serverRequests.length === 1, "the call to be under way");
    await closeToolbox(client, "dev");
    expect(await nativeTools(client)).toEqual(prodTools);
    answer({ action: "decline" });
    expect(JSON.parse(textOf(await running))).toEqual({ result: { action: "decline" } });
    expect((await statusOf(client, "prod__fx__status")).pid).toBe(before.pid);
    expect(workbench.witness("prod", "fx").starts).toBe(1);
  });
});
