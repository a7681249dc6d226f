/**
 * A search while servers start, fail and change. In the full suite because each case starts several
 * programs; search.test.ts is in `npm test`.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { identifier, listTools, openToolbox, searchTools, useTool } from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import { namesOf, statusOf } from "../support/native.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { searchAllServers } from "../support/search.ts";
import {
  type Config,
  dev,
  fixture,
  MISSING_COMMAND,
  publicServer,
  toolbox,
} from "../support/servers.ts";
import { startWorkbench, temporaryFolder } from "../support/workbench.ts";

const cleanup = perTest();

const graph: Config = {
  toolboxes: {
    dev: toolbox({ fx: fixture() }, "Local development"),
    notes: { ...toolbox({ memory: publicServer("memory") }, "Facts"), keywords: ["remember"] },
  },
};

const identifiersIn = (answer: string): string[] =>
  answer.split("\n").map((line) => /^[^(]+/.exec(line)?.[0] ?? "");

describe("a search for tools", () => {
  it("starts each server once to list its tools, and ends it again", async () => {
    const workbench = await startWorkbench(cleanup, dev({ one: fixture(), two: fixture() }));
    await searchAllServers(workbench.client, "echo");
    await waitFor(() => workbench.servers().length === 0, GENEROUS_MS, "the servers to end");
    await searchTools(workbench.client, "sleep");
    expect(workbench.witness("dev", "one").starts).toBe(1);
    expect(workbench.witness("dev", "two").starts).toBe(1);
  });

  it("leaves a server running that is in use", async () => {
    const workbench = await startWorkbench(cleanup, dev({ fx: fixture() }));
    await openToolbox(workbench.client, "dev");
    await searchTools(workbench.client, "echo");
    expect(workbench.witness("dev", "fx").starts).toBe(1);
    expect(workbench.servers()).toHaveLength(1);
  });

  it("goes on without a server that is broken, and says so", async () => {
    const { client } = await startWorkbench(cleanup, dev({ fx: fixture(), bad: MISSING_COMMAND }));
    const answer = await searchAllServers(client, "returns the given text", { limit: 1 });
    expect(answer.split("\n")).toEqual([
      "dev/fx/echo(text: string) — Returns the given text",
      "Not searched (failed to connect): dev/bad",
    ]);
  });

  it("does not wait for a server that starts slowly, and finds its tools later", async () => {
    const ready = join(temporaryFolder(cleanup), "ready");
    const { client } = await startWorkbench(cleanup, {
      toolboxes: {
        dev: toolbox({ fx: fixture() }),
        ops: toolbox({ slow: fixture("--wait-for", ready) }),
      },
    });
    await openToolbox(client, "dev");
    const first = await searchTools(client, "echo", { limit: 20 });
    expect(first).toContain("dev/fx/echo");
    expect(first).toMatch(/\nNot searched yet \(still starting\): ops\/slow\. Search again/);
    writeFileSync(ready, "");
    const second = await searchAllServers(client, "echo", { limit: 20 });
    expect(second).toMatch(/^dev\/fx\/echo\(.* \(also in ops\/slow\)$/m);
  });

  it("does not suggest a toolbox whose servers have all failed", async () => {
    const { client } = await startWorkbench(cleanup, {
      toolboxes: { dev: toolbox({ fx: fixture() }), broken: toolbox({ bad: MISSING_COMMAND }) },
    });
    const answer = await searchAllServers(client, "qqqq zzzz", { toolbox: "broken" });
    expect(answer).toMatch(
      /^No tool matches\. Nearest toolboxes:\ndev — Tools for tests\nSearch in other words\nNot/,
    );
  });

  it("finds what a server adds while it runs", async () => {
    const { client } = await startWorkbench(cleanup, dev({ fx: fixture() }));
    await openToolbox(client, "dev");
    expect(await searchTools(client, "added_1", { limit: 1 })).not.toContain("dev/fx/added_1");
    await useTool(client, "dev/fx/change_list", {});
    await waitFor(
      async () =>
        (await searchTools(client, "added_1", { limit: 1 })).startsWith("dev/fx/added_1("),
      GENEROUS_MS,
      "the new tool",
    );
  });
});

describe("a workbench in native mode", () => {
  it("offers search_tools, and what it finds can be opened and called", async () => {
    const { client } = await startWorkbench(cleanup, { ...graph, toolMode: "dynamic" });
    expect(namesOf(await listTools(client))).toEqual([
      "search_tools",
      "open_toolbox",
      "close_toolbox",
      "run_script",
    ]);
    const [path = ""] = identifiersIn(await searchAllServers(client, "status", { limit: 1 }));
    const { toolbox: found, server, name } = identifier(path);
    await openToolbox(client, found);
    expect((await statusOf(client, `${found}__${server}__${name}`)).name).toBe("fixture");
  });
});
