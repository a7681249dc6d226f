/** What an agent relies on that looks for a tool it does not know. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";
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
import { perTest } from "../support/disposables.ts";
import { namesOf, statusOf } from "../support/native.ts";
import { waitFor } from "../support/proc.ts";
import {
  type Config,
  dev,
  fixture,
  MISSING_COMMAND,
  publicServer,
  toolbox,
  type WitnessRow,
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
  it("finds tools in all toolboxes, none of which was opened, one line each", async () => {
    const { client } = await startWorkbench(cleanup, graph);
    const answer = await searchTools(client, "search for nodes in the knowledge graph");
    expect(answer.split("\n")[0]).toBe(
      "notes/memory/search_nodes(query: string) — Search for nodes in the knowledge graph based on a query",
    );
    expect(await searchTools(client, "returns the given text", { limit: 1 })).toBe(
      "dev/fx/echo(text: string) — Returns the given text",
    );
  });

  it("gives identifiers that can be called as they are", async () => {
    const { client } = await startWorkbench(cleanup, graph);
    const [path = ""] = identifiersIn(await searchTools(client, "echo", { limit: 1 }));
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
    const { client } = await startWorkbench(cleanup, graph);
    const found = identifiersIn(await searchTools(client, query, { limit: 3 }));
    expect(found).toContain("notes/memory/search_nodes");
  });

  it("stays small: five tools in 250 tokens", async () => {
    const { client } = await startWorkbench(cleanup, {
      toolboxes: { all: toolbox({ every: publicServer("everything"), fx: fixture() }) },
    });
    const answer = await searchTools(client, "returns a text, a resource or an image");
    expect(answer.split("\n")).toHaveLength(5);
    expect(countTokens(answer)).toBeLessThanOrEqual(250);
  });

  it("gives whole definitions, to the byte, when asked for", async () => {
    const { client } = await startWorkbench(cleanup, dev({ fx: fixture("--python-list") }));
    const answer = await searchTools(client, "precise", { limit: 1, detail: "schema" });
    expect(answer).toContain(PRECISE_SCHEMA.replaceAll(/(?<=[:,]) /g, ""));
    expect(JSON.parse(answer)).toMatchObject({ name: "precise", toolbox: "dev", server: "fx" });
  });

  it("names the nearest toolboxes when no tool fits", async () => {
    const { client } = await startWorkbench(cleanup, graph);
    const answer = await searchTools(client, "qqqq zzzz");
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
    const { client } = await startWorkbench(cleanup, config);
    for (const query of ["echo", "returns the given text", "rich", "content of every type"]) {
      const found = identifiersIn(await searchTools(client, query, { limit: 20 }));
      expect(found).not.toContain("dev/fx/echo");
      expect(found).not.toContain("dev/fx/rich");
    }
  });

  it("says what is wrong with a question", async () => {
    const { client } = await startWorkbench(cleanup, graph);
    const ask = (input: unknown) => callTool(client, "search_tools", input);
    expect(toolErrorOf(await ask({ query: "" }))).toBe(
      "Invalid parameters: query: Query cannot be empty",
    );
    expect(toolErrorOf(await ask({ query: "x", toolbox: "note" }))).toBe(
      "Toolbox 'note' not found. Did you mean 'notes'?",
    );
  });

  it("works for a client of the modern era", async () => {
    const { client } = await startWorkbench(cleanup, graph, { initialize: false });
    const response = await callTool(
      client,
      "search_tools",
      { query: "search nodes", limit: 1 },
      { meta: MODERN_META },
    );
    expect(textOf(response)).toMatch(/^notes\/memory\/search_nodes/);
  });
});

describe("the scope of a search", () => {
  it("can be one toolbox", async () => {
    const { client } = await startWorkbench(cleanup, graph);
    const answer = await searchTools(client, "text", { toolbox: "notes", limit: 20 });
    expect(answer).not.toContain("dev/");
  });

  it("is what the client may use: neither tools nor toolboxes beyond it show up", async () => {
    const scoped = await startWorkbench(cleanup, graph, { args: ["serve", "--toolbox", "dev"] });
    for (const query of ["search nodes", "knowledge graph", "qqqq", "memory"]) {
      const answer = await searchTools(scoped.client, query, { limit: 20 });
      expect(answer).not.toContain("notes");
      expect(answer).not.toContain("memory");
    }
    expect(scoped.witness("dev", "fx").starts).toBe(1);
  });
});

describe("what a search does to servers", () => {
  it("starts each once to look at it, and ends it again", async () => {
    const workbench = await startWorkbench(cleanup, dev({ one: fixture(), two: fixture() }));
    await searchTools(workbench.client, "echo");
    await waitFor(() => workbench.servers().length === 0, 5000, "the servers to end");
    await searchTools(workbench.client, "sleep");
    expect(workbench.witness("dev", "one").starts).toBe(1);
    expect(workbench.witness("dev", "two").starts).toBe(1);
  });

  it("leaves alone one that is in use", async () => {
    const workbench = await startWorkbench(cleanup, dev({ fx: fixture() }));
    await openToolbox(workbench.client, "dev");
    await searchTools(workbench.client, "echo");
    expect(workbench.witness("dev", "fx").starts).toBe(1);
    expect(workbench.servers()).toHaveLength(1);
  });

  it("goes on without one that is broken, and says so", async () => {
    const { client } = await startWorkbench(cleanup, dev({ fx: fixture(), bad: MISSING_COMMAND }));
    const answer = await searchTools(client, "returns the given text", { limit: 1 });
    expect(answer.split("\n")).toEqual([
      "dev/fx/echo(text: string) — Returns the given text",
      "Not searched, because never connected: dev/bad. open_toolbox connects them",
    ]);
  });

  it("does not wait long for one that is slow, and finds its tools when it is there", async () => {
    const ready = join(temporaryFolder(cleanup), "ready");
    const config = dev({ fx: fixture(), slow: fixture("--name", "s", "--wait-for", ready) });
    const { client } = await startWorkbench(cleanup, config);
    const first = await searchTools(client, "echo", { limit: 20 });
    expect(first).toContain("dev/fx/echo");
    expect(first).toMatch(/\nNot searched yet, still starting: dev\/slow\. Search again/);
    writeFileSync(ready, "");
    const second = await searchTools(client, "echo", { limit: 20 });
    expect(second).toContain("dev/slow/echo");
  });

  it("finds what a server adds while it runs", async () => {
    const { client } = await startWorkbench(cleanup, dev({ fx: fixture() }));
    await openToolbox(client, "dev");
    expect(await searchTools(client, "added_1", { limit: 1 })).not.toContain("dev/fx/added_1");
    await useTool(client, "dev/fx/change_list", {});
    await waitFor(
      async () =>
        (await searchTools(client, "added_1", { limit: 1 })).startsWith("dev/fx/added_1("),
      5000,
      "the new tool",
    );
  });
});

describe("the setting `discovery`", () => {
  const boxes = (discovery: string): Config =>
    dev(
      Object.fromEntries(
        ["a", "b", "c", "d"].map((name) => [name, fixture("--start-delay", "150", "--name", name)]),
      ),
      { discovery },
    );

  it("lazy: nothing is started before somebody searches", async () => {
    const workbench = await startWorkbench(cleanup, boxes("lazy"));
    await listTools(workbench.client);
    // Longer than anything that is done in the background takes to begin.
    await new Promise((resolve) => setTimeout(resolve, 2000));
    expect(workbench.witness("dev", "a").starts).toBe(0);
    expect(await searchTools(workbench.client, "echo", { limit: 20 })).toContain("dev/d/echo");
  });

  it("off: a search starts nothing, and finds what was opened", async () => {
    const workbench = await startWorkbench(cleanup, {
      ...boxes("off"),
      toolboxes: { ...boxes("off").toolboxes, ops: toolbox({ fx: fixture() }) },
    });
    const { client } = workbench;
    await openToolbox(client, "ops");
    const answer = await searchTools(client, "echo", { limit: 20 });
    expect(answer).toContain("ops/fx/echo");
    expect(answer).not.toContain("dev/a/echo");
    expect(answer).toContain("never connected: dev/a, dev/b, dev/c and 1 more");
    expect(workbench.witness("dev", "a").starts).toBe(0);
  });

  it("eager: all are looked at after the start, two at a time, and ended again", async () => {
    const workbench = await startWorkbench(cleanup, boxes("eager"));
    const witnesses = ["a", "b", "c", "d"].map((name) => workbench.witness("dev", name));
    const exits = (): number =>
      witnesses.flatMap((witness) => witness.rows()).filter(({ event }) => event === "exit").length;
    await waitFor(() => exits() === 4, 15_000, "all to have come and gone");
    expect(mostAtOnce(witnesses.flatMap((witness) => witness.rows()))).toBeLessThanOrEqual(2);
    await searchTools(workbench.client, "echo");
    expect(witnesses.map(({ starts }) => starts)).toEqual([1, 1, 1, 1]);
  });
});

function mostAtOnce(rows: readonly WitnessRow[]): number {
  let running = 0;
  let most = 0;
  const ordered = rows
    .filter(({ event }) => event === "start" || event === "exit")
    .sort((a, b) => a.at - b.at || (a.event === "exit" ? -1 : 1));
  for (const { event } of ordered) {
    running += event === "start" ? 1 : -1;
    most = Math.max(most, running);
  }
  return most;
}

describe("native mode", () => {
  it("has search_tools beside the others, and what it finds can be opened and called", async () => {
    const { client } = await startWorkbench(cleanup, { ...graph, toolMode: "dynamic" });
    expect(namesOf(await listTools(client))).toEqual([
      "search_tools",
      "open_toolbox",
      "close_toolbox",
    ]);
    const [path = ""] = identifiersIn(await searchTools(client, "status", { limit: 1 }));
    const { toolbox: found, server, name } = identifier(path);
    await openToolbox(client, found);
    expect((await statusOf(client, `${found}__${server}__${name}`)).name).toBe("fixture");
  });
});
