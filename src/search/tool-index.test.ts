import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { SERVERS, TOOLBOXES } from "../../test/fixtures/tool-corpus.ts";
import { ToolIndex } from "./tool-index.ts";
import type { ToolDefinition } from "./types.ts";

function corpusIndex(): ToolIndex {
  const index = new ToolIndex();
  index.setToolboxes(TOOLBOXES);
  for (const { toolbox, server, tools, about } of SERVERS) {
    index.replaceServer(toolbox, server, tools, about);
  }
  return index;
}

function names(index: ToolIndex, query: string, limit = 5): string[] {
  return index.search(query, { limit }).map(({ tool }) => tool.name);
}

describe("searching the ToolIndex", () => {
  const index = corpusIndex();

  it.each([
    // The name itself, in any spelling.
    ["list_pull_requests", "list_pull_requests"],
    ["listPullRequests", "list_pull_requests"],
    ["list-pull-requests", "list_pull_requests"],
    ["LIST PULL REQUESTS", "list_pull_requests"],
    ["get commit history", "getCommitHistory"],
    ["query", "query"],
    // Part of a longer request, or as an identifier.
    ["please run read_text_file for me", "read_text_file"],
    ["ops/kubernetes/pods_log", "pods_log"],
    // Word order and inflection.
    ["requests pull list", "list_pull_requests"],
    ["pod logs", "pods_log"],
    ["deleting pods", "pods_delete"],
    ["scaled deployments", "deployment_scale"],
    // Typing errors: missing, added, replaced and swapped letters; an unfinished word.
    ["merge pul reqest", "merge_pull_request"],
    ["querry promethius", "query_prometheus"],
    ["dashbaord", "get_dashboard_by_uid"],
    ["kuberntes pods list", "pods_list"],
    ["promet", "query_prometheus"],
    // What it does, rather than what it is called.
    ["schedule a meeting tomorrow at 2pm", "createEvent"],
    ["show the columns and types of a table", "describe_table"],
    ["which participants are available", "find_free_slots"],
    ["rename a folder", "move_file"],
    // One word or two.
    ["e-mail search", "search_emails"],
    ["file system listing", "list_directory"],
    // Other languages.
    ["crear reunion", "crear_reunión"],
    ["搜索数据库", "搜索表"],
  ])("for %j ranks %s first", (query, expected) => {
    expect(names(index, query)[0]).toBe(expected);
  });

  it("finds tools by the keywords of their toolbox and the description of their server", () => {
    const servers = (query: string) => index.search(query).map(({ server }) => server);
    expect(new Set(servers("outage"))).toEqual(new Set(["kubernetes", "grafana"]));
    expect(new Set(servers("organise"))).toEqual(new Set(["gmail"]));
  });

  it("gives weight to a word that half of a few tools contain", () => {
    const few = new ToolIndex();
    const files = ["read", "write", "move", "edit", "copy", "delete", "list", "sort"].map(
      (verb): ToolDefinition => ({
        name: `${verb}_text_file`,
        description: `Can ${verb} the complete contents of some text from the system that was given`,
      }),
    );
    few.setToolboxes([{ name: "all", description: "Files and memory" }]);
    few.replaceServer("all", "files", files);
    few.replaceServer("all", "memory", [
      { name: "read_graph", description: "Read the graph" },
      { name: "delete_nodes", description: "Delete nodes" },
    ]);
    expect(names(few, "read a file", 1)).toEqual(["read_text_file"]);
  });

  it("returns only tools of the given toolboxes", () => {
    const hits = index.search("list", { limit: 50, toolboxes: new Set(["data", "office"]) });
    expect(new Set(hits.map(({ toolbox }) => toolbox))).toEqual(new Set(["data", "office"]));
    expect(index.search("list", { toolboxes: new Set() })).toEqual([]);
  });

  it("uses filler words if a query has no others", () => {
    expect(names(index, "all of it")).not.toEqual([]);
  });

  it.each(["", "   ", "!!!", "xyzzyx", "0x7f"])("returns no hit for %j", (query) => {
    expect(names(index, query)).toEqual([]);
  });

  it("returns at most as many hits as requested, best first", () => {
    const hits = index.search("list files of a repository", { limit: 3 });
    expect(hits).toHaveLength(3);
    expect(hits.map(({ score }) => score)).toEqual(
      hits.map(({ score }) => score).toSorted((a, b) => b - a),
    );
    expect(index.search("list", { limit: 0 })).toEqual([]);
  });

  it("returns the very definitions it was given", () => {
    const [hit] = index.search("query_prometheus");
    expect(hit?.tool).toBe(SERVERS.find(({ server }) => server === "grafana")?.tools[0]);
  });
});

