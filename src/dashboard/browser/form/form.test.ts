import { describe, expect, it } from "vitest";
import { addItem, changeItem, changeMember, initialDraft, removeItem } from "./drafts.ts";
import type { DraftGroup, DraftList, Field } from "./field.ts";
import { draftFromJson, readArguments } from "./read-arguments.ts";
import { readDraft } from "./read-draft.ts";
import { hintOf } from "./hints.ts";
import { fieldsOf } from "./schema-fields.ts";

const form = (properties: object, required: string[] = [], more: object = {}): Field =>
  fieldsOf({ type: "object", properties, required, ...more });

/** The kinds of all members, by name. */
const kinds = (field: Field): Record<string, string> =>
  Object.fromEntries(field.kind === "group" ? field.fields.map((f) => [f.name, f.kind]) : []);

const draft = (members: DraftGroup["members"]): DraftGroup => ({ members });

describe("the fields of an input schema", () => {
  it("have a kind for each plain type", () => {
    const field = form({
      text: { type: "string" },
      count: { type: "integer" },
      ratio: { type: "number" },
      on: { type: "boolean" },
      size: { enum: ["s", 1, null] },
      one: { const: "x" },
      list: { type: "array", items: { type: "string" } },
      group: { type: "object", properties: { a: { type: "string" } } },
    });
    expect(kinds(field)).toEqual({
      text: "text",
      count: "number",
      ratio: "number",
      on: "boolean",
      size: "choice",
      one: "choice",
      list: "list",
      group: "group",
    });
  });

  it("are JSON for everything that is not clear", () => {
    const field = form({
      choice: { oneOf: [{ type: "string" }, { type: "number" }] },
      both: { allOf: [{ type: "string" }, { minLength: 1 }] },
      types: { type: ["string", "number"] },
      free: { type: "object" },
      map: { type: "object", additionalProperties: { type: "string" } },
      tuple: { type: "array", prefixItems: [{ type: "string" }], items: {} },
      untyped: {},
      boolean: true,
      remote: { $ref: "https://example.com/schema" },
      missing: { $ref: "#/$defs/missing" },
    });
    expect(new Set(Object.values(kinds(field)))).toEqual(new Set(["json"]));
  });

  it("are a choice if each schema is a value", () => {
    const field = form({
      level: { oneOf: [{ const: "low", title: "Low" }, { const: "high" }, { const: null }] },
    });
    expect(field.kind === "group" && field.fields[0]).toMatchObject({
      kind: "choice",
      choices: ["low", "high"],
      names: ["Low", "high"],
      isNullable: true,
    });
  });

  it("follow local references and understand optional values", () => {
    const field = form(
      {
        ref: { $ref: "#/$defs/Level" },
        wrapped: { allOf: [{ $ref: "#/$defs/Level" }], description: "its own" },
        optional: { anyOf: [{ type: "string" }, { type: "null" }] },
        types: { type: ["integer", "null"] },
        slash: { $ref: "#/$defs/a~1b" },
      },
      [],
      { $defs: { Level: { enum: ["low", "high"] }, "a/b": { type: "boolean" } } },
    );
    expect(kinds(field)).toEqual({
      ref: "choice",
      wrapped: "choice",
      optional: "text",
      types: "number",
      slash: "boolean",
    });
    const [, wrapped, optional] = field.kind === "group" ? field.fields : [];
    expect(wrapped?.description).toBe("its own");
    expect(optional?.isNullable).toBe(true);
  });

  it("end where a schema refers to itself, is too deep or too large", () => {
    const tree = {
      type: "object",
      properties: { child: { $ref: "#" }, next: { $ref: "#/$defs/n" } },
    };
    expect(fieldsOf({ ...tree, $defs: { n: { $ref: "#/$defs/n" } } }).kind).toBe("group");
    const loop = { type: "object", properties: { next: { $ref: "#/properties/next" } } };
    expect(kinds(fieldsOf(loop))).toEqual({ next: "json" });
    const node = { type: "object", properties: { child: { $ref: "#/$defs/node" } } };
    expect(JSON.stringify(fieldsOf({ ...node, $defs: { node } })).match(/"json"/g)).toHaveLength(1);
    const many = Array.from({ length: 300 }, (_, i) => [`p${i}`, { type: "string" }]);
    expect(form(Object.fromEntries(many)).kind).toBe("json");
  });

  it("exist for anything a server may send as a schema", () => {
    for (const schema of [
      undefined,
      null,
      1,
      "x",
      [],
      {},
      { type: 5 },
      { type: [] },
      { enum: "x" },
    ])
      expect(fieldsOf(schema).kind).toBe("json");
    const odd = form(
      { a: { type: "string", title: 1, description: {}, minLength: "x" } },
      7 as never,
    );
    expect(readDraft(odd, draft({ a: "text" }))).toEqual({ value: { a: "text" }, problems: [] });
    expect(kinds(fieldsOf({ type: "object" }))).toEqual({});
    expect(fieldsOf({ type: "object" }).kind).toBe("group");
    const proto = fieldsOf(
      JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}'),
    );
    expect(kinds(proto)).toEqual(JSON.parse('{"__proto__":"text"}'));
  });
});

