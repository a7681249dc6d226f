import * as fc from "fast-check";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";
import { truncate, truncateToTokens, cut } from "./truncate.ts";

describe("brief", () => {
  it("keeps a text that fits, on one line", () => {
    expect(truncate(" Files\n and\tnotes ", 20)).toBe("Files and notes");
  });

  it("cuts between words if possible, and marks the cut", () => {
    expect(truncate("Files and notes of the project", 20)).toBe("Files and notes of…");
    expect(truncate("Files, notes (and more)", 15)).toBe("Files, notes…");
    expect(truncate("Donaudampfschifffahrt", 10)).toBe("Donaudamp…");
  });

  it("is never longer than allowed, and never ends in half a character", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 1, max: 30 }), (text, max) => {
        const short = truncate(text, max);
        expect(short.length).toBeLessThanOrEqual(max);
        expect(short).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/);
      }),
    );
  });
});

describe("cut", () => {
  it.each([
    ["short", 10, "short"],
    ["several words here", 14, "several words…"],
    ["one, two three", 6, "one…"],
    ["unbreakable", 5, "unbr…"],
    ["ab😀cd", 4, "ab…"],
    ["anything", 0, ""],
  ])("of %j to %i characters is %j", (text, limit, expected) => {
    expect(cut(text, limit)).toBe(expected);
  });
});

describe("briefTokens", () => {
  it.each([
    "Issues, branches and deployments of all of our repositories, and more",
    "Rechnungen, Verträge und überfällige Zahlungen aller größeren Kunden",
    "Задачи, ветки и развертывания всех наших репозиториев и так далее",
    "我们所有仓库的问题、分支和部署，以及更多相关内容的工具集合",
  ])("stays within its token limit for: %s", (text) => {
    for (const tokens of [6, 10, 15]) {
      const short = truncateToTokens(text, tokens);
      expect(countTokens(short)).toBeLessThanOrEqual(tokens * 1.25);
      expect(short.length).toBeLessThanOrEqual(tokens * 4);
      expect(short.length).toBeGreaterThan(tokens / 2);
    }
  });
});
