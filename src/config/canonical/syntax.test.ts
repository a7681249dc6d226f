import { describe, expect, it } from "vitest";
import { pathText } from "../problems.ts";
import { readDocument } from "./syntax.ts";

const problemsOf = (text: string): string[] =>
  readDocument(text).problems.map(
    ({ position, path, message }) =>
      `${position?.line}:${position?.column} ${pathText(path)} ${message.split(". ")[0]}`,
  );

describe("readDocument", () => {
  it("reads comments and trailing commas", () => {
    const text = '// one\n{ "a": [1, 2,], /* two */ "b": { "c": null, }, }';
    expect(readDocument(text)).toMatchObject({
      value: { root: { a: [1, 2], b: { c: null } } },
      problems: [],
    });
  });

  it.each([
    ["\n", 2],
    ["\r\n", 2],
    ["\r", 2],
  ])("counts lines that end with %j", (end, line) => {
    const { locate } = readDocument(`{${end}  "a": "ä€😀", "b": true }`);
    expect(locate(["a"], "key")).toEqual({ line, column: 3 });
    expect(locate(["a"], "value")).toEqual({ line, column: 8 });
    expect(locate(["b"], "value")).toEqual({ line, column: 21 });
  });

  it("locates a missing value at its parent", () => {
    const { locate } = readDocument('{\n "a": {\n  "b": [] } }');
    expect(locate(["a", "b", 3], "value")).toEqual({ line: 3, column: 3 });
    expect(locate(["a", "x", "y"], "value")).toEqual({ line: 2, column: 2 });
    expect(locate(["x"], "key")).toEqual({ line: 1, column: 1 });
  });

  it.each([
    ["", ["1:1  the file is empty"]],
    [" \n ", ["1:1  the file is empty"]],
    ['{ "a" 1 }', ["1:7 a expected ':' between key and value"]],
    ['{ "a": 1\n "b": 2 }', ["2:2 b expected ',' between two entries"]],
    ["{ a: 1 }", ["1:3  unknown word"]],
    ["{ 'a': 1 }", ["1:3  unknown word"]],
    ['{ "a": [1, 2', ["1:13 a[1] expected ']' to close the list"]],
    ['{ "a": 1 } }', ["1:12  unexpected text after the end of the configuration"]],
    ['{ "path": "C:\\Users" }', ["1:11 path this is not a valid escape"]],
    ['{ "a": "x\n }', ["1:8 a this string is not closed"]],
  ])("explains the syntax error in %j", (text, expected) => {
    const document = readDocument(text);
    expect(document.value).toBeUndefined();
    expect(problemsOf(text)).toEqual(expected);
  });

  it("reports and drops duplicate keys and keys that would change the prototype", () => {
    const text = '{ "a": 1,\n "a": 2, "b": {\n "__proto__": { "x": 1 }, "c": 1, "c": 1 } }';
    const { value } = readDocument(text);
    expect(value).toEqual({ root: { a: 1, b: { c: 1 } } });
    expect(problemsOf(text)).toEqual([
      '2:2 a the key "a" occurs more than once',
      "3:2 b.__proto__ this key has a special meaning in JavaScript",
      '3:35 b.c the key "c" occurs more than once',
    ]);
    expect(Reflect.get({}, "x")).toBeUndefined();
  });

  it.each([65, 100_000])("rejects %i levels of nesting", (levels) => {
    const text = "[".repeat(levels) + "]".repeat(levels);
    expect(problemsOf(text)).toEqual(["1:1  is nested more than 64 levels deep"]);
  });

  it("reads long lists", () => {
    const { value } = readDocument(`[${"1,".repeat(200_000)}]`);
    expect(value?.root).toHaveLength(200_000);
  });
});
