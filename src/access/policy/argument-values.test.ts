import { describe, expect, it } from "vitest";
import { valuesAt } from "./argument-values.ts";

describe("valuesAt", () => {
  it.each<[string, string, (string | undefined)[]]>([
    ['{"a":"x"}', "a", ["x"]],
    ['{"a":"\\u0078\\n"}', "a", ["x\n"]],
    ['{"a":1.0}', "a", ["1.0"]],
    ['{ "a" : 12345678901234567890 }', "a", ["12345678901234567890"]],
    ['{"a":false}', "a", ["false"]],
    ['{"a":null}', "a", [undefined]],
    ['{"a":{"b":1}}', "a", [undefined]],
    ['{"a":{"b":[1,{"b":2}]}}', "a.b", ["1", undefined]],
    ['{"a":[{"b":1},{"c":2}]}', "a.b", ["1", undefined]],
    ['{"a":[]}', "a", []],
    ['{"a.b":1}', "a.b", [undefined]],
    ["{}", "a", [undefined]],
    ['"text"', "a", [undefined]],
    ['[{"a":"x"}]', "a", ["x"]],
    ['{"a":"[\\"x\\",[1,true]]"}', "a", ['["x",[1,true]]', "x", "1", "true"]],
    ['{"a":[" [\\"x\\", {}]"]}', "a", [' ["x", {}]', "x", undefined]],
    ['{"a":"[x] done"}', "a", ["[x] done"]],
  ])("finds in %s at %s: %j", (text, path, expected) => {
    expect(valuesAt(text, path.split("."))).toEqual(expected);
  });

  it.each([
    ['{"a":1,"a":2}', "a"],
    ['{"a":1,"A":2}', "a"],
    ['{"\\u0061":1}', "a"],
    ['{"o":{"a":1,"a":2}}', "o.a"],
    ['{"o":[{"a":1},{"A":2}]}', "o.a"],
    ['{"o":{},"O":{"a":2}}', "o.a"],
    ['"{\\"a\\":1}"', "a"],
    ['{"o":" {\\"a\\":1}"}', "o.a"],
    ['{"o":["\\u005b{\\"a\\":1}]"]}', "o.a"],
  ])("refuses %s, where it is unclear what %s is", (text, path) => {
    expect(() => valuesAt(text, path.split("."))).toThrow(/^Invalid parameters: arguments: /);
  });
});
