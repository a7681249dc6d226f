import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { covers, globMatcher, mayMatchStart } from "./glob.ts";

const character = fc.constantFrom("a", "b", "/");
const texts = fc.string({ unit: character, maxLength: 6 });
const patterns = fc.string({
  unit: fc.oneof(character, fc.constantFrom("*", "?")),
  maxLength: 6,
});

describe("mayMatchStart", () => {
  it("is true for every beginning of a text that matches", () => {
    fc.assert(
      fc.property(patterns, texts, fc.nat(6), (pattern, text, length) => {
        const matches = globMatcher(pattern)(text);
        expect(mayMatchStart(pattern, text.slice(0, length)) || !matches).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it("is true only if some continuation matches", () => {
    // One step of the pattern consumes at most one character, so this many are enough.
    const endings = [""];
    for (const ending of endings)
      if (ending.length < 4) for (const next of "ab/") endings.push(ending + next);
    const short = patterns.filter((pattern) => pattern.length <= 4);
    fc.assert(
      fc.property(short, texts, (pattern, start) => {
        const matches = globMatcher(pattern);
        const expected = endings.some((ending) => matches(start + ending));
        expect(mayMatchStart(pattern, start)).toBe(expected);
      }),
      { numRuns: 500 },
    );
  });
});

describe("covers", () => {
  it("is true only if every text that matches the narrow pattern matches the wide one", () => {
    fc.assert(
      fc.property(patterns, patterns, texts, (wide, narrow, text) => {
        fc.pre(covers(wide, narrow) && globMatcher(narrow)(text));
        expect(globMatcher(wide)(text)).toBe(true);
      }),
      { numRuns: 300, maxSkipsPerRun: 10_000 },
    );
  });

  it("counts the units of UTF-16, as a pattern does", () => {
    const isAlike = (wide: string, text: string): void =>
      expect([covers(wide, text), mayMatchStart(wide, text)]).toEqual(
        Array.from({ length: 2 }, () => globMatcher(wide)(text)),
      );
    isAlike("?", "😀");
    isAlike("x?", "x😀");
    isAlike("??", "😀");
    isAlike("😀", "😀");
  });

  it.each([
    ["*", "a*"],
    ["a?", "ab"],
    ["a*", "a?b*"],
    ["*a*", "*aa*"],
  ])("is true for %s and %s, and not the other way round", (wide, narrow) => {
    expect([covers(wide, narrow), covers(narrow, wide)]).toEqual([true, false]);
  });
});
