/** What clients rely on that see the tools themselves: toolMode "dynamic". */
import { describe, expect, it } from "vitest";
import { toolDefinitions } from "../fixtures/tool-definitions.mjs";
import {
  callTool,
  failureOf,
  listTools,
  openToolbox,
  resultOf,
  type Tool,
} from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import { memberText } from "../support/json-text.ts";
import {
  changes,
  closeToolbox,
  namesOf,
  nativeTools,
  oneToolbox,
  originOf,
  statusOf,
} from "../support/native.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { dev, fixture, MISSING_COMMAND, withOptions } from "../support/servers.ts";
import { startWorkbench } from "../support/workbench.ts";

const cleanup = perTest();

describe("opening a toolbox in native mode", () => {
  it("adds its tools to the list, and announces that once", async () => {
    const { client, hello } = await startWorkbench(cleanup, oneToolbox);
    expect(hello.capabilities.tools).toMatchObject({ listChanged: true });
    expect(namesOf(await listTools(client))).toEqual(
      expect.arrayContaining(["open_toolbox", "close_toolbox"]),
    );
    expect(await nativeTools(client)).toEqual([]);

    expect((await openToolbox(client, "dev")).toolbox).toBe("dev");
    await client.when(() => changes(client) > 0, "the notification");
    const names = namesOf(await nativeTools(client));
    expect(names).toHaveLength(toolDefinitions().length);
    expect(names).toContain("dev__fx__echo");
    expect(changes(client)).toBe(1);
  });

  it("keeps the definition of each tool, and adds its toolbox and server", async () => {
    const { client } = await startWorkbench(cleanup, oneToolbox);
    await openToolbox(client, "dev");
    const listed = (await nativeTools(client)).find(({ name }) => name === "dev__fx__structured");
    const defined = toolDefinitions().find(({ name }) => name === "structured");
    expect(listed).toMatchObject({
      ...defined,
      name: "dev__fx__structured",
      description: `[dev/fx] ${defined?.description}`,
    });
    expect(Object.keys(listed ?? {}).sort()).toEqual(Object.keys(defined ?? {}).sort());
    expect(originOf(listed as Tool)).toEqual(expect.arrayContaining(["dev", "fx", "structured"]));
  });

  it("gives a description to a tool that has none", async () => {
    const { client } = await startWorkbench(cleanup, oneToolbox);
    await openToolbox(client, "dev");
    await callTool(client, "dev__fx__change_list", {});
    const added = await waitFor(
      async () => (await nativeTools(client)).find(({ name }) => name === "dev__fx__added_1"),
      GENEROUS_MS,
      "the added tool",
    );
    expect(added.description).toMatch(/^\[dev\/fx\]/);
  });

  it("a second time changes nothing, and announces nothing", async () => {
    const { client } = await startWorkbench(cleanup, oneToolbox);
    await openToolbox(client, "dev");
    await openToolbox(client, "dev");
    await closeToolbox(client, "dev");
    await client.when(() => changes(client) >= 2, "the notification of the closing");
    expect(changes(client)).toBe(2);
  });

  it("several times at once announces it once", async () => {
    const workbench = await startWorkbench(cleanup, oneToolbox);
    const { client } = workbench;
    await Promise.all(Array.from({ length: 5 }, () => openToolbox(client, "dev")));
    await client.when(() => changes(client) > 0, "the notification");
    await client.request("ping");
    expect(changes(client)).toBe(1);
    expect(workbench.witness("dev", "fx").starts).toBe(1);
  });

  it("lists the tools of the servers that work when one does not", async () => {
    const { client } = await startWorkbench(
      cleanup,
      dev({ good: fixture(), missing: MISSING_COMMAND }, { toolMode: "dynamic" }),
    );
    const opened = await openToolbox(client, "dev");
    expect(opened.servers_failed?.map(({ server }) => server)).toEqual(["missing"]);
    expect(namesOf(await nativeTools(client))).toContain("dev__good__echo");
  });

  it("lists only the tools that pass the filter", async () => {
    const filtered = withOptions(fixture(), { toolFilters: ["echo"] });
    const workbench = await startWorkbench(cleanup, dev({ fx: filtered }, { toolMode: "dynamic" }));
    await openToolbox(workbench.client, "dev");
    expect(namesOf(await nativeTools(workbench.client))).toEqual(["dev__fx__echo"]);
    const response = await callTool(workbench.client, "dev__fx__status", {});
    expect(failureOf(response)).toContain("status");
    expect(workbench.witness("dev", "fx").callsOf("status")).toEqual([]);
  });

  it("refuses input that makes no sense", async () => {
    const { client } = await startWorkbench(cleanup, oneToolbox);
    for (const tool of ["open_toolbox", "close_toolbox"]) {
      expect(failureOf(await callTool(client, tool, { toolbox: "nope" }))).toMatch(
        /^Toolbox 'nope' not found/,
      );
      expect(failureOf(await callTool(client, tool, { toolbox: "" }))).toMatch(
        /^Invalid parameters: toolbox: Toolbox name cannot be empty/,
      );
      expect(failureOf(await callTool(client, tool, { toolbox: "dev", surplus: 1 }))).toMatch(
        /^Invalid parameters: .*surplus/,
      );
    }
    expect(changes(client)).toBe(0);
  });
});

