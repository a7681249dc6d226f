import { describe, expect, it } from "vitest";

import { MAX_QUERY_LENGTH, splitQuery } from "./query-words.ts";
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

  it("adds synonyms with less weight, and one of them instead of a word that no tool contains", () => {
    const known = knowing("creat make directori file", { folder: ["file"] });
    const { terms, synonyms, unmatched } = parseQuery("make a folder", known);
    expect(Object.fromEntries(terms)).toEqual({ make: 1, directori: 0.75 });
    expect(Object.fromEntries(synonyms)).toEqual({ creat: { of: "make", weight: 0.75 } });
    expect(unmatched).toBe(0);
  });

  it("does not add a synonym that the query contains", () => {
    const { terms, synonyms } = parseQuery("create or make", knowing("creat make"));
    expect(Object.fromEntries(terms)).toEqual({ creat: 1, make: 1 });
    expect(synonyms.size).toBe(0);
  });

  it("tries neighbouring words as one word", () => {
    expect(terms("file system", knowing("file system filesystem"))).toEqual({
      file: 1,
      system: 1,
      filesystem: 0.5,
    });
  });

  it.each([
    ["today's meetings", { today: 1, meet: 1 }],
    ["what's the issue\u2019s title", { issu: 1, titl: 1 }],
    ["I don't get it", { get: 1 }],
    ["send e-mails", { send: 1, email: 1, mail: 0.5 }],
    ["k8s", { k8: 1 }],
    ["field(s), e.g. l'API", { field: 1, api: 1 }],
    ["post to X", { post: 1, x: 0.5 }],
    ["X", { x: 1 }],
  ])("of %j is not decided by single letters", (query, expected) => {
    const letters = "d e g l s t x";
    const known = knowing(`${letters} today meet issu titl get send email mail k8 field api post`);
    expect(terms(query, known)).toEqual(expected);
  });

  it("looks a misspelt word up as it is written", () => {
    expect(terms("isues", knowing("issu", { isues: ["issu"] }))).toEqual({ issu: 0.5 });
  });

  it("replaces unknown words with similar ones, but not numbers", () => {
    const known = knowing("mail mall", { maul: ["mail", "mall"], 4711: ["mail"] });
    expect(terms("maul", known)).toEqual({ mail: 0.5, mall: 0.5 });
    expect(terms("4711", known)).toEqual({});
    expect(terms("mail maul", known)).toEqual({ mail: 1, mall: 0.5 });
  });

  it("does not correct a word that has a vector", () => {
    const known = knowing("price kill", { process: ["price"] });
    const vocabulary = { has: (term: string) => term === "process", corrected: () => undefined };
    const { terms, unmatched, unknown } = parseQuery("kill process", known, vocabulary);
    expect(Object.fromEntries(terms)).toEqual({ kill: 1 });
    expect({ unmatched, unknown }).toEqual({ unmatched: 1, unknown: 0 });
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

describe("splitQuery", () => {
  it("reads only the beginning of a query, however long it is", () => {
    expect(splitQuery("word ".repeat(MAX_QUERY_LENGTH))).toHaveLength(MAX_QUERY_LENGTH / 5);
  });
});
