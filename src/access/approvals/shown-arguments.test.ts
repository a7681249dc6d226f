import { describe, expect, it } from "vitest";
import { shownArguments } from "./shown-arguments.ts";

const shown = (args: string): string[] => shownArguments(args, (text) => text);

describe("the arguments that a person decides about", () => {
  it.each([
    ['{"repo":"evil","repo":"safe"}', ["repo: evil", "repo: safe"]],
    ['{"n":9007199254740993,"big":1e999}', ["n: 9007199254740993", "big: 1e999"]],
    ['{"a":{"x":1,"x":2,"n":12345678901234567890}}', ['a: {"n":12345678901234567890,"x":1,"x":2}']],
    ['{"\\u0061":"\\u0062","list":[true,null,"x"]}', ["a: b", 'list: [true,null,"x"]']],
    ["{}", []],
  ])("are shown as they are sent: %s", (args, expected) => {
    expect(shown(args)).toEqual(expected);
  });

  it.each([
    ['{"password":"hunter2"}', ["password: (hidden)"]],
    ['{"login":{"password":"hunter2"}}', ['login: {"password":"(hidden)"}']],
    ['{"all":[{"api_key":"k"}]}', ['all: [{"api_key":"(hidden)"}]']],
  ])("do not show values with names of secrets: %s", (args, expected) => {
    expect(shown(args)).toEqual(expected);
  });

  it("stay on one line each", () => {
    expect(shown('{"a":"x\\nb: y","c\\nd":1}')).toEqual(["a: x\\u{a}b: y", "c\\u{a}d: 1"]);
  });
});
