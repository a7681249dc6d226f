import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { anyText } from "../../../test/fixtures/any-text.ts";
import { givenCall } from "./given-call.ts";

const ID = { toolbox: "code", server: "github", name: "create_issue" };

function read(input: unknown): unknown {
  const { args = "", ...names } = givenCall(JSON.stringify(input)) ?? { args: "null" };
  return { ...names, arguments: JSON.parse(args) as unknown };
}

describe("what a malformed input of use_tool means", () => {
  const args = { title: "x" };
  const meant = { ...ID, arguments: args };

  it.each<[string, unknown]>([
    ["a path", { tool: "code/github/create_issue", arguments: args }],
    ["a list of names", { tool: ["code", "github", "create_issue"], arguments: args }],
    ["a native name", { tool: "code__github__create_issue", arguments: args }],
    ["flattened keys", { ...ID, arguments: args }],
    [
      "flattened keys with the name in tool",
      { toolbox: "code", server: "github", tool: "create_issue", arguments: args },
    ],
    ["flattened keys and arguments", { ...ID, ...args }],
    ["arguments beside tool", { tool: ID, ...args }],
    ["arguments inside tool", { tool: { ...ID, arguments: args } }],
    ["arguments inside tool, without a level", { tool: { ...ID, ...args } }],
    ["arguments as JSON text", { tool: ID, arguments: JSON.stringify(args) }],
    ["a path, with other keys", { tool: "code/github/create_issue", arguments: args, why: "x" }],
    ["a key beside the names", { tool: { ...ID, why: "x" }, arguments: args }],
    ["arguments in a list", { tool: ID, arguments: [args] }],
    ["arguments under another name", { tool: ID, args }],
    ["tool as JSON text", { tool: JSON.stringify(ID), arguments: args }],
    ["everything as JSON text", JSON.stringify({ tool: ID, arguments: args })],
    ["one level too many", { input: { tool: ID, arguments: args } }],
    ["arguments around everything", { arguments: { tool: ID, arguments: args } }],
    [
      "the older spelling",
      { tool: { toolbox: "code", server: "github", tool: "create_issue" }, arguments: args },
    ],
    [
      "other spellings",
      { toolbox_name: "code", serverName: "github", tool_name: "create_issue", parameters: args },
    ],
    ["a path as the name", { name: "code/github/create_issue", arguments: args }],
    [
      "a path as the name beside the rest",
      { tool: { ...ID, name: "code/github/create_issue" }, args },
    ],
    [
      "keys in another case",
      { Tool: { Toolbox: "code", SERVER: "github", Name: "create_issue" }, args },
    ],
    ["toolbox and server in one", { tool: { server: "code/github", name: "create_issue" }, args }],
    [
      "toolbox and server in one, as the toolbox",
      { toolbox: "code/github", name: "create_issue", args },
    ],
  ])("is found in %s", (_what, input) => {
    expect(read(input)).toEqual(meant);
  });

  it.each<[string, unknown, unknown]>([
    [
      "without a toolbox",
      { tool: { server: "github", name: "x" } },
      { server: "github", name: "x", arguments: {} },
    ],
    ["with half a path", { tool: "github/x" }, { server: "github", name: "x", arguments: {} }],
    [
      "with half a path and a toolbox",
      { toolbox: "code", tool: "github/x" },
      { toolbox: "code", server: "github", name: "x", arguments: {} },
    ],
    ["that is only a path", "a/b/c", { toolbox: "a", server: "b", name: "c", arguments: {} }],
    ["with only a name", { tool: "x" }, { name: "x", arguments: {} }],
    ["with nothing", {}, { arguments: {} }],
    [
      "with names that are not text",
      { tool: { toolbox: 1, server: null } },
      { arguments: { toolbox: 1 } },
    ],
    ["with empty names", { tool: { toolbox: "", server: "", name: "" } }, { arguments: {} }],
  ])("is incomplete in an input %s", (_what, input, expected) => {
    expect(read(input)).toEqual(expected);
  });

  it("takes arguments that are called like names for arguments", () => {
    expect(read({ tool: ID, name: "n", server: "s" })).toEqual({
      ...ID,
      arguments: { name: "n", server: "s" },
    });
    expect(read({ tool: "code/github/create_issue", name: "n" })).toEqual({
      ...ID,
      arguments: { name: "n" },
    });
  });

  it("takes only the arguments that are given as such, if there are any", () => {
    expect(read({ tool: ID, title: "beside", more: 1, arguments: args })).toEqual({
      ...ID,
      arguments: { title: "x" },
    });
  });

  it("keeps numbers and texts as they are written", () => {
    const text =
      '{"tool":"a/b/c","arguments":{ "n": 12345678901234567890, "x": 1.0, "t": "\\u00e9" }}';
    expect(givenCall(text)?.args).toBe('{"n":12345678901234567890,"x":1.0,"t":"\\u00e9"}');
  });

  it("is unknown for anything but an object of limited size", () => {
    for (const input of [7, null, [1, 2], [], true])
      expect(read(input)).toEqual({ arguments: null });
    expect(givenCall(JSON.stringify({ tool: "x".repeat(100_000) }))).toBeUndefined();
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`k${i}`, 1]));
    expect(givenCall(JSON.stringify(many))).toBeUndefined();
  });

  it("has no name if the path ends with a separator", () => {
    expect(givenCall('"a/b/"')).toEqual({ toolbox: "a", server: "b", args: "{}" });
  });

  it("can always be written as JSON", () => {
    const name = fc.constantFrom(
      "tool",
      "toolbox",
      "server",
      "name",
      "arguments",
      "args",
      "x",
      "__proto__",
    );
    const leaf = fc.oneof(
      anyText(),
      fc.jsonValue(),
      fc.constantFrom("a/b/c", "a__b", "{}", '{"tool":1}'),
    );
    const level = fc.dictionary(name, leaf);
    const input = fc.oneof(
      leaf,
      level,
      fc.dictionary(
        name,
        fc.oneof(
          leaf,
          level,
          level.map((x) => JSON.stringify(x)),
        ),
      ),
    );
    fc.assert(
      fc.property(input, (value) => {
        const found = givenCall(JSON.stringify(value));
        if (found === undefined) return;
        expect(JSON.parse(found.args)).toBeTypeOf("object");
        for (const part of [found.toolbox, found.server, found.name]) expect(part).not.toBe("");
      }),
      { numRuns: 1000 },
    );
  });
});
