import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { cutAt, cuts, jsonTexts } from "../../test/support/json-arbitraries.ts";
import { bodyEnd } from "./body-end.ts";

const { object, array } = jsonTexts();

/** Strings of the lengths and endings that matter to a search for their end. */
const longString = fc
  .array(
    fc.constantFrom(
      "x".repeat(10),
      "x".repeat(11),
      "x".repeat(100),
      '\\"',
      "\\\\",
      "\\u0022",
      "{[",
      "}]",
    ),
    {
      maxLength: 12,
    },
  )
  .map((parts) => `"${parts.join("")}"`);

const body = fc.oneof(
  object,
  array,
  fc.tuple(longString, longString).map(([a, b]) => `{${a}:[${b},{${b}:${a}}]}`),
);

describe("bodyEnd", () => {
  it("finds the end of any object or array, wherever its bytes are cut", () => {
    fc.assert(
      fc.property(fc.string(), body, fc.string(), cuts, (before, text, after, places) => {
        const bytes = Buffer.from(before + text + after);
        const from = Buffer.byteLength(before);
        expect(bodyEnd(cutAt(bytes, places), from)).toBe(from + Buffer.byteLength(text));
      }),
      { numRuns: 1000 },
    );
  });

  it("returns undefined for a value that does not end", () => {
    fc.assert(
      fc.property(body, cuts, fc.nat(), (text, places, cut) => {
        const bytes = Buffer.from(text);
        const half = bytes.subarray(0, Math.max(1, cut % bytes.length));
        expect(bodyEnd(cutAt(half, places), 0)).toBeUndefined();
      }),
    );
  });
});
