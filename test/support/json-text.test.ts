import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isCompact, memberText } from "./json-text.ts";

describe("memberText", () => {
  it("returns the exact text of a member, not its value", () => {
    const line = '{ "id" : 1 , "result" : {"b":1.0, "a":12345678901234567890} ,"x":"}"}';
    expect(memberText(line, "result")).toBe('{"b":1.0, "a":12345678901234567890}');
    expect(memberText(line, "result", "a")).toBe("12345678901234567890");
    expect(memberText(line, "x")).toBe('"}"');
    expect(memberText(line, "nothing")).toBeUndefined();
  });

  it("is not fooled by braces, quotes and keys inside strings and nested values", () => {
    const line = '{"a":{"result":"no"},"b":"\\"result\\":1}","result":["yes","\\\\"],"id":2}';
    expect(memberText(line, "result")).toBe('["yes","\\\\"]');
  });

  it("finds every member of any object", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.boolean(), (object, pretty) => {
        const text = JSON.stringify(object, null, pretty ? 2 : 0);
        for (const [key, value] of Object.entries(JSON.parse(text) as Record<string, unknown>)) {
          expect(JSON.parse(memberText(text, key) ?? "")).toEqual(value);
        }
      }),
    );
  });
});

describe("isCompact", () => {
  it("sees whitespace between values and ignores it inside strings", () => {
    expect(isCompact('{"a":"b c","d":[1,2]}')).toBe(true);
    expect(isCompact('{"a": 1}')).toBe(false);
    expect(isCompact('{"a":1,\n"b":2}')).toBe(false);
  });
});
