import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { jsonTexts, plainObjectWith } from "../../test/support/json-arbitraries.ts";
import { memberText } from "../../test/support/json-text.ts";
import { classify } from "./messages.ts";
import { type PlainCall, readPlainCall } from "./plain-messages.ts";

const { object, space } = jsonTexts();
const version = fc.constant('"2.0"');
const method = fc.constant('"tools/call"');
const plainName = fc
  .string({ minLength: 1 })
  .map((name) => JSON.stringify(name))
  .filter((text) => !text.includes("\\"));
const id = fc.oneof(fc.nat().map(String), plainName);

const callWith = (args: fc.Arbitrary<string>, name = plainName): fc.Arbitrary<string> =>
  plainObjectWith(
    { jsonrpc: version, id, method, params: plainObjectWith({ name, arguments: args }, space) },
    space,
  );

function read(text: string): PlainCall {
  const call = readPlainCall(text);
  if (call === undefined) throw new Error(`not plain: ${text}`);
  return call;
}

describe("readPlainCall", () => {
  it("finds the same as parsing", () => {
    fc.assert(
      fc.property(callWith(object), (text) => {
        const call = read(text);
        const incoming = classify(JSON.parse(text), text);
        if (incoming.kind !== "request") throw new Error("not a request");
        const { request } = incoming;
        expect(call.id).toBe(request.id);
        expect(call.idText).toBe(request.idText);
        expect(text.slice(call.idStart, call.idEnd)).toBe(memberText(text, "id"));
        expect(call.method).toBe(request.method);
        expect(call.params).toEqual(request.params);
        expect(call.name).toBe(request.params["name"]);
        expect(text.slice(call.argumentsStart, call.argumentsEnd)).toBe(
          memberText(text, "params", "arguments"),
        );
      }),
    );
  });

  it("accepts a call without arguments", () => {
    const call = read('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}');
    expect(call).toMatchObject({ name: "x", argumentsStart: 0, argumentsEnd: 0 });
  });

  const around = (params: string): string =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;

  it.each([
    ["_meta", around('{"name":"x","_meta":{}}')],
    ["another parameter", around('{"name":"x","task":{}}')],
    ["no parameters", '{"jsonrpc":"2.0","id":1,"method":"tools/call"}'],
    ["parameters that are no object", around("[]")],
    ["no name", around("{}")],
    ["an empty name", around('{"name":""}')],
    ["two names", around('{"name":"x","name":"y"}')],
    ["a name with escapes", around('{"name":"\\u0078"}')],
    ["a name that is no string", around('{"name":1}')],
    ["arguments that are no object", around('{"name":"x","arguments":[]}')],
    ["arguments twice", around('{"name":"x","arguments":{},"arguments":{}}')],
    ["arguments that are not JSON", around('{"name":"x","arguments":{"a":01}}')],
    ["no id", '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"x"}}'],
    ["two ids", '{"id":2,"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}'],
    ["an id of null", '{"jsonrpc":"2.0","id":null,"method":"tools/call","params":{"name":"x"}}'],
    ["an id of 1.0", '{"jsonrpc":"2.0","id":1.0,"method":"tools/call","params":{"name":"x"}}'],
    ["another method", '{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"x"}}'],
    ["another version", '{"jsonrpc":"1","id":1,"method":"tools/call","params":{"name":"x"}}'],
    ["an unknown member", `${around('{"name":"x"}').slice(0, -1)},"x":1}`],
    ["text after it", `${around('{"name":"x"}')}x`],
    ["its end missing", around('{"name":"x"}').slice(0, -1)],
    ["a list around it", `[${around('{"name":"x"}')}]`],
  ])("leaves a call with %s to the full parser", (_what, text) => {
    expect(readPlainCall(text)).toBeUndefined();
  });
});
