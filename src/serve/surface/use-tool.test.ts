import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { jsonTexts, objectWith, plainObjectWith } from "../../../test/support/json-arbitraries.ts";
import { memberText } from "../../../test/support/json-text.ts";
import { type PlainCall, readPlainCall } from "../../wire/plain-messages.ts";
import { parseUseTool } from "../../workbench/meta-tools/input.ts";
import { readUsedTool } from "./use-tool.ts";

const { object, value, space } = jsonTexts();
const plainName = fc
  .string({ minLength: 1 })
  .map((name) => JSON.stringify(name))
  .filter((text) => !text.includes("\\"));

function callWith(input: string): PlainCall {
  const call = readPlainCall(
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"use_tool","arguments":${input}}}`,
  );
  if (call === undefined) throw new Error(`not plain: ${input}`);
  return call;
}

describe("readUsedTool", () => {
  const identifier = plainObjectWith(
    { toolbox: plainName, server: plainName, name: plainName },
    space,
  );

  it("finds the tool and its arguments", () => {
    const input = plainObjectWith({ tool: identifier, arguments: object }, space);
    fc.assert(
      fc.property(input, (text) => {
        const call = callWith(text);
        expect(readUsedTool(call)).toEqual(parseUseTool(call.params["arguments"]));
        expect(call.text.slice(call.innerStart, call.innerEnd)).toBe(memberText(text, "arguments"));
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
      fc.property(input, (text) => {
        const call = callWith(text);
        const full = parseUseTool(call.params["arguments"]);
        expect([undefined, full]).toContainEqual(readUsedTool(call));
      }),
      { numRuns: 500 },
    );
  });

  it("leaves duplicate keys to the full check", () => {
    const tool = '{"toolbox":"a","server":"b","name":"c"}';
    expect(readUsedTool(callWith(`{"tool":${tool}}`))).toEqual({
      toolbox: "a",
      server: "b",
      name: "c",
    });
    expect(readUsedTool(callWith(`{"tool":${tool},"tool":${tool}}`))).toBeUndefined();
    expect(readUsedTool(callWith(`{"tool":${tool},"t\\u006fol":1}`))).toBeUndefined();
    expect(
      readUsedTool(callWith('{"tool":{"toolbox":"a","server":"b","name":"c","name":"d"}}')),
    ).toBeUndefined();
    expect(readUsedTool(callWith('{"tool":{}}'))).toBeUndefined();
  });
});
