import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { anyText } from "../../test/fixtures/any-text.ts";
import { signatureOf } from "./signature.ts";

const object = (
  properties: object,
  required: readonly string[] = [],
  more: object = {},
): object => ({
  type: "object",
  properties,
  required,
  ...more,
});

describe("signatureOf", () => {
  it.each([
    [{ type: "string" }, "string"],
    [{ type: "integer" }, "integer"],
    [{ type: "array", items: { type: "string" } }, "string[]"],
    [{ type: "array", items: { type: ["string", "number"] } }, "(string|number)[]"],
    [{ type: "array" }, "any[]"],
    [{ items: { type: "boolean" } }, "boolean[]"],
    [{ enum: ["a", "b"] }, '"a"|"b"'],
    [{ enum: [1, null, true] }, "1|null|true"],
    [{ const: "fixed" }, '"fixed"'],
    [{ type: "string", enum: Array.from({ length: 30 }, (_, i) => `v${i}`) }, "string"],
    [{ enum: ["much too long to be shown here", "b"] }, "string"],
    [{ type: "array", items: { enum: ["x", "y"] } }, '("x"|"y")[]'],
    [{ type: ["string", "null"] }, "string"],
    [{ anyOf: [{ type: "string" }, { type: "integer" }, { type: "null" }] }, "string|integer"],
    [{ oneOf: [{ type: "string" }, {}] }, "any"],
    [{ allOf: [{ type: "string" }, { minLength: 1 }] }, "string"],
    [{ properties: { deep: { type: "string" } } }, "object"],
    [{ $ref: "#/$defs/Mode" }, '"fast"|"slow"'],
    [{ $ref: "#/$defs/with~1slash" }, "number"],
    [{ $ref: "#/$defs/missing" }, "any"],
    [{ $ref: "https://example.com/schema" }, "any"],
    [{ $ref: "#/$defs/Loop" }, "any"],
    [{ type: "weird" }, "any"],
    [true, "any"],
    [null, "any"],
  ])("shows %j as %s", (schema, expected) => {
    const $defs = {
      Mode: { enum: ["fast", "slow"] },
      "with/slash": { type: "number" },
      Loop: { $ref: "#/$defs/Loop" },
    };
    expect(signatureOf(object({ p: schema }, ["p"], { $defs }))).toBe(`p: ${expected}`);
  });

  it("puts required parameters first and marks optional ones", () => {
    const type = "string";
    const schema = object({ head: { type }, path: { type }, tail: { type } }, ["path", "unknown"]);
    expect(signatureOf(schema)).toBe("path: string, head?: string, tail?: string");
  });

  it("shows with an ellipsis that parameters were left out", () => {
    const properties = { alpha: { type: "string" }, beta: { type: "string" } };
    expect(signatureOf(object(properties), 20)).toBe("alpha?: string, …");
    expect(signatureOf(object(properties), 5)).toBe("…");
  });

  it("quotes names that could be mistaken for something else", () => {
    expect(signatureOf(object({ "a)\n— b": { type: "string" } }))).toBe('"a) — b"?: string');
  });

  it.each([undefined, null, 7, "x", [], {}, { properties: [] }, { properties: null }])(
    "is empty for %j",
    (schema) => {
      expect(signatureOf(schema)).toBe("");
    },
  );

  it("is one line within the limit for any JSON schema", () => {
    const schemas = fc.letrec((tie) => ({
      schema: fc.oneof(
        { maxDepth: 4, depthSize: "small" },
        fc.jsonValue({ maxDepth: 2 }),
        fc.record(
          {
            type: fc.oneof(
              fc.constantFrom("array", "string", "object"),
              fc.array(fc.constantFrom("array", "null", 3)),
            ),
            properties: fc.dictionary(anyText(20), tie("schema")),
            required: fc.array(fc.string()),
            items: tie("schema"),
            anyOf: fc.array(tie("schema"), { maxLength: 6 }),
            allOf: fc.array(tie("schema"), { maxLength: 6 }),
            enum: fc.array(fc.jsonValue()),
            $ref: fc.constantFrom("#/", "#/properties", "#/items", "#/anyOf/0", "#"),
          },
          { requiredKeys: [] },
        ),
      ),
    })).schema;
    fc.assert(
      fc.property(schemas, fc.integer({ min: 1, max: 200 }), (schema, limit) => {
        const signature = signatureOf({ properties: { schema, again: schema } }, limit);
        expect(signature.length).toBeLessThanOrEqual(limit);
        expect(signature).not.toMatch(/[\n\r\u2028\u2029\p{Cc}]/u);
      }),
    );
  });

  it("handles cyclic, deep and huge schemas", () => {
    const cyclic: Record<string, unknown> = { type: "array" };
    cyclic["items"] = cyclic;
    cyclic["anyOf"] = [cyclic, cyclic, cyclic, cyclic, cyclic];
    const selfTyped: Record<string, unknown> = {};
    selfTyped["type"] = [[selfTyped]];
    let deep: unknown = { type: "string" };
    for (let i = 0; i < 100_000; i++) deep = { anyOf: [deep, { type: "array", items: deep }] };
    const wide = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`p${i}`, { deep }]));
    expect(signatureOf(object({ cyclic, selfTyped, deep }))).toBe(
      "cyclic?: any[][][][], selfTyped?: any, deep?: any",
    );
    expect(signatureOf(object(wide)).length).toBeLessThanOrEqual(120);
  });
});
