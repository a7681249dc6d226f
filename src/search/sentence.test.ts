import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { anyText } from "../../test/fixtures/any-text.ts";
import { firstSentence, onOneLine, sentenceEnd } from "./sentence.ts";

describe("firstSentence", () => {
  it.each([
    ["Read a file. Only works below the root.", "Read a file"],
    ["Reads files, e.g. logs. Then stops.", "Reads files, e.g. logs"],
    ["Uses v1.2 of example.com! Really.", "Uses v1.2 of example.com!"],
    ["Lists\n   the tables\n\nArgs:\n  name: x", "Lists the tables"],
    ["# Search\n\nFinds things.", "Search"],
    ["**Important:** use `query_db` for *all* reads.", "Important: use query_db for all reads"],
    ["See [the docs](https://example.com/a?b=c) first.", "See the docs first"],
    ["<use_case>Find the price</use_case> of x.", "Find the price of x"],
    ["- Creates one item\n- and another", "Creates one item and another"],
    ["keeps snake_case_names and __init__.", "keeps snake_case_names and init"],
    ["搜索文件。返回列表。", "搜索文件"],
    ["Does it work? Yes.", "Does it work?"],
    ["", ""],
    ["\u0000\u200b\n", ""],
  ])("of %j is %j", (text, expected) => {
    expect(firstSentence(text, 120)).toBe(expected);
  });

  it("is one line within the limit for any text", () => {
    fc.assert(
      fc.property(anyText(), fc.nat(60), (text, limit) => {
        const sentence = firstSentence(text, limit);
        expect(sentence.length).toBeLessThanOrEqual(limit);
        expect(sentence).not.toMatch(/[\n\r\u2028\u2029\p{Cc}]/u);
      }),
    );
  });

  it("handles any amount of hostile markup", () => {
    for (const unit of ["[", "](", "<a", "`*_", "\n \t", "e.g. ", "![a](", "# "]) {
      expect(firstSentence(unit.repeat(200_000), 80).length).toBeLessThanOrEqual(80);
    }
  });
});

describe("sentenceEnd", () => {
  it("is the length of a text in which no sentence ends", () => {
    expect(sentenceEnd("no end")).toBe(6);
  });
});

describe("onOneLine", () => {
  it("turns line breaks and invisible characters into spaces", () => {
    expect(onOneLine(" a\r\n\tb\u2028c\u0000d\u202ee ")).toBe("a b c d e");
  });
});
