import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { SERVERS, TOOLBOXES } from "../../test/fixtures/tool-corpus.ts";
import { smallTable } from "../../test/fixtures/word-table.ts";
import { ToolIndex } from "./tool-index.ts";
import type { ToolDefinition } from "./types.ts";

function corpusIndex(index = new ToolIndex()): ToolIndex {
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
    // Everyday words that no tool uses.
    ["show me what is in this folder", "list_directory"],
    // One word or two.
    ["e-mail search", "search_emails"],
    ["file system listing", "list_directory"],
    // Other languages.
    ["crear reunion", "crear_reunión"],
    ["搜索数据库", "搜索表"],
    ["搜", "搜索表"],
  ])("for %j ranks %s first", (query, expected) => {
    expect(names(index, query)[0]).toBe(expected);
  });

  it("finds tools by the keywords of their toolbox and the description of their server", () => {
    const servers = (query: string) => index.search(query).map(({ server }) => server);
    expect(new Set(servers("outage"))).toEqual(new Set(["kubernetes", "grafana"]));
    expect(new Set(servers("organise"))).toEqual(new Set(["gmail"]));
  });

  it.each([
    ["make a new folder", "create_directory"],
    ["remove a photo", "delete_image"],
  ])("for %j finds %s, although other tools contain its words", (query, expected) => {
    const tools = new ToolIndex();
    tools.replaceServer("all", "files", [
      { name: "create_directory", description: "Create a directory or make sure that it exists" },
      { name: "write_file", description: "Create a new file or overwrite it" },
      { name: "delete_image", description: "Delete an image" },
    ]);
    tools.replaceServer("all", "chess", [
      { name: "make_move", description: "Make a move on the board" },
      { name: "new_game", description: "Start a new game" },
      { name: "take_back", description: "Remove the last move" },
    ]);
    expect(names(tools, query)[0]).toBe(expected);
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

  it("ranks a tool higher that was used after similar queries, unless another has the name", () => {
    const [, second] = index.search("pods");
    const path = [second?.toolbox, second?.server, second?.tool.name].join("/");
    const boosts = new Map([[path, 0.3 + (1 - (second?.score ?? 0))]]);
    expect(index.search("pods", { boosts })[0]?.tool).toBe(second?.tool);
    const named = new Map([[path, 0.3]]);
    expect(index.search("describe_table", { boosts: named })[0]?.tool.name).toBe("describe_table");
  });

  it("returns the very definitions it was given", () => {
    const [hit] = index.search("query_prometheus");
    expect(hit?.tool).toBe(SERVERS.find(({ server }) => server === "grafana")?.tools[0]);
  });
});

describe("searching by meaning", () => {
  const TOOLS: readonly ToolDefinition[] = [
    { name: "search_emails", description: "Search emails" },
    { name: "read_file", description: "Read a file" },
    { name: "pods_log", description: "Show the log of pods" },
  ];
  const index = new ToolIndex(smallTable());
  index.replaceServer("office", "one", TOOLS);

  it("finds a tool that shares no word with the query", () => {
    const byWords = new ToolIndex();
    byWords.replaceServer("office", "one", TOOLS);
    expect(names(byWords, "mandants")).toEqual([]);
    expect(names(index, "mandants")).toEqual(["search_emails"]);
    expect(names(index, "everything a folder contains", 2)).toContain("read_file");
  });

  it("corrects a misspelt word that no tool contains before looking it up", () => {
    expect(names(index, "mandannts")).toEqual(["search_emails"]);
  });

  it("corrects words that a typo gives another stem", () => {
    for (const byMeaning of [undefined, smallTable()]) {
      const typos = new ToolIndex(byMeaning);
      typos.replaceServer("a", "s", [{ name: "create_issue" }, { name: "delete_table" }]);
      expect(names(typos, "crate isue", 1)).toEqual(["create_issue"]);
      expect(names(typos, "dlete a tble", 1)).toEqual(["delete_table"]);
    }
  });

  it("is not decided by what an apostrophe cuts off", () => {
    const letters = new ToolIndex();
    letters.replaceServer("a", "s", [
      { name: "get_blocks", description: "Get a block's children, e.g. lists" },
      { name: "find_meetings", description: "Meetings of a day" },
    ]);
    expect(names(letters, "today's meetings")).toEqual(["find_meetings"]);
    expect(names(letters, "e-meetings")).toEqual(["find_meetings"]);
  });

  it("still ranks a tool first whose name is the query, or is mentioned in it", () => {
    expect(names(index, "read file")[0]).toBe("read_file");
    expect(names(index, "pods_log of mandants")[0]).toBe("pods_log");
  });

  it("returns nothing if no word is known and none is similar", () => {
    expect(names(index, "xyzzyx")).toEqual([]);
  });

  it("finds only tools of the given toolboxes", () => {
    expect(index.search("mandants", { toolboxes: new Set(["ops"]) })).toEqual([]);
  });

  it("is not influenced by tools that may not be found", () => {
    const accepts = ({ tool }: { readonly tool: ToolDefinition }): boolean =>
      tool.name !== "pods_log";
    const without = new ToolIndex(smallTable());
    without.replaceServer("office", "one", TOOLS.slice(0, 2));
    const order = (hits: readonly { readonly tool: ToolDefinition }[]): string[] =>
      hits.map(({ tool }) => tool.name);
    for (const query of ["pods_log", "log of a mail", "pods in a file"])
      expect(order(index.search(query, { accepts }))).toEqual(order(without.search(query)));
  });

  it("ranks by what each word adds and the square of the closeness", () => {
    const all = corpusIndex(new ToolIndex(smallTable()));
    for (const query of [
      "list the files of a folder",
      "send mail",
      "merge pul reqest",
      "list logs",
    ]) {
      const hits = all.search(query, { limit: 100 });
      const scores = all.explain(query, hits).map(({ words, closeness }) => {
        const meaning = Math.max(0, closeness);
        return words.reduce((sum, { score }) => sum + score, 1.5 * meaning * meaning);
      });
      expect(hits.length).toBeGreaterThan(1);
      for (const [i, { score }] of hits.entries()) expect(score).toBeCloseTo(scores[i] ?? NaN, 9);
      for (const limit of [1, 2, 5])
        expect(all.search(query, { limit })).toEqual(hits.slice(0, limit));
    }
  });

  it("explains a ranking", () => {
    const [first] = index.explain("pods_log", index.search("pods_log"));
    expect(first?.isExact).toBe(true);
    expect(first?.words.map(({ term }) => term)).toEqual(
      expect.arrayContaining(["pod", "log", "podslog"]),
    );
    const [other] = index.explain("mandants", index.search("mandants"));
    expect(other).toMatchObject({ words: [], isExact: false });
    expect(other?.closeness).toBeGreaterThan(0.5);
  });
});