describe("updating the ToolIndex", () => {
  it("removes the tools that a server no longer has, and their words", () => {
    const index = corpusIndex();
    const before = index.size;
    index.replaceServer("data", "postgres", [{ name: "vacuum" }]);
    expect(index.size).toBe(before - 3);
    expect(names(index, "describe_table")).not.toContain("describe_table");
    expect(names(index, "vacuum")).toEqual(["vacuum"]);
    index.removeServer("data", "postgres");
    expect(names(index, "vacum")).toEqual([]);
    index.removeServer("data", "postgres");
    expect(index.size).toBe(before - 4);
  });

  it("keeps the same server in two toolboxes apart", () => {
    const index = new ToolIndex();
    index.replaceServer("work", "mail", [{ name: "send" }]);
    index.replaceServer("home", "mail", [{ name: "send" }]);
    expect(index.search("send").map(({ toolbox }) => toolbox)).toEqual(["home", "work"]);
    index.removeServer("home", "mail");
    expect(index.search("send").map(({ toolbox }) => toolbox)).toEqual(["work"]);
  });

  it("applies a changed toolbox description", () => {
    const index = corpusIndex();
    index.setToolboxes([{ name: "ops", description: "Firefighting" }]);
    expect(names(index, "firefighting")).not.toEqual([]);
    expect(names(index, "outage")).toEqual([]);
  });

  const word = fc.constantFrom(
    "list",
    "file",
    "files",
    "pullRequest",
    "send_mail",
    "größe",
    "表格",
  );
  const definition: fc.Arbitrary<ToolDefinition> = fc.record({
    name: fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join("_")),
    description: fc.array(word, { maxLength: 8 }).map((words) => words.join(" ")),
    inputSchema: fc.record({ properties: fc.dictionary(word, fc.record({ description: word })) }),
  });
  const change = fc.record({
    toolbox: fc.constantFrom("a", "b"),
    server: fc.constantFrom("one", "two", "three"),
    tools: fc.option(fc.uniqueArray(definition, { maxLength: 4, selector: ({ name }) => name })),
    description: fc.option(word),
  });

  it("gives the same results as building it from scratch", () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 12 }), word, (changes, query) => {
        const updated = new ToolIndex();
        const final = new Map<string, (index: ToolIndex) => void>();
        let describeToolboxes: (index: ToolIndex) => void = () => {};
        for (const { toolbox, server, tools, description } of changes) {
          if (description !== null) {
            describeToolboxes = (index) => index.setToolboxes([{ name: toolbox, description }]);
            describeToolboxes(updated);
          }
          if (tools === null) {
            updated.removeServer(toolbox, server);
            final.delete(`${toolbox}/${server}`);
          } else {
            const add = (index: ToolIndex): void => index.replaceServer(toolbox, server, tools);
            add(updated);
            final.set(`${toolbox}/${server}`, add);
          }
        }
        const rebuilt = new ToolIndex();
        for (const add of final.values()) add(rebuilt);
        describeToolboxes(rebuilt);
        expect(updated.size).toBe(rebuilt.size);
        for (const asked of [query, `${query} liste`, "filse"]) {
          expect(updated.search(asked, { limit: 50 })).toEqual(
            rebuilt.search(asked, { limit: 50 }),
          );
        }
      }),
    );
  });

  it("accepts any JSON as a definition", () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.string({ unit: "grapheme" }), (junk, name) => {
        const index = new ToolIndex();
        const tools = junk.map((value) => ({
          name,
          title: value,
          description: value,
          inputSchema: { properties: value, items: { properties: { parameter: value } } },
        }));
        index.replaceServer("toolbox", "server", tools);
        expect(index.search("server", { limit: 100 })).toHaveLength(tools.length);
      }),
    );
  });
});
