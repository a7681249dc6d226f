import { describe, expect, it } from "vitest";

import { ToolIndex } from "./tool-index.ts";

describe("the order of tools", () => {
  it("does not rank a synonym above the word itself, although it is rarer", () => {
    const some = new ToolIndex();
    const lists = Array.from({ length: 20 }, (_, i) => ({
      name: `list_${"abcdefghijklmnopqrst"[i]}`,
    }));
    some.replaceServer("dev", "fx", [{ name: "git_show" }, ...lists]);
    const names = some.search("list", { limit: 21 }).map(({ tool }) => tool.name);
    expect(names.at(-1)).toBe("git_show");
  });

  it("shows a tool that was used after a similar query, even if no word matches", () => {
    const index = new ToolIndex();
    index.replaceServer("dev", "fx", [{ name: "ship_crate" }, { name: "ship_box" }]);
    const boosts = new Map([["dev/fx/ship_crate", 0.3]]);
    const found = index.search("zeppelin", { boosts }).map(({ tool }) => tool.name);
    expect(found).toEqual(["ship_crate"]);
    expect(index.search("zeppelin", { boosts, accepts: () => false })).toEqual([]);
  });

  it("has only tools that fit about as well after one whose name is the query", () => {
    const index = new ToolIndex();
    const git = ["git_log", "git_log_graph", "git_push", "git_pull", "git_add", "git_show"];
    const description = "Log of a log";
    index.replaceServer(
      "dev",
      "git",
      git.map((name) => ({ name })),
    );
    index.replaceServer("dev", "logs", [{ name: "pod_logs", description }]);
    const found = (query: string): string[] => index.search(query).map(({ tool }) => tool.name);
    expect(found("git_log")).toEqual(["git_log", "git_log_graph"]);
    expect(found("log of git").slice(0, 2)).toEqual(["git_log", "git_log_graph"]);
    expect(found("log of git")).toContain("pod_logs");
  });
});

describe("a tool whose name has no words", () => {
  it.each(["\u{1f388}", "_", "x".repeat(65)])("is found only by that name: %j", (name) => {
    const index = new ToolIndex();
    index.replaceServer("dev", "one", [{ name, description: "Inflate a balloon" }]);
    const found = (query: string): string[] => index.search(query).map(({ tool }) => tool.name);
    expect(found(` ${name} `)).toEqual([name]);
    for (const query of [" ", "...", "$&", "\u{1f389}", "y".repeat(80), `${"y".repeat(70)}-z`])
      expect(found(query)).toEqual([]);
    expect(found("inflate")).toEqual([name]);
  });
});