describe("the fit of a hit", () => {
  it("is 1 if its name is the query, and low if it has few words of it", () => {
    const index = corpusIndex();
    expect(index.search("query_prometheus")[0]?.fit).toBe(1);
    expect(index.search("list the frobnications of a wombat quickly")[0]?.fit).toBeLessThan(0.3);
    expect(index.search("merge a pull request")[0]?.fit).toBeGreaterThan(0.5);
  });

  it("is low if nothing is known about most words of the query, however close the rest is", () => {
    const index = new ToolIndex(smallTable());
    index.replaceServer("a", "s", [{ name: "send_email", description: "Sends" }]);
    expect(index.search("mail")[0]?.fit).toBeGreaterThan(0.5);
    expect(index.search("mail blorptang fnord")[0]?.fit).toBeLessThan(0.3);
  });
});

describe("a query that is the name of a tool", () => {
  it("finds other tools only if they fit as well", () => {
    const index = new ToolIndex();
    const tool = (name: string, description: string): ToolDefinition => ({ name, description });
    index.replaceServer("a", "everything", [
      tool("echo", "Returns the message"),
      tool("echo_twice", "Returns the message two times"),
      tool(
        "calculator",
        "Adds numbers. One of many small examples, like the echo of a message or the time of day",
      ),
    ]);
    expect(names(index, "echo")).toEqual(["echo", "echo_twice"]);
    expect(names(index, "echo message")).toContain("calculator");
  });

  it("fills its places with tools that fit, although others have higher scores", () => {
    const index = new ToolIndex(smallTable());
    index.replaceServer("a", "one", [
      { name: "list", inputSchema: { properties: { list: { description: "send_mail" } } } },
      {
        name: "größe",
        description: "list",
        inputSchema: { properties: { send_mail: { description: "list" }, files: {} } },
      },
    ]);
    index.replaceServer("a", "two", [
      { name: "list", inputSchema: { properties: { list: { description: "send_mail" } } } },
      { name: "send_mail" },
    ]);
    const all = index.search("send_mail", { limit: 50 });
    expect(index.search("send_mail", { limit: 3 })).toEqual(all.slice(0, 3));
  });
});

it("a contraction in a query does not match tools by what is left of it", () => {
  const index = new ToolIndex();
  index.replaceServer("a", "cook", [{ name: "whatToEat" }, { name: "forecast" }]);
  expect(names(index, "whats the forecast")).toEqual(["forecast"]);
  expect(names(index, "what's the forecast")).toEqual(["forecast"]);
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

  it.each([
    ["by words", undefined],
    ["by meaning", smallTable()],
  ])("gives the same results as building it from scratch, %s", (_, table) => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 12 }), word, (changes, query) => {
        const updated = new ToolIndex(table);
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
        const rebuilt = new ToolIndex(table);
        for (const add of final.values()) add(rebuilt);
        describeToolboxes(rebuilt);
        expect(updated.size).toBe(rebuilt.size);
        for (const asked of [query, `${query} liste`, "filse"]) {
          const all = rebuilt.search(asked, { limit: 50 });
          expect(updated.search(asked, { limit: 50 })).toEqual(all);
          // What cannot be among the first few is passed over, and must not be missed.
          expect(updated.search(asked, { limit: 3 })).toEqual(all.slice(0, 3));
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
