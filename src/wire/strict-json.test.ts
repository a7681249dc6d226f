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

/** Strings that are longer than what is read character by character, with anything in them that matters. */
const longStrings = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom("x".repeat(7), "y".repeat(40), "é€😀") },
      { weight: 2, arbitrary: fc.constantFrom('\\"', "\\\\", "\\n", "\\u00e9") },
      {
        weight: 1,
        arbitrary: fc.constantFrom('"', "\\", "\t", "\u0000", "\\u12", "\\x", "\u2028"),
      },
    ),
    { minLength: 4, maxLength: 24 },
  )
  .map((parts) => `"${parts.join("")}"`);

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

  it("measures long strings, and rejects what JSON.parse rejects in them", () => {
    let json = 0;
    fc.assert(
      fc.property(longStrings, fc.constantFrom("", "[1", ',"a"]'), (text, after) => {
        const end = strictValueEnd(text + after, 0);
        const isString = isJson(text);
        if (isString) json++;
        expect(isString ? end : accepts(text)).toBe(isString && text.length);
      }),
      { numRuns: 5000 },
    );
    // With 20 seeds: 1267 on average, with a standard deviation of 36.
    expect(json).toBeGreaterThan(500);
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
