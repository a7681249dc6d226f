import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { anyText } from "../../test/fixtures/any-text.ts";
import { nameKey, spellingsIn, splitWords, termsOf } from "./text.ts";

describe("splitWords", () => {
  it.each([
    ["list_pull_requests", "list pull requests"],
    ["list-pull-requests", "list pull requests"],
    ["listPullRequests", "list.pull.requests"],
    ["XMLHttpRequest", "xml.http.request"],
    ["getUserIDs and URLs", "get.user.ids and urls"],
    ["getS3Key", "get.s3.key"],
    ["base64Encode", "base64.encode"],
    ["GitHub", "git.hub"],
    ["API", "api"],
    ["v2", "v2"],
    ["Crème brûlée, naïve", "creme brulee naive"],
    ["ﬁle №5", "file no5"],
    ["Привет мир", "привет мир"],
    ["हिन्दी में खोज", "हिन्दी में खोज"],
    ["한국어 검색", "한국어 검색"],
    ["搜索文件", "搜索 索文 文件"],
    ["搜GitHub库", "搜 git.hub 库"],
    ["ファイル", "ファ ァイ イル"],
    ["a/b.c:d", "a b c d"],
    ["", ""],
  ])("splits %j into %j", (text, expected) => {
    const words = splitWords(text).map((parts) => parts.join("."));
    expect(words.join(" ")).toBe(expected);
  });

  it("ignores what is too long to be a word", () => {
    expect(splitWords(`key ${"x".repeat(65)}`)).toEqual([["key"]]);
    expect(splitWords("搜索".repeat(50))).toHaveLength(99);
  });
});

describe("termsOf", () => {
  it("stems words, and also keeps names of two parts whole", () => {
    expect(termsOf("Listing GitHub repositories")).toEqual([
      "list",
      "github",
      "git",
      "hub",
      "repositori",
    ]);
  });

  it("also returns the letters before digits", () => {
    expect(termsOf("oauth2 s3")).toEqual(["oauth2", "oauth", "s3"]);
  });

  it("is the same for every way to write a name", () => {
    const words = fc.array(fc.stringMatching(/^[a-z]{3,8}$/), { minLength: 3, maxLength: 5 });
    fc.assert(
      fc.property(words, (parts) => {
        const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
        const expected = termsOf(parts.join(" "));
        expect(termsOf(parts.join("_"))).toEqual(expected);
        expect(termsOf(parts.map(capital).join(""))).toEqual(expected);
        expect(termsOf(parts.join("-").toUpperCase())).toEqual(expected);
      }),
    );
  });

  it("returns terms without white space and capitals for any text", () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        for (const term of termsOf(text)) {
          expect(term).toMatch(/^\S+$/u);
          expect(term).toBe(term.toLowerCase());
        }
      }),
    );
  });
});

describe("spellingsIn", () => {
  it("are the words of a name as they are written", () => {
    expect(spellingsIn("list_GitHub_issues")).toEqual(["list", "git", "hub", "github", "issues"]);
  });
});

describe("nameKey", () => {
  it("ignores case and separators", () => {
    const spellings = ["read_file", "readFile", "read-file", "READ FILE", "read.file"];
    expect(new Set(spellings.map(nameKey))).toEqual(new Set(["readfile"]));
  });

  it("is made of the words of any name", () => {
    fc.assert(
      fc.property(fc.oneof(anyText(), fc.string({ unit: "binary-ascii" })), (name) => {
        expect(nameKey(name)).toBe(splitWords(name).flat().join(""));
      }),
    );
  });
});
