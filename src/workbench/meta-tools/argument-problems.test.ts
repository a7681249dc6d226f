import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { argumentProblems } from "./argument-problems.ts";
import { misfitOf } from "./misfit-note.ts";

const SCHEMA = {
  type: "object",
  properties: {
    id: { type: "string", minLength: 1 },
    limit: { type: "integer", minimum: 1, maximum: 50 },
    state: { enum: ["open", "closed"] },
    labels: { type: "array", items: { type: "string" }, maxItems: 3 },
    author: {
      type: "object",
      properties: { name: { type: "string" }, age: { $ref: "#/$defs/age" } },
      required: ["name"],
    },
    either: { anyOf: [{ type: "string" }, { type: "null" }] },
    many: { type: ["string", "number"] },
    nullable: { type: "string", nullable: true },
    free: {},
  },
  required: ["id"],
  $defs: { age: { type: "integer" } },
};

describe("the problems of arguments", () => {
  it.each<[string, object, string[]]>([
    ["a missing argument", {}, ["id: Required (string)"]],
    ["a misspelt one", { id: "1", limt: 3 }, ["limt: Unknown argument. Did you mean 'limit'?"]],
    [
      "an unknown one",
      { id: "1", colour: 3 },
      [
        "colour: Unknown argument. The tool takes id, limit, state, labels, author, either, many, nullable, free",
      ],
    ],
    ["another type", { id: 1 }, ["id: Expected string, got 1"]],
    ["a number that is not whole", { id: "1", limit: 1.5 }, ["limit: Expected integer, got 1.5"]],
    [
      "a number that is too large",
      { id: "1", limit: 51 },
      ["limit: Expected integer (at most 50), got 51"],
    ],
    [
      "one that is too small",
      { id: "1", limit: 0 },
      ["limit: Expected integer (at least 1), got 0"],
    ],
    ["an empty text", { id: "" }, ['id: Expected string (at least 1 character), got ""']],
    [
      "a choice that does not exist",
      { id: "1", state: "opne" },
      ["state: Expected one of open, closed, got \"opne\". Did you mean 'open'?"],
    ],
    [
      "a list that is too long",
      { id: "1", labels: ["a", "b", "c", "d"] },
      ["labels: Expected list of string (at most 3 items), got a list"],
    ],
    ["an element", { id: "1", labels: ["a", 2] }, ["labels[1]: Expected string, got 2"]],
    ["a text for a list", { id: "1", labels: "a" }, ['labels: Expected list of string, got "a"']],
    [
      "an object inside",
      { id: "1", author: { nme: "x", age: "7" } },
      [
        "author.name: Required (string)",
        "author.nme: Unknown argument. Did you mean 'name'?",
        'author.age: Expected integer, got "7"',
      ],
    ],
    [
      "none of several types",
      { id: "1", either: 1, many: null },
      ["either: Expected string or null, got 1", "many: Expected string or number, got null"],
    ],
    ["an object for a text", { id: {} }, ["id: Expected string, got an object"]],
  ])("include %s", (_what, args, problems) => {
    expect(argumentProblems(args as Record<string, unknown>, SCHEMA)).toEqual(problems);
  });

  it("are none if everything fits, as far as it is understood", () => {
    const args = {
      id: "1",
      limit: 50,
      state: "open",
      labels: ["a"],
      author: { name: "x", age: 1 },
      either: null,
      many: 1,
      nullable: null,
      free: [{}],
    };
    expect(argumentProblems(args, SCHEMA)).toEqual([]);
    for (const schema of [
      undefined,
      true,
      null,
      7,
      {},
      { type: "object" },
      { properties: 1, required: "id" },
    ])
      expect(argumentProblems(args, schema)).toEqual([]);
    const odd = {
      properties: {
        a: { type: "unknown" },
        b: { pattern: "(a+)+$" },
        c: { $ref: "https://example.com" },
        d: false,
      },
    };
    expect(
      argumentProblems(
        { a: 1, b: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!", c: 1, d: 1 },
        odd,
      ),
    ).toEqual([]);
    expect(argumentProblems({ x: 1 }, { properties: { a: {} }, additionalProperties: {} })).toEqual(
      [],
    );
    const patterns = { properties: { a: {} }, patternProperties: { "^x": {} } };
    expect(argumentProblems({ x1: 1 }, { ...patterns, additionalProperties: false })).toEqual([]);
  });

  it("are few, however many there are", () => {
    const args = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${i}`, i]));
    expect(argumentProblems(args, SCHEMA)).toHaveLength(5);
  });

  it("are found in bounded time, whatever the schema is", () => {
    const all = {
      anyOf: Array.from({ length: 100 }, () => ({ $ref: "#" })),
      properties: { a: { $ref: "#" } },
      required: ["a"],
    };
    expect(argumentProblems({ a: { a: { a: {} } } }, { ...all, type: "object" })).toBeInstanceOf(
      Array,
    );
    const properties = Object.fromEntries(
      Array.from({ length: 100_000 }, (_, i) => [`property${i}`, { $ref: "#" }]),
    );
    expect(argumentProblems({ propertx: 1 }, { type: "object", properties })).toHaveLength(1);
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), (args, schema) => {
        expect(argumentProblems(args, schema).length).toBeLessThanOrEqual(5);
      }),
    );
  });
});

describe("the note about arguments that do not match", () => {
  it("consists of the signature and the problems, on one line", () => {
    expect(misfitOf({ name: "create_issue", inputSchema: SCHEMA }, { limt: 3 })?.note).toBe(
      'The arguments do not match create_issue(id: string, limit?: integer, state?: "open"|"closed", labels?: string[], author?: object, either?: string, many?: string|number, nullable?: string, free?: any): id: Required (string); limt: Unknown argument. Did you mean \'limit\'?',
    );
  });

  it("has the signature of a schema that is only a reference", () => {
    const inputSchema = {
      $ref: "#/definitions/Input",
      definitions: {
        Input: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
      },
    };
    expect(misfitOf({ name: "get", inputSchema }, {})?.note).toBe(
      "The arguments do not match get(id: string): id: Required (string)",
    );
  });

  it("does not exist if they match", () => {
    expect(misfitOf({ name: "x", inputSchema: SCHEMA }, { id: "1" })).toBeUndefined();
  });

  it("is short and has no line breaks, whatever the server writes", () => {
    const name = "evil\nname".repeat(100);
    const properties = { [`a\n${"b".repeat(1000)}`]: { enum: ["x\n".repeat(1000)] } };
    const inputSchema = { properties, required: Object.keys(properties) };
    const note = misfitOf({ name, inputSchema }, { "c\nd": 1 })?.note ?? "";
    expect(note).not.toContain("\n");
    expect(note.length).toBeLessThan(1500);
  });
});
