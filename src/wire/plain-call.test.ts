import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { jsonTexts, objectWith, plainObjectWith } from "../../test/support/json-arbitraries.ts";
import { memberText } from "../../test/support/json-text.ts";
import { acceptUseTool } from "../workbench/input.ts";
import { classify } from "./messages.ts";
import { type PlainCall, readPlainCall, usedTool } from "./plain-call.ts";

const { object, value, space } = jsonTexts();
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

describe("usedTool", () => {
  const identifier = plainObjectWith(
    { toolbox: plainName, server: plainName, name: plainName },
    space,
  );

  it("finds the tool and its arguments", () => {
    const input = plainObjectWith({ tool: identifier, arguments: object }, space);
    fc.assert(
      fc.property(callWith(input, fc.constant('"use_tool"')), (text) => {
        const call = read(text);
        expect(usedTool(call)).toEqual(acceptUseTool(call.params["arguments"]));
        expect(text.slice(call.innerStart, call.innerEnd)).toBe(
          memberText(text, "params", "arguments", "arguments"),
        );
      }),
    );
  });

  it("accepts nothing that the full check rejects, and never reads it differently", () => {
    const input = fc.oneof(
      object,
      objectWith({ tool: fc.oneof(identifier, value), arguments: value }, space),
      objectWith({ tool: identifier, arguments: object, more: value }, space),
      objectWith({ tool: identifier }, space),
      objectWith(
        { tool: objectWith({ toolbox: value, server: plainName, name: plainName }, space) },
        space,
      ),
      objectWith(
        {
          tool: objectWith(
            { toolbox: plainName, server: plainName, name: plainName, x: plainName },
            space,
          ),
        },
        space,
      ),
    );
    fc.assert(
      fc.property(callWith(input), (text) => {
        const call = read(text);
        const full = acceptUseTool(call.params["arguments"]);
        expect([undefined, full]).toContainEqual(usedTool(call));
      }),
      { numRuns: 500 },
    );
  });

  it("leaves duplicate keys to the full check", () => {
    const tool = '{"toolbox":"a","server":"b","name":"c"}';
    const call = (input: string): PlainCall =>
      read(
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"use_tool","arguments":${input}}}`,
      );
    expect(usedTool(call(`{"tool":${tool}}`))).toEqual({ toolbox: "a", server: "b", name: "c" });
    expect(usedTool(call(`{"tool":${tool},"tool":${tool}}`))).toBeUndefined();
    expect(usedTool(call(`{"tool":${tool},"t\\u006fol":1}`))).toBeUndefined();
    expect(
      usedTool(call('{"tool":{"toolbox":"a","server":"b","name":"c","name":"d"}}')),
    ).toBeUndefined();
    expect(usedTool(call('{"tool":{}}'))).toBeUndefined();
  });
});
