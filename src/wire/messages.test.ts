import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { jsonTexts, objectWith } from "../../test/support/json-arbitraries.ts";
import {
  type Incoming,
  classify,
  errorText,
  isObject,
  notificationText,
  requestText,
  resultText,
} from "./messages.ts";

const { value, space } = jsonTexts();
const read = (text: string): Incoming => classify(JSON.parse(text), text);

/** Values that are frequent enough to make every kind of message. */
const USUAL = {
  jsonrpc: '"2.0"',
  id: "7",
  method: '"x"',
  params: "{}",
  result: "{}",
  error: "{}",
} as const;

describe("classify", () => {
  it("never throws, and classifies any JSON as one of the four kinds", () => {
    const seen = new Map<string, number>();
    const message = fc
      .subarray(Object.keys(USUAL) as (keyof typeof USUAL)[])
      .chain((keys) =>
        objectWith(
          Object.fromEntries(
            keys.map((key) => [
              key,
              fc.oneof(
                { arbitrary: fc.constant(USUAL[key]), weight: 2 },
                { arbitrary: value, weight: 1 },
                { arbitrary: fc.constantFrom('"x"', "7", "{}", "null", "-0", "1e400"), weight: 1 },
              ),
            ]),
          ),
          space,
        ),
      );
    fc.assert(
      fc.property(fc.oneof(message, value), (text) => {
        const { kind } = read(text);
        seen.set(kind, (seen.get(kind) ?? 0) + 1);
        expect(["request", "notification", "response", "invalid"]).toContain(kind);
      }),
      { numRuns: 2000 },
    );
    expect([...seen.values()].filter((count) => count > 20)).toHaveLength(4);
  });

  it.each<[string, string]>([
    ['{"id":1,"method":"x"}', "request"],
    ['{"id":"1","method":"x","params":{}}', "request"],
    ['{"id":0,"method":""}', "request"],
    ['{"method":"x"}', "notification"],
    ['{"method":"x","params":{}}', "notification"],
    ['{"id":1,"result":null}', "response"],
    ['{"id":1,"result":{},"error":{}}', "response"],
    ['{"id":"1","error":{}}', "response"],
    ["null", "invalid"],
    ["[]", "invalid"],
    ['[{"id":1,"method":"x"}]', "invalid"],
    ["{}", "invalid"],
    ['{"id":1}', "invalid"],
    ['{"id":null,"method":"x"}', "invalid"],
    ['{"id":{},"method":"x"}', "invalid"],
    ['{"id":1,"method":7}', "invalid"],
    ['{"id":1,"method":"x","params":[]}', "invalid"],
    ['{"method":"x","params":null}', "invalid"],
    ['{"id":null,"result":{}}', "invalid"],
    ['{"result":{}}', "invalid"],
  ])("classifies %s as %s", (text, kind) => {
    expect(read(text).kind).toBe(kind);
  });

  it("keeps the text of a request and adds empty parameters", () => {
    const text = '{ "id" : "a\\u0062", "method":"x" }';
    expect(read(text)).toEqual({
      kind: "request",
      request: { id: "ab", idText: '"ab"', method: "x", params: {}, text },
    });
  });

  it.each<[string, string]>([
    ["7", "7"],
    ["-1", "-1"],
    ["0.50", "0.50"],
    ["9007199254740993", "9007199254740993"],
    ["123456789012345678901234567890", "123456789012345678901234567890"],
    ["1e400", "1e400"],
    ['"x"', '"x"'],
    ['"a\\"b"', '"a\\"b"'],
    ['"9007199254740993"', '"9007199254740993"'],
  ])("keeps the id %s as %s", (id, idText) => {
    expect(read(`{"i\\u0064" : ${id} ,"method":"x"}`)).toMatchObject({ request: { idText } });
    expect(read(`{"id":${id},"method":5}`)).toMatchObject({ kind: "invalid", idText });
  });

  it("reports the id of an invalid message only if it is a valid id", () => {
    expect(read('{"id":[7],"method":"x"}')).toMatchObject({ kind: "invalid", idText: "null" });
    expect(read('"text"')).toMatchObject({ kind: "invalid", idText: "null" });
  });
});

describe("isObject", () => {
  it.each([[{}], [Object.create(null)], [new Map()]])("is true for %j", (given) => {
    expect(isObject(given)).toBe(true);
  });

  it.each([[null], [undefined], [[]], ["x"], [0], [() => {}]])("is false for %j", (given) => {
    expect(isObject(given)).toBe(false);
  });
});

describe("the functions that write messages", () => {
  it("write JSON-RPC", () => {
    const texts = [
      resultText('"a"', { x: 1 }),
      errorText("null", { code: -1, message: "m", data: [1] }),
      requestText(7, "m", { p: 1 }),
      notificationText("n"),
      notificationText("n", { p: 1 }),
    ];
    expect(texts.map((text) => JSON.parse(text) as unknown)).toEqual([
      { jsonrpc: "2.0", id: "a", result: { x: 1 } },
      { jsonrpc: "2.0", id: null, error: { code: -1, message: "m", data: [1] } },
      { jsonrpc: "2.0", id: 7, method: "m", params: { p: 1 } },
      { jsonrpc: "2.0", method: "n" },
      { jsonrpc: "2.0", method: "n", params: { p: 1 } },
    ]);
  });

  it("write one line, whatever the message contains", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), (data, message) => {
        for (const text of [
          resultText("1", data),
          errorText("1", { code: 1, message, data }),
          notificationText(message, { data }),
        ])
          expect(text).not.toMatch(/[\r\n]/);
      }),
    );
  });
});
