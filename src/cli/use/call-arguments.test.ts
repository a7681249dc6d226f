import { isDeepStrictEqual } from "node:util";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { isWorkbenchError } from "../../errors.ts";
import { argumentsFrom } from "./call-arguments.ts";

const attempt = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};
const isJson = (value: unknown): boolean =>
  isDeepStrictEqual(JSON.parse(JSON.stringify(value)), value);

const string = { type: "string" };
const integer = { type: "integer" };
const SCHEMA = {
  type: "object",
  properties: {
    path: string,
    head: integer,
    ratio: { type: "number" },
    force: { type: "boolean" },
    mode: { type: "string", enum: ["read", "write", "append"] },
    level: { enum: [1, 2, "high"] },
    tags: { type: "array", items: string },
    sizes: { type: "array", items: integer },
    options: { type: "object", properties: { depth: integer, label: string } },
    point: { $ref: "#/$defs/point" },
    maybe: { anyOf: [integer, { type: "null" }] },
    either: { type: ["string", "boolean"] },
    fixed: { const: "only" },
    anything: {},
    "dotted.name": integer,
  },
  $defs: { point: { type: "object", properties: { x: integer } } },
};

const from = (...words: string[]): unknown => argumentsFrom(words, SCHEMA, {}, "See the docs");
const problems = (...words: string[]): string => String(attempt(() => from(...words)));

describe("argumentsFrom, for the arguments of `call`,", () => {
  it.each([
    ["path=notes.txt", { path: "notes.txt" }],
    ["path=", { path: "" }],
    ["path=a=b", { path: "a=b" }],
    ["path=12", { path: "12" }],
    ["head=-3", { head: -3 }],
    ["head=1e3", { head: 1000 }],
    ["ratio=.5", { ratio: 0.5 }],
    ["force=yes", { force: true }],
    ["force=FALSE", { force: false }],
    ["mode=write", { mode: "write" }],
    ["level=2", { level: 2 }],
    ["level=high", { level: "high" }],
    ["tags=one", { tags: ["one"] }],
    ['tags=["a","b"]', { tags: ["a", "b"] }],
    ["sizes=7", { sizes: [7] }],
    ['options={"depth":2}', { options: { depth: 2 } }],
    ["options.depth=2", { options: { depth: 2 } }],
    ["point.x=4", { point: { x: 4 } }],
    ["maybe=null", { maybe: null }],
    ["maybe=5", { maybe: 5 }],
    ["either=true", { either: true }],
    ["either=maybe", { either: "maybe" }],
    ["fixed=only", { fixed: "only" }],
    ["anything=[1]", { anything: [1] }],
    ["anything=text", { anything: "text" }],
    ["dotted.name=1", { "dotted.name": 1 }],
  ])("reads %s as %j", (word, expected) => {
    expect(from(word)).toEqual(expected);
  });

  it("combines repeated arguments into a list, or into members of an object", () => {
    expect(from("tags=a", "tags=b", "sizes=1", "sizes=2")).toEqual({
      tags: ["a", "b"],
      sizes: [1, 2],
    });
    expect(from("options.depth=1", "options.label=x")).toEqual({
      options: { depth: 1, label: "x" },
    });
  });

  it.each([
    ["head=many", "head: Expected integer, got 'many'"],
    ["head=1.5", "head: Expected integer, got '1.5'"],
    ["head=", "head: Expected integer, got ''"],
    ["head=9007199254740993", "head: Too large to be passed exactly; use --args"],
    ["force=perhaps", "force: Expected boolean, got 'perhaps'"],
    ["mode=wrte", "mode: Expected one of read, write, append, got 'wrte'. Did you mean 'write'?"],
    ["sizes=x", "sizes: Expected list of integer, got 'x'"],
    ["options=1", "options: Expected object, got '1'"],
    ["options.dept=1", "options.dept: Unknown argument. Did you mean 'depth'?"],
    ["pth=x", "pth: Unknown argument. Did you mean 'path'?"],
    ["novalue", "'novalue' is not of the form name=value"],
    ["=x", "'=x' is not of the form name=value"],
    ["maybe=x", "maybe: Expected integer or null, got 'x'"],
  ])("rejects %s: %s", (word, message) => {
    expect(problems(word)).toContain(message);
  });

  it("reports all problems at once", () => {
    expect(problems("head=x", "pth=y", "path=a", "path=b")).toBe(
      "WorkbenchError: Invalid parameters: head: Expected integer, got 'x'; pth: Unknown argument. Did you mean 'path'?; path: Given more than once, but it is not a list",
    );
  });

  it("requires what the tool's schema requires", () => {
    const schema = {
      properties: { path: string, mode: SCHEMA.properties.mode },
      required: ["path", "mode"],
    };
    expect(() => argumentsFrom([], schema, {}, "See it")).toThrow(
      expect.objectContaining({
        code: "INVALID_PARAMETERS",
        message:
          "Invalid parameters: path: Required (string); mode: Required (one of read, write, append)",
        hint: "See it",
      }),
    );
    // What was given but is wrong is not missing as well.
    expect(() => argumentsFrom(["path=x", "mode=no"], schema, {}, "")).toThrow(
      /^Invalid parameters: mode: Expected one of read, write, append, got 'no'$/,
    );
    expect(argumentsFrom(["mode=read"], schema, { path: "x" }, "")).toEqual({
      path: "x",
      mode: "read",
    });
  });

  it("accepts anything for a tool without a schema", () => {
    expect(argumentsFrom(["a=1", "b=x"], undefined, {}, "")).toEqual({ a: 1, b: "x" });
    expect(argumentsFrom(["a=1"], { type: "object" }, {}, "")).toEqual({ a: 1 });
    const open = { properties: { a: string }, additionalProperties: true };
    expect(argumentsFrom(["b=x"], open, {}, "")).toEqual({ b: "x" });
  });

  it("returns JSON or a clear error for any schema a server may send", () => {
    const schemas = fc.oneof(
      fc.jsonValue({ maxDepth: 4 }),
      fc.record({
        properties: fc.dictionary(fc.constantFrom("a", "b"), fc.jsonValue({ maxDepth: 3 })),
        required: fc.array(fc.constantFrom("a", "b")),
      }),
      fc.constant({ properties: { a: { $ref: "#/properties/a" }, b: { $ref: "#/nowhere/~1" } } }),
    );
    fc.assert(
      fc.property(schemas, fc.array(fc.string()), (schema, words) => {
        const outcome = attempt(() => argumentsFrom(words, schema, {}, ""));
        expect(outcome).toSatisfy((value) => isWorkbenchError(value) || isJson(value));
      }),
    );
  });
});
