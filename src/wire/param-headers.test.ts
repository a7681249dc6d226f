import { describe, expect, it } from "vitest";

import { paramHeadersOf } from "./param-headers.ts";

const object = (properties: Record<string, unknown>, further = {}): Record<string, unknown> => ({
  type: "object",
  properties,
  ...further,
});
const marked = (name: unknown, type: unknown = "string"): Record<string, unknown> => ({
  type,
  "x-mcp-header": name,
});

describe("paramHeadersOf", () => {
  it("finds annotated properties at any depth", () => {
    const schema = object({
      region: marked("Region"),
      plain: { type: "string" },
      where: object({
        zone: marked("Zone-1", "integer"),
        in: object({ dry: marked("dry", "boolean") }),
      }),
    });
    expect(paramHeadersOf(schema)).toHaveProperty("headers", [
      { header: "mcp-param-region", path: ["region"] },
      { header: "mcp-param-zone-1", path: ["where", "zone"] },
      { header: "mcp-param-dry", path: ["where", "in", "dry"] },
    ]);
  });

  it.each([undefined, null, 7, [], {}, object({})])(
    "finds no header in the schema %j",
    (schema) => {
      expect(paramHeadersOf(schema)).toMatchObject({ headers: [] });
    },
  );

  it("ignores properties, definitions and values that are named like the keyword", () => {
    const schema = object(
      {
        "x-mcp-header": { type: "string" },
        a: { type: "object", default: { "x-mcp-header": 1 }, enum: [{ "x-mcp-header": 1 }] },
      },
      { $defs: { "x-mcp-header": { type: "string" } } },
    );
    expect(paramHeadersOf(schema)).toMatchObject({ headers: [] });
  });

  it.each([
    ["an empty name", object({ a: marked("") })],
    ["a name with a space", object({ a: marked("My Region") })],
    ["a name with a colon", object({ a: marked("a:b") })],
    ["a name with a letter outside of ASCII", object({ a: marked("Région") })],
    ["a name with a control character", object({ a: marked("a\t1") })],
    ["a name that is not text", object({ a: marked(7) })],
    ["a number", object({ a: marked("A", "number") })],
    ["an object", object({ a: marked("A", "object") })],
    ["null", object({ a: marked("A", "null") })],
    ["several types", object({ a: marked("A", ["string", "null"]) })],
    ["no type", object({ a: { "x-mcp-header": "A" } })],
    ["the same name twice", object({ a: marked("A"), b: marked("A") })],
    ["the same name in another case", object({ a: marked("MyField"), b: marked("myfield") })],
    ["the root", marked("A")],
    ["the items of an array", object({ a: { type: "array", items: marked("A") } })],
    [
      "a property below the items of an array",
      object({ a: { items: object({ b: marked("B") }) } }),
    ],
    ["a choice", object({ a: { anyOf: [marked("A"), { type: "integer" }] } })],
    ["a condition", object({}, { if: object({ a: marked("A") }) })],
    ["a definition", object({}, { $defs: { a: marked("A") } })],
    ["further properties", object({}, { additionalProperties: marked("A") })],
  ])("rejects a schema with an x-mcp-header annotation: %s", (_, schema) => {
    expect(paramHeadersOf(schema)).toEqual(expect.any(String));
  });

  it("rejects a schema nested too deeply without exhausting the stack", () => {
    let schema: Record<string, unknown> = { type: "string" };
    for (let i = 0; i < 100_000; i++) schema = object({ a: schema });
    expect(paramHeadersOf(schema)).toContain("nested too deeply");
  });
});
