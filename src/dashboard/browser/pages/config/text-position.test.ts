import { describe, expect, it } from "vitest";
import { lineCount, offsetOf } from "./text-position.ts";

describe("a place in a text", () => {
  const text = "ab\n\ncdef";
  it.each([
    [1, 1, 0],
    [1, 2, 1],
    [1, 99, 2],
    [2, 1, 3],
    [3, 3, 6],
    [3, 99, 8],
    [9, 1, 8],
    [0, 0, 0],
  ])("line %d, column %d is at %d", (line, column, offset) => {
    expect(offsetOf(text, line, column)).toBe(offset);
  });

  it("is on one of its lines", () => {
    expect([lineCount(""), lineCount(text), lineCount("a\n")]).toEqual([1, 3, 2]);
  });
});
