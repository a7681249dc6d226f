/** What an agent relies on when it searches for a tool. */
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { beforeAll, describe, expect, it } from "vitest";
import { PRECISE_SCHEMA } from "../fixtures/tool-definitions.mjs";
import { MODERN_META } from "../support/channel-client.ts";
import {
  callTool,
  identifier,
  searchTools,
  textOf,
  toolErrorOf,
  useTool,
} from "../support/calls.ts";
import { perBlock, perTest } from "../support/disposables.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS, type RawClient } from "../support/raw-client.ts";
import { searchAllServers } from "../support/search.ts";
import {
  type Config,
  dev,
  fixture,
  publicServer,
  toolbox,
  withOptions,
} from "../support/servers.ts";
import { startWorkbench } from "../support/workbench.ts";

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
