import { describe, expect, it } from "vitest";

import { blocksOf, difference, readable, shownIn } from "./blocks.ts";

describe("what a document shows", () => {
  it("is read from its fenced code blocks", () => {
    const [block, ...others] = blocksOf("x\n```console\n$ one\na\n\nb\n$ two\n```\ny\n");
    expect(others).toEqual([]);
    expect(block?.language).toBe("console");
    expect(shownIn(block ?? { language: "", lines: [] })).toEqual([
      { command: "one", output: ["a", "", "b"] },
      { command: "two", output: [] },
    ]);
  });

  it("is compared with what a reader sees in the terminal", () => {
    expect(readable("\n⠙ connecting\r✓ done \r\n\n")).toEqual(["✓ done"]);
    expect(difference(["a", "b"], ["a", "b"])).toBeUndefined();
    expect(difference(["a …!", "…", "z"], ["a b c!", "1", "2", "z"])).toBeUndefined();
    expect(difference(["✓ a/b", "✓ a/c"], ["✓ a/c", "✓ a/b"])).toBeUndefined();
    expect(difference(["a", "…"], ["a", "b"])).toBeUndefined();
  });

  it.each([
    [["a"], ["b"]],
    [["a"], ["a", "b"]],
    [["a", "b"], ["a"]],
    [["…", "z"], ["a"]],
    [["a.c"], ["abc"]],
    [["✓ a/b  1 tool"], ["✓ a/b  2 tools"]],
  ])("differs from other output: %j is not %j", (shown, printed) => {
    expect(difference(shown, printed)).toBeDefined();
  });
});
