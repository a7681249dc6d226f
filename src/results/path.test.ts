import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { parsePath, valueAt } from "./path.ts";

describe("a path into a stored result", () => {
  it.each([
    ["rows", ["rows"]],
    ["rows[0].id", ["rows", 0, "id"]],
    ["[3][4]", [3, 4]],
    ['["a key"].b["c.d[0]"]', ["a key", "b", "c.d[0]"]],
    ['["\\u0041\\""]', ['A"']],
    ["größe.日本", ["größe", "日本"]],
  ])("%s has its parts", (path, parts) => {
    expect(parsePath(path)).toEqual(parts);
  });

  it.each([
    "",
    ".",
    "a.",
    ".a",
    "a..b",
    "a[",
    "a[x]",
    "a[-1]",
    "[0]a",
    'a["x]',
    '["\\x"]',
    "a]",
    '"a"',
  ])("%j is malformed", (path) => {
    expect(parsePath(path)).toBeUndefined();
  });

  it("gives the text of a value as it was written", () => {
    const json = '{"a" : [ 1.0, {"b":12345678901234567890} ], "a\\u0062": "x"}';
    expect(valueAt(json, ["a", 0])).toBe("1.0");
    expect(valueAt(json, ["a", 1, "b"])).toBe("12345678901234567890");
    expect(valueAt(json, ["ab"])).toBe('"x"');
    for (const parts of [["b"], ["a", 2], ["a", "0"], [0], ["a", 0, "b"], ["ab", 0]])
      expect(valueAt(json, parts)).toBeUndefined();
  });

  type Parts = readonly (string | number)[];

  /** All values inside a value, with their paths. */
  function partsIn(value: unknown, parts: Parts = []): [Parts, unknown][] {
    const members: [string | number, unknown][] = Array.isArray(value)
      ? value.map((each: unknown, i) => [i, each])
      : Object.entries(typeof value === "object" && value !== null ? value : {});
    return members.flatMap(([key, member]) => {
      const path = [...parts, key];
      return [[path, member], ...partsIn(member, path)];
    });
  }

  it("finds every value that JSON.parse finds", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = JSON.stringify(value);
        for (const [parts, part] of partsIn(JSON.parse(json))) {
          const path = parts.map((key) => `[${JSON.stringify(key)}]`).join("");
          expect(parsePath(path)).toEqual(parts);
          expect(JSON.parse(valueAt(json, parts) ?? "")).toEqual(part);
        }
      }),
    );
  });
});
