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

  it("finds every value that JSON.parse finds", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = JSON.stringify(value);
        const walk = (part: unknown, parts: (string | number)[]): void => {
          if (parts.length > 0) {
            const written = parts
              .map((key) => (typeof key === "number" ? `[${key}]` : `[${JSON.stringify(key)}]`))
              .join("");
            expect(parsePath(written)).toEqual(parts);
            expect(JSON.parse(valueAt(json, parts) ?? "")).toEqual(part);
          }
          if (Array.isArray(part)) part.forEach((each, i) => walk(each, [...parts, i]));
          else if (typeof part === "object" && part !== null)
            for (const [key, each] of Object.entries(part)) walk(each, [...parts, key]);
        };
        walk(JSON.parse(json), []);
      }),
    );
  });
});
