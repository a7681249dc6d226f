import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { editDistance, nearest } from "./nearest.ts";

describe("nearest", () => {
  const keys = ["command", "args", "env", "cwd", "url", "headers", "toolFilters"];

  it.each([
    ["comand", "command"],
    ["commnad", "command"],
    ["arg", "args"],
    ["ENV", "env"],
    ["toolfilter", "toolFilters"],
    ["header", "headers"],
  ])("suggests for %s the key %s", (typed, meant) => {
    expect(nearest(typed, keys)).toBe(meant);
  });

  it.each(["x", "", "somethingElse", "password"])("suggests nothing for %j", (typed) => {
    expect(nearest(typed, keys)).toBeUndefined();
  });

  it("prefers the first of equally near candidates", () => {
    expect(nearest("dex", ["dev", "dep"])).toBe("dev");
  });

  it("is fast for extremely long words", () => {
    expect(nearest("a".repeat(1_000_000), ["b".repeat(1_000_000)])).toBeUndefined();
  });
});

describe("editDistance", () => {
  it.each([
    ["", "abc", 3],
    ["abc", "abc", 0],
    ["abcd", "abdc", 1],
    ["kitten", "sitting", 3],
  ])("of %j and %j is %i", (a, b, distance) => {
    expect(editDistance(a, b)).toBe(distance);
  });

  const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 8 });

  it("is symmetric, zero only for equal words and at most the length of the longer word", () => {
    fc.assert(
      fc.property(word, word, (a, b) => {
        const distance = editDistance(a, b);
        expect(editDistance(b, a)).toBe(distance);
        expect(distance === 0).toBe(a === b);
        expect(distance).toBeLessThanOrEqual(Math.max(a.length, b.length));
        expect(distance).toBeGreaterThanOrEqual(Math.abs(a.length - b.length));
      }),
    );
  });

  it("is at most one after swapping two neighbouring letters", () => {
    fc.assert(
      fc.property(word, fc.nat(7), (a, at) => {
        const swapped =
          a.slice(0, at) +
          a
            .slice(at, at + 2)
            .split("")
            .toReversed()
            .join("") +
          a.slice(at + 2);
        expect(editDistance(a, swapped)).toBeLessThanOrEqual(1);
      }),
    );
  });
});
