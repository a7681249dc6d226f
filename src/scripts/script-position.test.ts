import { describe, expect, it } from "vitest";

import {
  isBehindEnd,
  onlyPlace,
  positionIn,
  positionInText,
  sourceLine,
} from "./script-position.ts";

describe("the position of an error in a script", () => {
  it.each([
    ["    at f (script:3:11)\n    at <anonymous> (script:9:1)", { line: 3, column: 11 }],
    ["    at request (prelude:5:1)\n    at script:2:6", { line: 2, column: 6 }],
    ["    at prelude:5:1", undefined],
    ["", undefined],
  ])("is read from the stack %j", (stack, position) => {
    expect(positionIn(stack)).toEqual(position);
  });

  it("counts characters, where the engine counts bytes", () => {
    const source = "\nlet ü = 'ä😀'; x()";
    expect(positionInText(source, { line: 2, column: 21 })).toEqual({ line: 2, column: 17 });
    expect(positionInText("abc", { line: 1, column: 2 })).toEqual({ line: 1, column: 2 });
  });

  it("is at the end of the last line if it is behind the script", () => {
    const source = "if (a) {\n  b()\n\n";
    expect(isBehindEnd(source, { line: 4, column: 1 })).toBe(false);
    expect(isBehindEnd(source, { line: 5, column: 2 })).toBe(true);
    expect(positionInText(source, { line: 5, column: 2 })).toEqual({ line: 2, column: 6 });
  });

  it.each([
    ["let a;\n  throw 5", { line: 2, column: 3 }],
    ["throw 5; throw 6", undefined],
    ["if (a) throw 5; await Promise.reject(6)", undefined],
    ["g.throw(5)", undefined],
    ["x()", undefined],
  ])("of a value without a stack is that of the only throw (%j)", (source, position) => {
    expect(onlyPlace(source, "throw")).toEqual(position);
  });

  it.each([
    ["const f = () => {\n  return 1;\n};\nreturn f", { line: 4, column: 1 }],
    ["const a = 1; return a", { line: 1, column: 14 }],
    ["if (a)\n  return 1;\nelse\n  return 2", undefined],
    ["return 1;\nreturn 2", undefined],
  ])(
    "of a value that was returned is that of the only possible return (%j)",
    (source, position) => {
      expect(onlyPlace(source, "return")).toEqual(position);
    },
  );

  it("is shown with its line", () => {
    expect(sourceLine("a\n\tb.c()\r\n", { line: 2, column: 4 })).toBe("2 |  b.c()\n       ^");
    expect(sourceLine("a", { line: 7, column: 1 })).toBe("");
    expect(sourceLine("  \n", { line: 1, column: 1 })).toBe("");
    const long = sourceLine("x".repeat(500), { line: 1, column: 400 });
    expect(long).toHaveLength("1 | ".length + 200);
  });
});
