import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { returnTypeOf } from "./return-type.ts";

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

describe("returnTypeOf", () => {
  it.each([
    [object({ content: { type: "string" } }, ["content"]), "{content:string}"],
    [object({ n: { type: "integer" }, b: { type: "boolean" } }, ["n"]), "{n:number, b?:boolean}"],
    [
      object({ rows: { type: "array", items: object({ id: { type: "number" } }, ["id"]) } }, [
        "rows",
      ]),
      "{rows:{id:number}[]}",
    ],
    [object({ x: { type: ["string", "null"] } }, ["x"]), "{x:string|null}"],
    [
      object({ x: { anyOf: [{ type: "string" }, { type: "number" }] } }, ["x"]),
      "{x:string|number}",
    ],
    [object({ x: { enum: ["a", "b"] } }, ["x"]), "{x:string}"],
    [object({ x: {} }, ["x"]), "{x:…}"],
    [object({ x: { type: "object" } }, ["x"]), "{x:{…}}"],
    [object({ "a-b": { type: "string" } }, ["a-b"]), '{"a-b":string}'],
    [{ type: "object", additionalProperties: { type: "number" } }, "{[key]:number}"],
    [
      object({ x: { $ref: "#/$defs/X" } }, ["x"], { $defs: { X: { type: "number" } } }),
      "{x:number}",
    ],
    [{ type: "array", items: { type: "string" } }, "string[]"],
    [object({}), "{…}"],
  ])("shows %j as %s", (schema, expected) => {
    expect(returnTypeOf(schema)).toBe(expected);
  });

  it.each([undefined, null, 7, "x", [], {}, true])("is empty for %j", (schema) => {
    expect(returnTypeOf(schema)).toBe("");
  });

  it("shows less of a large schema, but never more than the limit", () => {
    const properties = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [`field${i}`, object({ inner: { type: "string" } })]),
    );
    expect(returnTypeOf(object(properties), 80)).toMatch(/^\{field0\?:\{…\}, .*, …\}$/);
    for (const limit of [1, 3, 10, 40, 80])
      expect(returnTypeOf(object(properties), limit).length).toBeLessThanOrEqual(limit);
  });

  it("handles cyclic schemas and any JSON", () => {
    const loop = object({ next: { $ref: "#" } }, ["next"], {});
    expect(returnTypeOf({ ...loop, properties: { next: { $ref: "#/properties/next" } } })).toBe(
      "{next:…}",
    );
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 1, max: 80 }), (value, limit) => {
        const text = returnTypeOf(object({ value, again: value }), limit);
        expect(text.length).toBeLessThanOrEqual(limit);
        expect(text).not.toMatch(/[\n\r\u2028\u2029\p{Cc}]/u);
      }),
    );
  });
});
