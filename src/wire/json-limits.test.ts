import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_DEPTH, excessOf, parseWithinLimits } from "./json-limits.ts";

/** How deep objects and arrays of a value are nested. */
function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

const members = (count: number): string =>
  `{${Array.from({ length: count }, (_, i) => `"k${i}":1`).join(",")}}`;

describe("the limits on JSON", () => {
  it("count the depth of the value, whatever its strings contain", () => {
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
        const wrapped = (levels: number): string =>
          "[".repeat(levels) + written + "]".repeat(levels);
        const room = MAX_DEPTH - depthOf(json);
        expect(excessOf(wrapped(room))).toBeUndefined();
        expect(excessOf(wrapped(room + 1))).toMatch(/levels deep/);
      }),
    );
  });

  it("are found at any depth", () => {
    expect(excessOf("[".repeat(1_000_000))).toMatch(/levels deep/);
    expect(excessOf('{"a":'.repeat(129))).toMatch(/levels deep/);
    expect(excessOf('{"a":'.repeat(128))).toBeUndefined();
  });

  const strings = (count: number): string =>
    `[${Array.from({ length: count }, (_, i) => `"s${i}"`).join(",")}]`;
  const elements = (count: number): string => `[${"1,".repeat(count - 1)}1]`;

  it.each([
    ["members", members, 40_000],
    ["strings", strings, 100_000],
    ["other elements", elements, 500_000],
  ])("allow many %s, but not twice as many", (_what, textOf, count) => {
    expect(excessOf(textOf(count))).toBeUndefined();
    expect(excessOf(textOf(2 * count))).toMatch(/too many members, strings and elements/);
  });

  it("count members, strings and elements together", () => {
    const parts = [members(30_000), strings(60_000), elements(300_000)];
    for (const part of parts) expect(excessOf(part)).toBeUndefined();
    expect(excessOf(`[${parts.join(",")}]`)).toMatch(/too many/);
  });

  it("count nothing of what strings contain", () => {
    expect(excessOf(`{"a":"${':,[{\\"'.repeat(1_000_000)}"}`)).toBeUndefined();
  });

  it.each(['"', '"\\', '"[[[[', '["\\"', ""])("accept the incomplete text %j", (text) => {
    expect(excessOf(`${" ".repeat(300)}${text}`)).toBeUndefined();
  });

  it("are checked before the text is parsed", () => {
    expect(parseWithinLimits('{"a":[1]}')).toEqual({ a: [1] });
    expect(() => parseWithinLimits(`${"[".repeat(200)}${"]".repeat(200)}`)).toThrow(/levels deep/);
  });
});
