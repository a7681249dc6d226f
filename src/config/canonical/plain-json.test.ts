import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readPlainJson } from "./plain-json.ts";

describe("readPlainJson", () => {
  it.each([
    ["a comment", '{"a": 1} // b'],
    ["a trailing comma", '{"a": 1,}'],
    ["no content", ""],
    ["a key that occurs twice", '{"a": 1, "a": 1}'],
    ["a key that occurs twice, deep inside", '[{"a": {"b": ":", "b" : 2}}]'],
    ["a key that occurs twice, once escaped", '{"a": 1, "\\u0061": 2}'],
    ["a key that would change the object", '{"a": {"__proto__": {}}}'],
    ["a key that would change the object, escaped", '{"\\u005f_proto__": 1}'],
    ["too many levels", `${"[".repeat(65)}${"]".repeat(65)}`],
    ["far too many levels", `${"[".repeat(100_000)}${"]".repeat(100_000)}`],
  ])("leaves a text with %s to the tolerant parser", (_, text) => {
    expect(readPlainJson(text)).toBeUndefined();
  });

  it.each([
    '{"a": ":8080", "b": ["say \\":\\" twice", "\\\\"], "c": {"a": 1}}',
    '{"a:b" : {}, "\\"" :1}',
    `${"[".repeat(64)}${"]".repeat(64)}`,
    '"text"',
    "null",
  ])("reads %s", (text) => {
    expect(readPlainJson(text)).toEqual({ value: JSON.parse(text) as unknown });
  });

  it("reads any JSON, however it is formatted", () => {
    const indent = fc.constantFrom("", " ", "\t", "\n");
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), indent, (json, space) => {
        fc.pre(!json.includes("__proto__"));
        const text = JSON.stringify(JSON.parse(json), null, space);
        expect(readPlainJson(text)).toEqual({ value: JSON.parse(json) as unknown });
      }),
    );
  });
});
