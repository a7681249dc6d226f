/** What an agent relies on when it searches for a tool. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { beforeAll, describe, expect, it } from "vitest";
import { PRECISE_SCHEMA } from "../fixtures/tool-definitions.mjs";
import { MODERN_META } from "../support/channel-client.ts";
import {
  callTool,
  identifier,
  listTools,
  openToolbox,
  searchTools,
  textOf,
  toolErrorOf,
  useTool,
} from "../support/calls.ts";
import { perBlock, perTest } from "../support/disposables.ts";
import { namesOf, statusOf } from "../support/native.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS, type RawClient } from "../support/raw-client.ts";
import { searchAllServers } from "../support/search.ts";
import {
  type Config,
  dev,
  fixture,
  MISSING_COMMAND,
  publicServer,
  toolbox,
  withOptions,
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

describe("search_tools", () => {
  const shared = perBlock();
  let client: RawClient;
  beforeAll(async () => {
    ({ client } = await startWorkbench(shared, graph));
  });

  it("finds tools in all toolboxes, none of which was opened, one line each", async () => {
    const answer = await searchAllServers(client, "search for nodes in the knowledge graph");
    expect(answer.split("\n")[0]).toBe(
      "notes/memory/search_nodes(query: string) -> {entities:{…}[], relations:{…}[]} — Search for nodes in the knowledge graph based on a query",
    );
    expect(await searchTools(client, "returns the given text", { limit: 1 })).toBe(
      "dev/fx/echo(text: string) — Returns the given text",
    );
  });

  it("returns identifiers that can be called as they are", async () => {
    const [path = ""] = identifiersIn(await searchAllServers(client, "echo", { limit: 1 }));
    expect(identifier(path)).toEqual({ toolbox: "dev", server: "fx", name: "echo" });
    expect(textOf(await useTool(client, path, { text: "found" }))).toBe("found");
  });

  it.each([
    ["a typing error", "serach nodes"],
    ["camelCase", "searchNodes"],
    ["snake_case", "search_nodes"],
    ["another order of words", "nodes to search"],
    ["a plural", "searches node"],
    ["a keyword of its toolbox", "remember nodes search"],
  ])("understands %s", async (_what, query) => {
    const found = identifiersIn(await searchAllServers(client, query, { limit: 3 }));
    expect(found).toContain("notes/memory/search_nodes");
  });

  it("describes five tools in at most 250 tokens", async () => {
    const large = await startWorkbench(cleanup, {
      toolboxes: { all: toolbox({ every: publicServer("everything"), fx: fixture() }) },
    });
    const answer = await searchAllServers(large.client, "returns a text, a resource or an image");
    expect(answer.split("\n")).toHaveLength(5);
    expect(countTokens(answer)).toBeLessThanOrEqual(250);
  });

  it("returns whole definitions, byte for byte, when asked for", async () => {
    const exact = await startWorkbench(cleanup, dev({ fx: fixture("--python-list") }));
    const detail = { limit: 1, detail: "schema" };
    const answer = await searchAllServers(exact.client, "precise", detail);
    expect(answer).toContain(PRECISE_SCHEMA.replaceAll(/(?<=[:,]) /g, ""));
    expect(JSON.parse(answer)).toMatchObject({ name: "precise", toolbox: "dev", server: "fx" });
  });

  it("names the nearest toolboxes when no tool matches", async () => {
    const answer = await searchAllServers(client, "qqqq zzzz");
    expect(answer).toMatch(/^No tool matches\. Nearest toolboxes:\n/);
    expect(answer).toContain("notes — Facts");
  });

  it("never shows what is filtered out or hidden", async () => {
    const config = dev({
      fx: withOptions(fixture(), {
        toolFilters: ["!echo"],
        overrides: { rich: { hidden: true } },
      }),
    });
    const filtered = await startWorkbench(cleanup, config);
    expect(await searchAllServers(filtered.client, "sleep")).toContain("dev/fx/sleep(");
    for (const query of ["echo", "returns the given text", "rich", "content of every type"]) {
      const found = identifiersIn(await searchAllServers(filtered.client, query, { limit: 20 }));
      expect(found).not.toContain("dev/fx/echo");
      expect(found).not.toContain("dev/fx/rich");
    }
  });

  it("searches one toolbox when asked to", async () => {
    const scope = { toolbox: "notes", limit: 20 };
    const answer = await searchAllServers(client, "search nodes", scope);
    expect(answer).toContain("notes/memory/search_nodes");
    expect(answer).not.toContain("dev/");
  });

  it("says what is wrong with its input", async () => {
    const ask = (input: unknown) => callTool(client, "search_tools", input);
    expect(toolErrorOf(await ask({ query: "" }))).toBe(
      "Invalid parameters: query: Query cannot be empty",
    );
    expect(toolErrorOf(await ask({ query: "x", toolbox: "note" }))).toBe(
      "Toolbox 'note' not found. Did you mean 'notes'?",
    );
  });

  it("works for a client of the modern era", async () => {
    const modern = await startWorkbench(cleanup, dev({ fx: fixture() }), { initialize: false });
    const input = { query: "returns the given text", limit: 1 };
    const search = async (): Promise<string> =>
      textOf(await callTool(modern.client, "search_tools", input, { meta: MODERN_META }));
    const found = async (): Promise<string | false> => {
      const answer = await search();
      return !answer.includes("still starting") && answer;
    };
    const answer = await waitFor(found, GENEROUS_MS, "the server to be searched");
    expect(answer).toMatch(/^dev\/fx\/echo\(/);
  });
});

describe("the scope of a search", () => {
  it("is what the client may use: no tool or toolbox beyond it shows up", async () => {
    const scoped = await startWorkbench(cleanup, graph, { args: ["serve", "--toolbox", "dev"] });
    for (const query of ["search nodes", "knowledge graph", "qqqq", "memory"]) {
      const answer = await searchAllServers(scoped.client, query, { limit: 20 });
      expect(answer).not.toContain("notes");
      expect(answer).not.toContain("memory");
    }
    expect(scoped.witness("dev", "fx").starts).toBe(1);
  });
});

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
    expect(answer).toMatch(/^No tool matches\. Nearest toolboxes:\ndev — Tools for tests\nNot/);
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
