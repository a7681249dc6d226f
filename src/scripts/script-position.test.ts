import { describe, expect, it } from "vitest";

import { SCRIPT_PREFIX, positionIn, sourceLine } from "./script-position.ts";

describe("the position of an error in a script", () => {
  it.each([
    ["    at f (script:3:11)\n    at <anonymous> (script:9:1)", { line: 3, column: 11 }],
    ["    at request (prelude:5:1)\n    at script:2:6", { line: 2, column: 6 }],
    [`    at script:1:${SCRIPT_PREFIX.length + 4}`, { line: 1, column: 4 }],
    ["    at script:1:2", { line: 1, column: 1 }],
    ["    at prelude:5:1", undefined],
    ["", undefined],
  ])("is read from the stack %j", (stack, position) => {
    expect(positionIn(stack)).toEqual(position);
  });

  it("is shown with its line", () => {
    expect(sourceLine("a\n\tb.c()\r\n", { line: 2, column: 4 })).toBe("2 |  b.c()\n       ^");
    expect(sourceLine("a", { line: 7, column: 1 })).toBe("");
    expect(sourceLine("  \n", { line: 1, column: 1 })).toBe("");
    const long = sourceLine("x".repeat(500), { line: 1, column: 400 });
    expect(long).toHaveLength("1 | ".length + 200);
  });
});