describe("calling a native tool", () => {
  it("reaches the server under the original name, byte for byte in both directions", async () => {
    const workbench = await startWorkbench(cleanup, oneToolbox);
    const { client } = workbench;
    await openToolbox(client, "dev");
    const args = '{"n":12345678901234567890,"f":1.0,"s":"\\u0041"}';
    await client.requestText(
      "tools/call",
      `{"name":"dev__fx__a_b","arguments":${args},"_meta":{"trace":1},"task":{"ttl":1.0}}`,
    );
    const sent = workbench.witness("dev", "fx").callsOf("a_b")[0];
    expect(memberText(sent?.raw ?? "", "params", "arguments")).toBe(args);
    expect(memberText(sent?.raw ?? "", "params", "_meta")).toBe('{"trace":1}');
    expect(memberText(sent?.raw ?? "", "params", "task")).toBe('{"ttl":1.0}');

    const json = '{"z":12345678901234567890,"content":[],"a":1.0}';
    const response = await callTool(client, "dev__fx__raw", { json });
    expect(memberText(response.line, "result")).toBe(json);
  });

  it("passes on results, errors, progress and cancellation", async () => {
    const workbench = await startWorkbench(cleanup, oneToolbox);
    const { client } = workbench;
    await openToolbox(client, "dev");
    expect(resultOf(await callTool(client, "dev__fx__tool_error")).isError).toBe(true);
    const data = { nested: [1] };
    expect((await callTool(client, "dev__fx__fail", { code: -32042, data })).error).toEqual({
      code: -32042,
      message: "failed as asked",
      data,
    });
    const meta = { progressToken: "p" };
    await callTool(client, "dev__fx__progress_burst", { n: 3 }, { meta });
    const steps = client.notificationsOf("notifications/progress");
    expect(steps.map(({ params }) => params.progressToken)).toEqual(["p", "p", "p"]);
    const params = { name: "dev__fx__sleep", arguments: { ms: 3_600_000 } };
    client.sendLine(JSON.stringify({ jsonrpc: "2.0", id: "x", method: "tools/call", params }));
    client.notify("notifications/cancelled", { requestId: "x" });
    await waitFor(
      () => workbench.witness("dev", "fx").messages("notifications/cancelled").length === 1,
      GENEROUS_MS,
      "the cancellation",
    );
  });

  it("starts its server again after a crash", async () => {
    const { client } = await startWorkbench(cleanup, oneToolbox);
    await openToolbox(client, "dev");
    const { pid } = await statusOf(client, "dev__fx__status");
    expect(failureOf(await callTool(client, "dev__fx__crash", {}))).toContain("'fx'");
    expect(namesOf(await nativeTools(client))).toContain("dev__fx__status");
    expect((await statusOf(client, "dev__fx__status")).pid).not.toBe(pid);
    expect(changes(client)).toBe(1);
  });

  it("that is not open, or does not exist, fails with an error that names it", async () => {
    const workbench = await startWorkbench(cleanup, oneToolbox);
    for (const name of ["dev__fx__echo", "dev__fx__nope", "nope", "dev__fx", "a__b__c", ""]) {
      expect(failureOf(await callTool(workbench.client, name, {}))).toContain(name);
    }
    expect(workbench.witness("dev", "fx").callsOf("echo")).toEqual([]);
  });
});
