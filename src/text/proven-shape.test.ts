import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { addToShape, newShape, shapeText } from "./json-shape.ts";
import { provenShape } from "./proven-shape.ts";

function shown(...results: unknown[]): string {
  const shape = newShape();
  for (const result of results) addToShape(shape, result);
  return shapeText(provenShape(shape), { maxChars: 400 });
}

const person = (age: number) => ({ age, role: "admin" });

describe("provenShape", () => {
  it.each([
    ["one result", [{ total: 3, note: "a" }], "{…}"],
    [
      "fields of several kinds that recur",
      [
        { total: 3, note: "a" },
        { total: 4, note: "b" },
      ],
      "{total:number, note:string}",
    ],
    [
      "the rows of one list",
      [
        [
          { id: 1, name: "a" },
          { id: 2, name: "b" },
        ],
      ],
      "{id:number, name:string}[]",
    ],
    ["rows of one kind", [[1, 2, 3].map((x) => ({ x, y: x }))], "{x:number, y:number}[]"],
    ["one field", [{ content: "a" }, { content: "b" }, { content: "c" }], "{content:string}"],
    [
      "a field that is missing sometimes",
      [
        [
          { id: 1, a: "" },
          { id: 2, a: "", b: true },
          { id: 3, a: "", b: false },
        ],
      ],
      "{id:number, a:string, b?:boolean}[]",
    ],
    [
      "a field that occurs once",
      [
        [
          { id: 1, a: "" },
          { id: 2, a: "" },
          { id: 3, a: "", b: true },
        ],
      ],
      "{id:number, a:string, …}[]",
    ],
    [
      "lists of different records",
      [
        { nodes: [{ id: 1 }], edges: [{ from: 1, to: 2 }] },
        { nodes: [{ id: 2 }], edges: [{ from: 1, to: 3 }] },
      ],
      "{nodes:{…}[], edges:{…}[]}",
    ],
    ["values without fields", [[], {}, "a", 1, null], "{}|[]|string|number|null"],
  ])("shows what recurs: %s", (_, results, expected) => {
    expect(shown(...(results as unknown[]))).toBe(expected);
  });

  const maps: [string, unknown[], string][] = [
    ["records", [{ alice: person(1), bob: person(2) }], "{[key]:{age:number, role:string}}"],
    [
      "records, with the same names in every result",
      [1, 2, 3, 4].map((age) => ({ alice: person(age), bob: person(2) })),
      "{[key]:{age:number, role:string}}",
    ],
    ["numbers", [1, 2, 3, 4].map((age) => ({ alice: age, bob: 1 })), "{[key]:number}"],
    ["texts", [1, 2, 3, 4].map((age) => ({ alice: String(age), bob: "1" })), "{[key]:string}"],
    [
      "numbers, or nothing",
      [1, 2, 3].map((age) => ({ alice: age, bob: null })),
      "{[key]:number|null}",
    ],
    ["lists", [1, 2, 3].map((age) => ({ alice: [age], bob: [] })), "{[key]:number[]}"],
    ["one record", [{ alice: person(1) }], "{…}"],
    [
      "one record, with the same name in every result",
      [1, 2, 3, 4].map((age) => ({ alice: person(age) })),
      "{[key]:{age:number, role:string}}",
    ],
    [
      "one record, another each time",
      [{ alice: person(1) }, { bob: person(2) }],
      "{[key]:{age:number, role:string}}",
    ],
    [
      "values of several kinds, with other names each time",
      [
        { alice: 1, bob: "a" },
        { carol: 1, eve: "a" },
        { alice: 2, mallory: "a" },
      ],
      "{[key]:string|number}",
    ],
    [
      "records, inside of a record",
      [1, 2].map((id) => ({ id, users: { alice: person(id), bob: person(2) } })),
      "{id:number, users:{[key]:{age:number, role:string}}}",
    ],
    [
      "flags, in every row",
      [[1, 2, 3].map((id) => ({ id, read: { alice: true, bob: id > 1 } }))],
      "{id:number, read:{[key]:boolean}}[]",
    ],
  ];
  it.each(maps)("shows no names of a map to %s", (_, results, expected) => {
    expect(shown(...results)).toBe(expected);
  });

  it("shows no key of a single result, whatever it is", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const text = shown({ alicekey: value, other: 1 });
        expect(text).not.toContain("alicekey");
      }),
    );
  });
});
