/**
 * The list of native tools: legal names for every tool, and announcements only of real changes. In the
 * full suite because each case starts a workbench; native-mode.test.ts is in `npm test`.
 */
import { describe, expect, it } from "vitest";
import { ODD_NAMES } from "../fixtures/tool-definitions.mjs";
import { callTool, failureOf, openToolbox, textOf } from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import { changes, namesOf, nativeTools, oneToolbox, originOf } from "../support/native.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { startWorkbench } from "../support/workbench.ts";

const cleanup = perTest();
const LEGAL_NAME = /^[A-Za-z0-9_.-]{1,128}$/;

describe("the names of native tools", () => {
  it("are legal and unique, and each leads to the original tool", async () => {
    const { client } = await startWorkbench(cleanup, oneToolbox);
    await openToolbox(client, "dev");
    const tools = await nativeTools(client);
    for (const { name } of tools) expect(name).toMatch(LEGAL_NAME);
    for (const original of ODD_NAMES) {
      const tool = tools.find((candidate) => originOf(candidate).includes(original));
      const answer = textOf(await callTool(client, tool?.name ?? "missing", { of: original }));
      expect(JSON.parse(answer)).toMatchObject({ ran: original, arguments: { of: original } });
    }
  });

  it("keep a legal original name, even one with separators", async () => {
    const { client } = await startWorkbench(cleanup, oneToolbox);
    await openToolbox(client, "dev");
    const answer = textOf(await callTool(client, "dev__fx__group__inner__leaf", {}));
    expect(JSON.parse(answer)).toMatchObject({ ran: "group__inner__leaf" });
    const names = namesOf(await nativeTools(client));
    expect(names).toEqual(
      expect.arrayContaining(["dev__fx____leading", "dev__fx__trailing__", "dev__fx__a_b"]),
    );
  });

  it("are the same in every run", async () => {
    const runs = [];
    for (let run = 0; run < 2; run++) {
      const { client } = await startWorkbench(cleanup, oneToolbox);
      await openToolbox(client, "dev");
      runs.push(namesOf(await nativeTools(client)));
    }
    expect(runs[1]).toEqual(runs[0]);
  });
});

describe("the list of native tools", () => {
  it("changes once when a server adds a tool, which can then be called", async () => {
    const { client } = await startWorkbench(cleanup, oneToolbox);
    await openToolbox(client, "dev");
    await callTool(client, "dev__fx__change_list", {});
    await client.when(() => changes(client) >= 2, "the notification");
    expect(namesOf(await nativeTools(client))).toContain("dev__fx__added_1");
    expect(textOf(await callTool(client, "dev__fx__added_1", {}))).toContain("added_1");
    expect(changes(client)).toBe(2);
  });

  it("is not announced as changed when a server only says so", async () => {
    const workbench = await startWorkbench(cleanup, oneToolbox);
    const { client } = workbench;
    await openToolbox(client, "dev");
    const lists = (): number => workbench.witness("dev", "fx").messages("tools/list").length;
    const before = lists();
    await callTool(client, "dev__fx__noop_list_changed", {});
    await waitFor(() => lists() > before, GENEROUS_MS, "the list to be read again");
    await callTool(client, "dev__fx__spam_list_changed", { n: 500 });
    await callTool(client, "dev__fx__change_list", {});
    await waitFor(
      async () => namesOf(await nativeTools(client)).includes("dev__fx__added_1"),
      GENEROUS_MS,
      "the added tool",
    );
    await client.when(() => changes(client) >= 2, "the notification of the real change");
    expect(changes(client)).toBe(2);
    // At most one in a second, and a test ends after two minutes.
    expect(lists() - before).toBeLessThan(120);
  });

  it("loses a tool that its server removed", async () => {
    const { client } = await startWorkbench(cleanup, oneToolbox);
    await openToolbox(client, "dev");
    await callTool(client, "dev__fx__change_list", { remove: "echo" });
    await client.when(() => changes(client) >= 2, "the notification");
    expect(namesOf(await nativeTools(client))).not.toContain("dev__fx__echo");
    expect(failureOf(await callTool(client, "dev__fx__echo", {}))).toContain("echo");
  });
});