describe("the values of a form", () => {
  it("start with the defaults", () => {
    const field = form({
      text: { type: "string", default: "a" },
      count: { type: "integer", default: 0 },
      on: { type: "boolean", default: false },
      level: { enum: ["low", "high"], default: "high" },
      list: { type: "array", items: { type: "string" }, default: ["x", "y"] },
      any: { default: { a: 1 } },
      group: { type: "object", properties: { n: { type: "number", default: 2 } } },
      wrong: { type: "string", default: 5 },
    });
    expect(readDraft(field, initialDraft(field))).toEqual({
      value: {
        text: "a",
        count: 0,
        on: false,
        level: "high",
        list: ["x", "y"],
        any: { a: 1 },
        group: { n: 2 },
      },
      problems: [],
    });
  });

  it("leave out what was not entered, and name what is required", () => {
    const properties = {
      text: { type: "string" },
      count: { type: "number" },
      level: { enum: ["low", "high"] },
      list: { type: "array", items: { type: "string" } },
      group: { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
      maybe: { type: ["string", "null"] },
    };
    const optional = form(properties);
    expect(readDraft(optional, initialDraft(optional))).toEqual({ value: {}, problems: [] });
    const required = form(properties, Object.keys(properties));
    const { value, problems } = readDraft(required, initialDraft(required));
    expect(problems.map(({ path }) => path)).toEqual(["/text", "/count", "/level", "/group/a"]);
    expect(value).toMatchObject({ list: [], maybe: null });
  });

  it("have the types of the schema", () => {
    const field = form({
      text: { type: "string" },
      count: { type: "integer" },
      on: { type: "boolean" },
      level: { enum: [1, "1", { a: 1 }] },
      any: {},
    });
    const entered = draft({ text: "5", count: " 5 ", on: "false", level: "2", any: "[1]" });
    expect(readDraft(field, entered)).toEqual({
      value: { text: "5", count: 5, on: false, level: { a: 1 }, any: [1] },
      problems: [],
    });
  });

  it.each([
    [{ type: "integer" }, "1.5", /whole number/],
    [{ type: "number" }, "abc", /Enter a number/],
    [{ type: "number" }, " ", /Enter a number/],
    [{ type: "number" }, "1e999", /Enter a number/],
    [{ type: "number", minimum: 2 }, "1", /of at least 2/],
    [{ type: "number", maximum: 2 }, "3", /of at most 2/],
    [{ type: "number", exclusiveMinimum: 2 }, "2", /above 2/],
    [{ type: "number", minimum: 2, exclusiveMinimum: true }, "2", /above 2/],
    [{ type: "number", exclusiveMaximum: 2 }, "2", /below 2/],
    [{ type: "number", multipleOf: 0.1 }, "0.25", /multiple of 0.1/],
    [{ type: "string", minLength: 3 }, "ab", /at least 3/],
    [{ type: "string", maxLength: 1 }, "ab", /no more than 1/],
    [{}, "text", /not JSON/],
  ])("of %o may not be %j", (schema, text, message) => {
    const { problems } = readDraft(form({ a: schema }), draft({ a: text }));
    expect(problems).toEqual([{ path: "/a", message: expect.stringMatching(message) as string }]);
  });

  it.each([
    [{ type: "number", multipleOf: 0.1 }, "0.3"],
    [{ type: "string", maxLength: 1 }, "😀"],
    [{ type: "string", pattern: "^(a+)+$" }, `${"a".repeat(64)}b`],
  ])("of %o may be %j", (schema, text) => {
    expect(readDraft(form({ a: schema }), draft({ a: text })).problems).toEqual([]);
  });

  it("count the items of lists", () => {
    const items = { type: "array", items: { type: "string" }, minItems: 1, maxItems: 1 };
    const field = form({ list: items }, ["list"]);
    const list = (...texts: string[]): DraftList => ({
      items: texts.map((text, key) => ({ key, draft: text })),
    });
    const problem = (...texts: string[]): unknown =>
      readDraft(field, draft({ list: list(...texts) })).problems[0]?.message;
    expect(problem()).toMatch(/at least 1/);
    expect(problem("a")).toBeUndefined();
    expect(problem("a", "b")).toMatch(/No more than 1/);
    expect(problem("")).toMatch(/required/);
  });
});

describe("a draft", () => {
  it("is changed without changing the draft before", () => {
    const field = form({ list: { type: "array", items: { type: "string", default: "new" } } });
    const list = field.kind === "group" ? field.fields[0] : undefined;
    if (list?.kind !== "list") throw new Error("not a list");
    const empty: DraftList = { items: [] };
    const two = addItem(addItem(empty, list.item), list.item);
    expect(two.items.map(({ key }) => key)).toEqual([0, 1]);
    const one = removeItem(changeItem(two, 1, "changed"), 0);
    expect(one).toEqual({ items: [{ key: 1, draft: "changed" }] });
    expect(addItem(one, list.item).items.map(({ key }) => key)).toEqual([1, 2]);
    expect(changeMember({ members: {} }, "a", "b")).toEqual({ members: { a: "b" } });
    expect(empty).toEqual({ items: [] });
  });
});

describe("the arguments of a call", () => {
  const field = form({ a: { type: "string" } }, ["a"]);

  it("come from the form, or from JSON", () => {
    const entered = draft({ a: "x" });
    expect(readArguments(field, entered, undefined)).toEqual({
      value: { a: "x" },
      text: '{"a":"x"}',
      problems: [],
    });
    expect(readArguments(field, entered, '{"b":1}').value).toEqual({ b: 1 });
    expect(readArguments(field, entered, " ").value).toEqual({});
  });

  it("keep all digits of numbers in JSON, and are not sent with fewer from the form", () => {
    const json = '{"a": 12345678901234567890}';
    expect(readArguments(field, draft({}), json).text).toBe(json);
    expect(readArguments(fieldsOf({}), json, undefined).text).toBe(json);
    const numbers = form({ n: { type: "integer" } });
    const read = (n: string) => readArguments(numbers, draft({ n }), undefined);
    expect(read("12345678901234567890").problems).toMatchObject([{ path: "/n" }]);
    expect(read("9007199254740991").value).toEqual({ n: 9007199254740991 });
    expect(read("1e21").value).toEqual({ n: 1e21 });
  });

  it("go from JSON into the form if nothing is lost", () => {
    const all = form({ a: { type: "string" }, n: { type: "integer", maximum: 9 }, any: {} });
    const take = (json: string) => draftFromJson(all, json);
    expect(take('{"any": {"y": 1, "x": [2]}, "a": "x"}').draft).toMatchObject({
      members: { a: "x", n: "" },
    });
    // The form says what is wrong with it.
    expect(take('{"n": 10}').draft).toMatchObject({ members: { n: "10" } });
    for (const [json, problem] of [
      ["{", /not JSON/],
      ['{"b": 1}', /no field for the value of b/],
      ['{"n": "ten"}', /no field for the value of n/],
      ['{"a": null}', /no field for the value of a/],
    ] as const) {
      const { draft: next, problems } = take(json);
      expect([json, next, problems[0]?.message]).toEqual([
        json,
        undefined,
        expect.stringMatching(problem),
      ]);
    }
  });

  it.each(["[1]", "1", "null", "{", "text"])("are not %s", (json) => {
    const { value, problems } = readArguments(field, draft({}), json);
    expect([value, problems.length]).toEqual([undefined, 1]);
  });

  it("are not sent with a problem, or if they are not an object", () => {
    expect(readArguments(field, draft({}), undefined).value).toBeUndefined();
    expect(readArguments(fieldsOf({}), "[1]", undefined).value).toBeUndefined();
    expect(readArguments(fieldsOf({}), '{"a":1}', undefined).value).toEqual({ a: 1 });
  });
});

describe("the hint of a field", () => {
  it.each([
    [{ type: "integer", minimum: 1, maximum: 5 }, "a whole number from 1 to 5"],
    [{ type: "number", exclusiveMinimum: 0 }, "a number above 0"],
    [{ type: "string", format: "date" }, "date"],
    [{ type: "string", pattern: "^a", maxLength: 3 }, "pattern ^a, at most 3 characters"],
    [{ type: "string" }, ""],
    [{ type: "boolean" }, ""],
    [{}, "JSON"],
  ])("of %o is %j", (schema, hint) => {
    const field = form({ a: schema });
    expect(field.kind === "group" && field.fields.map(hintOf)).toEqual([hint]);
  });
});
