import { describe, expect, it } from "vitest";
import * as fc from "fast-check";

import { unifiedDiff } from "./diff.ts";

describe("unifiedDiff", () => {
  it("is empty for equal texts", () => {
    expect(unifiedDiff("a\n", "a\n")).toBe("");
  });

  it("shows changes with context and line numbers", () => {
    const before = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
    const after = "1\n2\n3\n4\nfive\n6\n7\n8\n9\n";
    expect(unifiedDiff(before, after, { from: "old", to: "new", context: 1 })).toBe(
      "--- old\n+++ new\n@@ -4,3 +4,3 @@\n 4\n-5\n+five\n 6\n",
    );
  });

  it("masks what it shows, and marks a missing line break at the end", () => {
    const mask = (line: string): string => line.replace("s3cret", "***");
    expect(unifiedDiff("a\n", "a\nkey=s3cret", { mask })).toContain(
      "+key=***\n\\ No newline at end of file\n",
    );
  });

  it("says how many lines it left out", () => {
    const long = Array.from({ length: 50 }, (_, i) => `${i}\n`).join("");
    const shown = unifiedDiff("", long, { maxLines: 10 });
    expect(shown.split("\n")).toHaveLength(12);
    expect(shown).toContain("… 43 more lines");
  });

  it("shows a part that is too large to compare as replaced", () => {
    const before = Array.from({ length: 1200 }, (_, i) => `a${i}\n`).join("");
    const after = Array.from({ length: 1200 }, (_, i) => `b${i}\n`).join("");
    const lines = unifiedDiff(before, after, { maxLines: 1e6 }).split("\n");
    expect(lines.slice(3, 1203).every((line) => line.startsWith("-a"))).toBe(true);
    expect(lines.slice(1203, 2403).every((line) => line.startsWith("+b"))).toBe(true);
  });

  it("contains both texts completely if everything is shown", () => {
    const text = fc
      .array(fc.constantFrom("a", "b", "c", "", " d"), { maxLength: 12 })
      .map((lines) => lines.map((line) => `${line}\n`).join(""));
    fc.assert(
      fc.property(text, text, (before, after) => {
        fc.pre(before !== after);
        const shown = unifiedDiff(before, after, { context: 1000, maxLines: 1e6 });
        const body = shown.split("\n").slice(3, -1);
        const side = (mark: string): string =>
          body
            .filter((line) => line.startsWith(" ") || line.startsWith(mark))
            .map((line) => `${line.slice(1)}\n`)
            .join("");
        expect([side("-"), side("+")]).toEqual([before, after]);
      }),
    );
  });
});
