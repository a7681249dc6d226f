import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CSV_HEADER, csvCell, csvLine } from "./csv.ts";

describe("a cell of the CSV export", () => {
  it.each([
    ["=1+1", '"\'=1+1"'],
    ["  @SUM(A1)", '"\'  @SUM(A1)"'],
    ["-2+3+cmd|' /C calc'!A0", "\"'-2+3+cmd|' /C calc'!A0\""],
    ["-32602", "-32602"],
    ['say "hi", please', '"say ""hi"", please"'],
    ["plain", "plain"],
    [undefined, ""],
    [12.5, "12.5"],
    [{ path: "string" }, '"{""path"":""string""}"'],
  ])("writes %j as %j", (value, cell) => {
    expect(csvCell(value)).toBe(cell);
  });

  it("never begins with what a spreadsheet would execute", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary-ascii" }),
      fc
        .tuple(fc.constantFrom("=", "+", "-", "@", "\t", "\r", " ="), fc.string())
        .map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(text, (value) => {
        const cell = csvCell(value);
        const content = cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell;
        const isNumber = /^-?\d+(\.\d+)?$/.test(content);
        expect(!isNumber && /^\s*[=+\-@]/.test(content)).toBe(false);
        expect(content.replace(/^'/, "")).toBe(value.replace(/^'/, ""));
      }),
    );
  });
});

describe("a line of the CSV export", () => {
  it("has the place in the chain and as many cells as the header", () => {
    const line = csvLine({ run: "1-ab", seq: 7, prev: "ff", principal: { name: "ci" } });
    expect(line.startsWith("1-ab,7,ff,")).toBe(true);
    expect(line.split(",")).toHaveLength(CSV_HEADER.split(",").length);
    expect(CSV_HEADER).toContain("seq,prev");
  });
});
