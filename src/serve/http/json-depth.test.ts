import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deeperThan } from "./json-depth.ts";

/** How deep objects and arrays of a value stand inside each other. */
function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

describe("deeperThan", () => {
  it("finds the nesting depth of any JSON value, ignoring brackets in strings", () => {
    const text = fc.string({ unit: fc.constantFrom("[", "]", "{", "}", '"', "\\", "a", "é") });
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 6, withCrossShrink: true },
        text,
        fc.constantFrom(null, 1),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(text, tie("value"), { maxKeys: 3 }),
      ),
    }));
    fc.assert(
      fc.property(value, fc.boolean(), (json, spaced) => {
        const written = JSON.stringify(json, null, spaced ? 1 : 0);
        const depth = depthOf(json);
        expect(deeperThan(written, depth)).toBe(false);
        expect(deeperThan(written, depth - 1)).toBe(depth > 0);
      }),
    );
  });

  it("stops reading at the limit, however deep the text is", () => {
    expect(deeperThan("[".repeat(1_000_000), 128)).toBe(true);
    expect(deeperThan('{"a":'.repeat(129), 128)).toBe(true);
    expect(deeperThan('{"a":'.repeat(128), 128)).toBe(false);
  });

  it.each(['"', '"\\', '"[[[[', '["\\"', ""])("accepts the incomplete text %j", (text) => {
    expect(deeperThan(text, 3)).toBe(false);
  });
});
