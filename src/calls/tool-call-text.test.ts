import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { requestIn } from "../../test/support/fake-client.ts";
import { jsonTexts, plainObjectWith } from "../../test/support/json-arbitraries.ts";
import { memberText } from "../../test/support/json-text.ts";
import type { IncomingRequest } from "../wire/messages.ts";
import { readPlainCall } from "../wire/plain-messages.ts";
import type { ArgumentsAt } from "./destination.ts";
import { toolCallText } from "./request-text.ts";

const { object, value, space } = jsonTexts({ lineBreaks: false });

/** A `tools/call` of a client whose parameters are the given ones. */
const requestText = (params: Record<string, fc.Arbitrary<string>>): fc.Arbitrary<string> =>
  plainObjectWith(
    {
      jsonrpc: fc.constant('"2.0"'),
      id: fc.constant("5"),
      method: fc.constant('"tools/call"'),
      params: plainObjectWith(params, space),
    },
    space,
  );

/** The arguments, and the request that holds them at one of the two places. */
const requests = fc.tuple(object, value, fc.boolean()).chain(([args, extra, direct]) => {
  const at: ArgumentsAt = direct ? "params.arguments" : "params.arguments.arguments";
  const params = {
    name: fc.constant(direct ? '"dev__fx__echo"' : '"use_tool"'),
    arguments: direct
      ? fc.constant(args)
      : plainObjectWith({ tool: object, arguments: fc.constant(args) }, space),
    extra: fc.constant(extra),
    _meta: object,
  };
  return requestText(params).map((text) => ({ args, extra, at, text }));
});

describe("toolCallText", () => {
  it("copies the client's arguments and other parameters byte for byte", () => {
    fc.assert(
      fc.property(requests, fc.string(), ({ args, extra, at, text }, name) => {
        const nameJson = JSON.stringify(name);
        const sent = toolCallText(requestIn(text), 42, nameJson, at, ',"_meta":{"m":1}');
        expect(memberText(sent, "params", "arguments")).toBe(args);
        expect(memberText(sent, "params", "extra")).toBe(extra);
        expect(JSON.parse(sent)).toMatchObject({
          jsonrpc: "2.0",
          id: 42,
          method: "tools/call",
          params: { name, _meta: { m: 1 } },
        });
        const { params } = JSON.parse(sent) as { params: object };
        expect(Object.keys(params).sort()).toEqual(["_meta", "arguments", "extra", "name"]);
      }),
      { numRuns: 500 },
    );
  });

  it.each<[string, ArgumentsAt, string]>([
    ["{}", "params.arguments", "{}"],
    ['{"arguments":{"tool":{}}}', "params.arguments.arguments", "{}"],
    ['{"arguments":{"tool":{},"arguments":{}}}', "params.arguments.arguments", "{}"],
    ['{"arguments":null}', "params.arguments", "null"],
  ])("finds in the parameters %s at %s the arguments %s", (params, at, args) => {
    const text = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
    const sent = toolCallText(requestIn(text), 2, '"x"', at, "");
    expect(memberText(sent, "params", "arguments")).toBe(args);
  });

  it.each<[ArgumentsAt, string]>([
    ["params.arguments", '{"tool":{},"arguments":{"n":1.0}}'],
    ["params.arguments.arguments", '{"n":1.0}'],
  ])("finds the arguments of a plain call at %s", (at, args) => {
    const text =
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"n","arguments":{"tool":{},"arguments":{"n":1.0}}}}';
    const plain = readPlainCall(text) as IncomingRequest;
    const sent = toolCallText(plain, 5, '"x"', at, "");
    expect(memberText(sent, "params", "arguments")).toBe(args);
    expect(sent).toBe(toolCallText(requestIn(text), 5, '"x"', at, ""));
  });

  it.each([
    '{"tool":{},"arguments":{"n":1},"arguments":{"n":2}}',
    '{"tool":{},"\\u0061rguments":{"n":2}}',
    '{"arguments":{"n":1},"tool":{},"\\u0061rguments":{"n":2}}',
  ])("sends of a plain call with %s what parsing finds", (input) => {
    const text = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"n","arguments":${input}}}`;
    const plain = readPlainCall(text) as IncomingRequest;
    const sent = toolCallText(plain, 5, '"x"', "params.arguments.arguments", "");
    expect(memberText(sent, "params", "arguments")).toBe('{"n":2}');
  });

  it("gives a plain call without arguments an empty arguments object", () => {
    const text = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"n"}}';
    const plain = readPlainCall(text) as IncomingRequest;
    expect(toolCallText(plain, 5, '"x"', "params.arguments", "")).toBe(
      toolCallText(requestIn(text), 5, '"x"', "params.arguments", ""),
    );
  });
});
