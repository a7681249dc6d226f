import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { jsonTexts, plainObjectWith } from "../../test/support/json-arbitraries.ts";
import { RPC } from "../errors.ts";
import {
  classifyStrict,
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

type Key = keyof typeof USUAL;

describe("classify", () => {
  it("never throws, and classifies any JSON as one of the four kinds", () => {
    const seen = new Map<string, number>();
    const message = fc
      .oneof(
        fc.subarray(Object.keys(USUAL) as Key[]),
        // Few random combinations are messages at all.
        fc.constantFrom<Key[]>(
          ["id", "method"],
          ["id", "method", "params"],
          ["method", "params"],
          ["id", "result"],
          ["id", "error"],
        ),
      )
      .chain((keys) =>
        plainObjectWith(
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
      { numRuns: 4000 },
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
    ['{"id":1,"result":{},"error":{}}', "invalid"],
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
    ['{"id":1,"method":"x","result":{}}', "invalid"],
    ['{"method":"x","error":{}}', "invalid"],
  ])("classifies %s as %s", (text, kind) => {
    expect(read(text).kind).toBe(kind);
  });

  it.each<[string, string]>([
    ['{"id":1,"method":"x","id":2}', "the key 'id' occurs twice"],
    ['{"id":1,"method":"x","ID":2}', "'ID' could be mistaken for 'id'"],
    ['{"id":1,"method":"x","\\u006dethod":"y"}', "the key 'method' contains escapes"],
    ['{"id":1,"result":{},"Result":{}}', "'Result' could be mistaken for 'result'"],
    ['{"id":1,"error":{"code":1,"Code":2}}', "'error.Code' could be mistaken for 'code'"],
  ])("refuses %s, which readers understand differently", (text, reason) => {
    expect(read(text)).toMatchObject({ kind: "invalid", reason, code: RPC.invalidRequest });
  });

  it.each<[string, string]>([
    ['{"name":"a","Name":"b"}', "'params.Name' could be mistaken for 'name'"],
    ['{"NAME":"b"}', "'params.NAME' could be mistaken for 'name'"],
    ['{"argumentſ":{}}', "'params.argumentſ' could be mistaken for 'arguments'"],
    ['{"tasKId":1}', "'params.tasKId' could be mistaken for 'taskId'"],
    ['{"urı":1}', "'params.urı' could be mistaken for 'uri'"],
    ['{"name\\u0000":1}', "'params.name\\u0000' could be mistaken for 'name'"],
    ['{"\\u006eame":"a"}', "the key 'params.name' contains escapes"],
    ['{"cursor":"a","cursor":"a"}', "the key 'params.cursor' occurs twice"],
    ['{"_meta":{},"_Meta":{}}', "'params._Meta' could be mistaken for '_meta'"],
    [
      '{"_meta":{"ProgressToken":1}}',
      "'params._meta.ProgressToken' could be mistaken for 'progressToken'",
    ],
    ['{"ref":{"name":"a","NAME":"b"}}', "'params.ref.NAME' could be mistaken for 'name'"],
  ])("refuses the parameters %s, of any message", (params, reason) => {
    for (const text of [
      `{"id":1,"method":"x/y","params":${params}}`,
      `{"method":"notifications/x","params":${params}}`,
    ])
      expect(read(text)).toMatchObject({ kind: "invalid", reason, code: RPC.invalidParams });
  });

  it("accepts other keys however they are written", () => {
    const params =
      '{"x":1,"x":2,"\\u0078":3,"X":4,"names":5,"arguments":{"name":1,"Name":2,"name":3}}';
    expect(read(`{"id":1,"method":"x","params":${params},"extra":1}`).kind).toBe("request");
  });

  it("reports which request an unusable response belongs to", () => {
    expect(read('{"id":"q","result":{},"Id":1}')).toMatchObject({ kind: "invalid", answers: "q" });
    expect(read('{"id":"q","method":"x","Id":1}')).not.toHaveProperty("answers");
  });

  it.each([
    ['"method":null,"result":{}', "both a method and a result"],
    ['"result":{},"error":{"code":1,"message":"m"}', "both a result and an error"],
    ['"error":"no"', "the error must be an object"],
    ['"error":null', "the error must be an object"],
  ])("refuses the response {%s}, and tells what it would have answered", (outcome, reason) => {
    const message = read(`{"jsonrpc":"2.0","id":"q",${outcome}}`);
    expect(message).toMatchObject({ kind: "invalid", answers: "q", reason });
  });

  it("tells what a response without its version would have answered", () => {
    const text = '{"id":"q","result":{}}';
    const message = classifyStrict(JSON.parse(text), text);
    expect(message).toMatchObject({ kind: "invalid", answers: "q" });
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
    expect(read(`{"id" : ${id} ,"method":"x"}`)).toMatchObject({ request: { idText } });
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
          resultText("1", { data }),
          errorText("1", { code: 1, message, data }),
          notificationText(message, { data }),
        ])
          expect(text).not.toMatch(/[\r\n]/);
      }),
    );
  });
});
