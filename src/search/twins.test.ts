import { describe, expect, it } from "vitest";

import { distinctHits, foldTwins } from "./twins.ts";
import type { Hit } from "./types.ts";

function hit(server: string, name: string, tool: object = {}): Hit {
  return { toolbox: "box", server, tool: { name, ...tool }, score: 1 };
}

const schema = (...names: string[]): object => ({
  inputSchema: { properties: Object.fromEntries(names.map((name) => [name, {}])) },
});

describe("foldTwins", () => {
  it("keeps the first of the same tools and names the servers of the others", () => {
    const description = "Lists issues. Takes a repository.";
    const hits = [
      hit("a", "list_issues", { description, ...schema("owner", "repo") }),
      hit("b", "list_pulls"),
      hit("c", "list_issues", {
        description: "Lists  issues.\nTakes a repository.",
        ...schema("repo", "owner"),
      }),
    ];
    expect(foldTwins(hits, 5)).toEqual([
      { ...hits[0], also: [{ toolbox: "box", server: "c" }] },
      hits[1],
    ]);
    expect(foldTwins(hits, 1)).toHaveLength(1);
  });

  it("keeps tools apart that differ in name, purpose or parameters", () => {
    const hits = [
      hit("a", "get", { description: "Gets a page" }),
      hit("b", "Get", { description: "Gets a page" }),
      hit("c", "get", { description: "Gets a user" }),
      hit("d", "get", { description: "Gets a page", ...schema("url") }),
    ];
    expect(foldTwins(hits, 5)).toEqual(hits);
  });

  it("keeps tools apart whose parameters have other types or are optional", () => {
    const typed = (server: string, type: string, required: string[] = []): Hit =>
      hit(server, "send", {
        description: "Sends a parcel",
        inputSchema: { properties: { to: { type } }, required },
      });
    const hits = [typed("a", "string"), typed("b", "integer"), typed("c", "string", ["to"])];
    expect(foldTwins(hits, 5)).toEqual(hits);
  });

  it("takes descriptions for the same that differ by a final full stop", () => {
    const hits = ["Sends a parcel", "Sends a parcel."].map((description, i) =>
      hit(`s${i}`, "send", { description }),
    );
    expect(foldTwins(hits, 5)).toHaveLength(1);
  });

  it("takes tools without descriptions for the same only if their servers are described alike", () => {
    const hit = (server: string, about: string): Hit => ({
      toolbox: "a",
      server,
      tool: { name: "search", inputSchema: { properties: { query: {} } } },
      score: 1,
      about,
    });
    const hits = [hit("jira", "Issues"), hit("wiki", "Pages"), hit("jira-2", "Issues")];
    expect(foldTwins(hits, 5).map(({ server, also }) => [server, also?.length ?? 0])).toEqual([
      ["jira", 1],
      ["wiki", 0],
    ]);
  });
});

describe("distinctHits", () => {
  /** Hits of a search: each tool is in as many servers as given. */
  const copies = (servers: number, ...names: string[]): Hit[] =>
    names.flatMap((name) => Array.from({ length: servers }, (_, i) => hit(`s${i}`, name)));
  const finding =
    (hits: readonly Hit[], asked: number[] = []) =>
    (limit: number): readonly Hit[] => {
      asked.push(limit);
      return hits.slice(0, limit);
    };
  const NAMES = ["a", "b", "c", "d", "e", "f"];

  it("are as many as asked for, however many servers have the same tools", () => {
    for (const servers of [1, 4, 5, 8, 30]) {
      const hits = distinctHits(finding(copies(servers, ...NAMES)), 5);
      expect(hits.map(({ tool }) => tool.name)).toEqual(NAMES.slice(0, 5));
      for (const { also = [] } of hits) expect(also).toHaveLength(servers - 1);
    }
  });

  it("take one search if the tools are different, and a few if all are the same", () => {
    const asked: number[] = [];
    distinctHits(finding(copies(3, ...NAMES, "g", "h"), asked), 5);
    expect(asked).toEqual([20]);
    expect(distinctHits(finding(copies(5_000, "a"), asked), 5)).toHaveLength(1);
    expect(asked).toEqual([20, 20, 80, 320]);
  });
});
