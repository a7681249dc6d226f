import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { jsonTexts } from "../../test/support/json-arbitraries.ts";
import {
  NOT_JSON,
  nothingAfter,
  plainStringEnd,
  strictValueEnd,
  unsignedEnd,
  skipSpace,
} from "./strict-json.ts";

const { value, space } = jsonTexts();

/** Texts that are JSON, or nearly. */
const nearlyJson = fc
  .tuple(
    value,
    fc.array(fc.tuple(fc.nat(), fc.constantFrom("", ...'{}[],:"\\u0e.-+1 \ntn\u0001é')), {
      maxLength: 3,
    }),
  )
  .map(([text, changes]) =>
    changes.reduce((changed, [place, instead]) => {
      const at = place % (changed.length + 1);
      return changed.slice(0, at) + instead + changed.slice(at + 1);
    }, text),
  );

function accepts(text: string): boolean {
  const end = strictValueEnd(text, skipSpace(text, 0));
  return end !== NOT_JSON && nothingAfter(text, end);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe("strictValueEnd", () => {
  it("accepts what JSON.parse accepts", () => {
    fc.assert(
      fc.property(value, space, space, (text, before, after) => {
        expect(accepts(before + text + after)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it("accepts nothing that JSON.parse rejects", () => {
    fc.assert(
      fc.property(nearlyJson, (text) => {
        expect(accepts(text)).toBe(isJson(text));
      }),
      { numRuns: 5000 },
    );
  });

  it.each([
    "",
    "-",
    "01",
    "-01",
    "1.",
    ".5",
    "1e",
    "1e+",
    "+1",
    "tru",
    "nul",
    "falsy",
    "NaN",
    '"',
    '"\\',
    '"\\u12',
    '"\\u12g4"',
    '"\\x"',
    '"\t"',
    "'a'",
    "{",
    "[",
    "{,}",
    "[1,]",
    '{"a":1,}',
    '{"a"}',
    "{a:1}",
    '{"a" 1}',
    "[1 2]",
    "1 2",
    "//",
    "\u00a01",
    "\ufeff1",
  ])("rejects %j, as JSON.parse does", (text) => {
    expect(isJson(text)).toBe(false);
    expect(accepts(text)).toBe(false);
  });

  it("leaves deeply nested values to JSON.parse", () => {
    const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
    expect(accepts(nested(60))).toBe(true);
    expect(accepts(nested(100_000))).toBe(false);
  });

  it("returns the end of one value", () => {
    expect(strictValueEnd('[{"a":"]"},2] ,3', 0)).toBe(13);
  });
});

describe("plainStringEnd", () => {
  it("accepts only strings without escapes", () => {
    expect(plainStringEnd('"é😀",', 0)).toBe(5);
    expect(plainStringEnd('"a\\u0062"', 0)).toBe(NOT_JSON);
    expect(plainStringEnd('"a\n"', 0)).toBe(NOT_JSON);
    expect(plainStringEnd('"a', 0)).toBe(NOT_JSON);
    expect(plainStringEnd("a", 0)).toBe(NOT_JSON);
  });
});

describe("unsignedEnd", () => {
  it("accepts only integers that JavaScript represents exactly", () => {
    expect(unsignedEnd("0", 0)).toBe(1);
    expect(unsignedEnd("999999999999999,", 0)).toBe(15);
    for (const text of ["1000000000000000", "01", "-1", "x", ""])
      expect(unsignedEnd(text, 0)).toBe(NOT_JSON);
  });
});
