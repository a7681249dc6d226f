import { describe, expect, it } from "vitest";

import { jsonc } from "./jsonc-edit.ts";
import { appendElement, removeElement } from "./jsonc-list.ts";

const AT = ["a", "b"];

describe("a list in a JSON file", () => {
  it("gets an element at its end, and nothing else changes", () => {
    const text = '{\r\n\t"x":   1,\r\n\t"a": {"b": [ {"c":1} ] , "d": 2}\r\n}';
    const longer = appendElement(jsonc, text, AT, { e: [2] });
    expect(JSON.parse(longer)).toEqual({ x: 1, a: { b: [{ c: 1 }, { e: [2] }], d: 2 } });
    expect(longer.startsWith(text.slice(0, text.indexOf(" ] ,")))).toBe(true);
    expect(longer.endsWith('] , "d": 2}\r\n}')).toBe(true);
    expect(JSON.parse(removeElement(jsonc, longer, AT, 1))).toEqual(JSON.parse(text));
    expect(JSON.parse(removeElement(jsonc, longer, AT, 0))).toMatchObject({
      a: { b: [{ e: [2] }] },
    });
  });

  it.each(["", "{}", '{"a":{}}', '{"a":{"b":[]}}'])("is created or filled in '%s'", (text) => {
    expect(JSON.parse(appendElement(jsonc, text, AT, 1))).toEqual({ a: { b: [1] } });
  });

  it("inside a list can lose an element", () => {
    const text = '{ "a": [ { "b": [1, 2] } ] }';
    expect(JSON.parse(removeElement(jsonc, text, ["a", 0, "b"], 0))).toEqual({ a: [{ b: [2] }] });
  });

  it.each(['{"a":1}', '{"a":{"b":{}}}', "[]", "{"])("is not made of anything else: %s", (text) => {
    expect(() => appendElement(jsonc, text, AT, 1)).toThrow(/./);
    expect(() => removeElement(jsonc, text, AT, 0)).toThrow(/./);
  });
});
