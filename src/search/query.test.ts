import { describe, expect, it } from "vitest";

import { type KnownTerms, parseQuery } from "./query.ts";

function knowing(
  words: string,
  near: Readonly<Record<string, readonly string[]>> = {},
): KnownTerms {
  const known = new Set(words.split(" "));
  return { has: (term) => known.has(term), nearest: (term) => near[term] ?? [] };
}

function terms(query: string, known: KnownTerms): Record<string, number> {
  return Object.fromEntries(parseQuery(query, known).terms);
}

describe("parseQuery", () => {
  it("keeps known words that are not filler words", () => {
    expect(terms("Please list all of the issues", knowing("list issu all of the"))).toEqual({
      list: 1,
      issu: 1,
    });
  });

  it("keeps filler words if there are no others", () => {
    expect(terms("all of it", knowing("all of"))).toEqual({ all: 1, of: 1 });
  });

  it("weights a known compound fully and its parts half", () => {
    expect(terms("GitHub", knowing("github git hub"))).toEqual({ github: 1, git: 0.5, hub: 0.5 });
    expect(terms("GitHub", knowing("git hub"))).toEqual({ git: 1, hub: 1 });
  });

  it("tries neighbouring words as one word", () => {
    expect(terms("file system", knowing("file system filesystem"))).toEqual({
      file: 1,
      system: 1,
      filesystem: 0.5,
    });
  });

  it("replaces unknown words with similar ones, but not numbers", () => {
    const known = knowing("mail mall", { maul: ["mail", "mall"], 4711: ["mail"] });
    expect(terms("maul", known)).toEqual({ mail: 0.5, mall: 0.5 });
    expect(terms("4711", known)).toEqual({});
    expect(terms("mail maul", known)).toEqual({ mail: 1, mall: 0.5 });
  });

  it("replaces only the first few unknown words", () => {
    const near = Object.fromEntries(["aa", "bb", "cc", "dd", "ee"].map((word) => [word, [word]]));
    expect(Object.keys(terms("aa bb cc dd ee", knowing("", near)))).toEqual([
      "aa",
      "bb",
      "cc",
      "dd",
    ]);
  });

  it("recognises tool names among the words", () => {
    const { names, wholeName } = parseQuery("run read_text_file or getUser now", knowing(""));
    expect(names).toEqual(new Set(["readtextfile", "getuser"]));
    expect(wholeName).toBe("runreadtextfileorgetusernow");
  });

  it("reads only the beginning of a very long query", () => {
    expect(terms(`${"filler ".repeat(1_000)}issue`, knowing("issu"))).toEqual({});
  });
});
