import * as fc from "fast-check";
import { countTokens } from "gpt-tokenizer";
import { describe, expect, it } from "vitest";

import { anyText } from "../../test/fixtures/any-text.ts";
import { SERVERS, TOOLBOXES } from "../../test/fixtures/tool-corpus.ts";
import { estimateTokens } from "../text/estimate-tokens.ts";
import { answerSearch, formatHits, formatNearest, type SearchRequest } from "./answer.ts";
import { boostsFor, pastUse } from "./past-uses.ts";
import { ToolIndex } from "./tool-index.ts";
import type { Hit } from "./types.ts";

const index = new ToolIndex();
index.setToolboxes(TOOLBOXES);
for (const { toolbox, server, tools, about } of SERVERS) {
  index.replaceServer(toolbox, server, tools, about);
}

function ask(query: string, more: Omit<SearchRequest, "query"> = {}): string {
  return answerSearch(index, TOOLBOXES, { query, ...more });
}

function hit(name: string, tool: object = {}): Hit {
  return { toolbox: "box", server: "server", tool: { name, ...tool }, score: 1 };
}

describe("answerSearch", () => {
  it("returns one line per tool: identifier, signature, purpose", () => {
    expect(ask("merge or list pull requests", { limit: 2 })).toBe(
      [
        "dev/github/merge_pull_request(owner?: string, repo?: string, number?: integer) — Merge a pull request",
        'dev/github/list_pull_requests(owner: string, repo: string, state?: "open"|"closed"|"all") — List pull requests of a repository, open ones by default',
      ].join("\n"),
    );
  });

  it("returns five tools by default, and never more than twenty", () => {
    expect(ask("list").split("\n")).toHaveLength(5);
    expect(ask("pods", { limit: 1 }).split("\n")).toHaveLength(1);
    expect(ask("list get", { limit: 1_000 }).split("\n").length).toBeLessThanOrEqual(20);
    expect(ask("pods", { limit: -3 }).split("\n")).toHaveLength(1);
  });

  it("does not doubt a tool that was used after the same query", () => {
    const tool = "ops/kubernetes/pods_log";
    const after = (query: string): string =>
      ask("zeppelin friday", { boosts: boostsFor("zeppelin friday", [pastUse(query, tool)]) });
    expect(after("a zeppelin on Friday")).toMatch(/^ops\/kubernetes\/pods_log\(.*$/);
    // A similar query is not the same.
    expect(after("zeppelin monday")).toMatch(/^ops\/kubernetes\/pods_log\(.*\nNone may fit well/);
  });

  it("offers five different tools although eight toolboxes have the same server", () => {
    const copies = new ToolIndex();
    const boxes = Array.from({ length: 8 }, (_, i) => ({ name: `box${i}` }));
    const tools = ["get", "set", "list", "send", "copy"].map((name) => ({ name: `${name}_mail` }));
    for (const { name } of boxes) copies.replaceServer(name, "mail", tools);
    const lines = answerSearch(copies, boxes, { query: "mail" }).split("\n");
    expect(lines).toHaveLength(5);
    for (const line of lines) expect(line).toMatch(/\(also in .* and 5 more\)$/);
  });

  it("returns verbatim definitions on request", () => {
    const [line = ""] = ask("query_prometheus", { detail: "schema" }).split("\n");
    const definition = SERVERS.find(({ server }) => server === "grafana")?.tools[0];
    expect(JSON.parse(line)).toEqual({ ...definition, toolbox: "ops", server: "grafana" });
  });

  it("searches only the given toolbox", () => {
    const lines = ask("list", { toolbox: "data" }).split("\n");
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) expect(line).toMatch(/^data\//);
  });

  it("finds nothing in toolboxes out of scope", () => {
    const scope = TOOLBOXES.filter(({ name }) => name === "office");
    expect(answerSearch(index, scope, { query: "pods" })).toBe(
      "No tool matches. Nearest toolboxes:\noffice — Mail, calendar and notes\nSearch in other words",
    );
    expect(answerSearch(index, scope, { query: "pods", toolbox: "ops" })).not.toMatch(/ops\//);
  });

  it("suggests one step at a time if the tools of a step of the query are not among the hits", () => {
    const query = "list the pods of the cluster, and merge my pull request";
    expect(ask(query, { limit: 1 })).toMatch(
      /\nNot every step has a tool here\. Search for one step at a time$/,
    );
    expect(ask(query, { limit: 2 })).not.toContain("one step");
    // Tools that the client may not see are not a reason for it.
    const accepts = ({ server }: Hit): boolean => server === "github";
    expect(ask(query, { limit: 1, accepts })).not.toContain("one step");
  });

  it("suggests one step at a time if no tool matches a long query", () => {
    const nonsense = Array.from({ length: 12 }, (_, i) => `blorp${"xyzqvwkjmnpb"[i]}tang`).join(
      " ",
    );
    expect(ask(nonsense)).toMatch(/^No tool matches\.[^]*\nSearch for one step at a time$/);
  });

  it("names the nearest toolboxes if no tool matches", () => {
    const lines = ask("databasesque ").split("\n");
    expect(lines[0]).toBe("No tool matches. Nearest toolboxes:");
    expect(lines[1]).toBe("data — Databases and reports");
    expect(lines.at(-1)).toBe("Search in other words");
    expect(lines).toHaveLength(6);
  });

  it.each([
    "list files",
    "search",
    "create a new issue",
    "pods logs cluster",
    "send email message",
  ])("takes at most 250 tokens for five hits of '%s'", (query) => {
    expect(countTokens(ask(query))).toBeLessThanOrEqual(250);
  });
});

describe("an answer", () => {
  const twins = new ToolIndex();
  const description = "Reads a file";
  for (const server of ["a", "b", "c", "d"])
    twins.replaceServer("dev", server, [{ name: "read_file", description }], "Files of a disk.");
  twins.replaceServer(
    "dev",
    "bare",
    [{ name: "frob", description: "Description not available" }],
    "# Bare\n\nControls the coffee machine. Be careful.",
  );
  const asked = (query: string, more = {}): string =>
    answerSearch(twins, [{ name: "dev" }], { query, ...more });

  it("shows the same tool of several servers once", () => {
    expect(asked("read a file")).toBe(
      "dev/a/read_file() — Reads a file (also in dev/b, dev/c and 1 more)",
    );
    expect(asked("read a file", { detail: "schema" }).split("\n")).toHaveLength(4);
  });

  it("describes a tool without a description by its server", () => {
    expect(asked("frob")).toBe("dev/bare/frob() — Controls the coffee machine");
  });

  it("describes it by its title if that says more than its name, and by its toolbox at last", () => {
    const bare = new ToolIndex();
    const toolboxes = [{ name: "zoo", description: "Animals of the zoo" }];
    bare.setToolboxes(toolboxes);
    bare.replaceServer("zoo", "s", [
      { name: "feed_zebra", title: "Feed zebra", description: "feed_zebra" },
      { name: "groom_lion", annotations: { title: "Comb the mane of a lion" } },
    ]);
    const line = (query: string): string => answerSearch(bare, toolboxes, { query, limit: 1 });
    expect(line("feed_zebra")).toBe("zoo/s/feed_zebra() — Animals of the zoo");
    expect(line("comb a mane")).toBe("zoo/s/groom_lion() — Comb the mane of a lion");
  });

  it("says if nothing fits well", () => {
    expect(asked("disk surgery quokka wombat")).toMatch(
      /\nNone may fit well\. Search in other words$/,
    );
    expect(asked("read a file")).not.toContain("None may fit");
  });
});

describe("formatHits", () => {
  it("leaves room for what follows", () => {
    const properties = Object.fromEntries(
      Array.from({ length: 12 }, (_, i) => [`parameter_${i}`, { type: "string" }]),
    );
    const description = "Finds everything there is to know about a subject of your choice";
    const hits = Array.from({ length: 5 }, (_, i) =>
      hit(`tool_${i}`, { description, inputSchema: { type: "object", properties } }),
    );
    const whole = estimateTokens(formatHits(hits));
    expect(estimateTokens(formatHits(hits, {}, 30))).toBeLessThanOrEqual(5 * 46 - 30);
    expect(whole).toBeGreaterThan(5 * 46 - 30);
  });

  it("shortens signatures and sentences, not identifiers, to stay within the budget", () => {
    const properties = Object.fromEntries(
      Array.from({ length: 30 }, (_, i) => [`parameterNumber${i}`, { type: "string" }]),
    );
    const description = "Does a great many things that take a long sentence to explain ".repeat(9);
    const hits = Array.from({ length: 5 }, (_, i) =>
      hit(`a_rather_long_tool_name_${i}`, { description, inputSchema: { properties } }),
    );
    const answer = formatHits(hits);
    expect(countTokens(answer)).toBeLessThanOrEqual(250);
    const lines = answer.split("\n");
    expect(lines).toHaveLength(5);
    for (const [i, line] of lines.entries()) {
      expect(line).toMatch(new RegExp(`^box/server/a_rather_long_tool_name_${i}\\(param.*…\\)`));
    }
  });

  it("leaves out whole lines if identifiers alone exceed the limit, and says so", () => {
    const hits = Array.from({ length: 20 }, (_, i) => hit(`${"long_name_".repeat(12)}${i}`));
    const lines = formatHits(hits).split("\n");
    const shown = lines.slice(0, -1);
    expect(lines.at(-1)).toMatch(/^… \d+ more/);
    expect(shown).toEqual(
      hits.slice(0, shown.length).map(({ tool }) => `box/server/${tool.name}()`),
    );
    expect(formatHits([hit("x".repeat(100_000))])).toMatch(/^… 1 more/);
  });

  it("does not let a tool name look like another line", () => {
    expect(formatHits([hit("a\nbox/server/b\u2028c")])).toBe(
      "box/server/a\\u000abox/server/b\\u2028c()",
    );
  });

  it("stays within the limit and keeps identifiers whole for any definitions", () => {
    const tool = fc.record({
      name: fc.string({ unit: "grapheme", minLength: 1, maxLength: 80 }),
      description: fc.oneof(anyText(500), fc.jsonValue({ maxDepth: 2 })),
      inputSchema: fc.record({
        properties: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })),
      }),
    });
    fc.assert(
      fc.property(fc.array(tool, { minLength: 1, maxLength: 20 }), (tools) => {
        const answer = formatHits(tools.map(({ name, ...rest }) => hit(name, rest)));
        expect(estimateTokens(answer)).toBeLessThanOrEqual(600);
        for (const [i, line] of answer.split("\n").entries()) {
          if (line.startsWith("…")) continue;
          const [name] = (tools[i]?.name ?? "").split(/[\p{Cc}\u2028\u2029]/u);
          expect(line.startsWith(`box/server/${name}`)).toBe(true);
        }
      }),
    );
  });
});

describe("formatNearest", () => {
  it("works without toolboxes and without descriptions", () => {
    expect(formatNearest([])).toBe("No tool matches.");
    expect(formatNearest([{ name: "dev" }])).toBe("No tool matches. Nearest toolboxes:\ndev");
  });

  it("stays within the limit", () => {
    const toolboxes = Array.from({ length: 5 }, (_, i) => ({ name: `${"box-".repeat(60)}${i}` }));
    expect(estimateTokens(formatNearest(toolboxes))).toBeLessThanOrEqual(600);
    expect(formatNearest(toolboxes)).toMatch(/… \d more$/);
  });
});
