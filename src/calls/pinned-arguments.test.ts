import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { IncomingRequest } from "../wire/messages.ts";
import type { ArgumentsAt } from "./destination.ts";
import { argumentsProblem, toolCallText } from "./request-text.ts";

function requestOf(text: string): IncomingRequest {
  const { params } = JSON.parse(text) as { params: IncomingRequest["params"] };
  return { id: 1, idText: "1", method: "tools/call", params, text };
}

const NATIVE: ArgumentsAt = "params.arguments";
const META: ArgumentsAt = "params.arguments.arguments";

function requestWith(argumentsText: string, at: ArgumentsAt): IncomingRequest {
  const inner =
    at === NATIVE ? argumentsText : `{"tool":{"name":"q"},"arguments":${argumentsText}}`;
  return requestOf(
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":${inner}}}`,
  );
}

function sent(argumentsText: string, at: ArgumentsAt, pinned: Record<string, unknown>): string {
  return toolCallText(requestWith(argumentsText, at), 7, '"q"', at, "", pinned);
}

function argumentsOf(message: string): unknown {
  return (JSON.parse(message) as { params: { arguments: unknown } }).params.arguments;
}

describe.each([NATIVE, META])("pinned arguments in %s", (at) => {
  it("override the client's value and leave its other arguments as written", () => {
    const message = sent('{ "n": 12345678901234567890, "database": "prod" }', at, {
      database: "prod_ro",
    });
    expect(message).toContain('"n": 12345678901234567890');
    expect(message).toContain('"database":"prod_ro"');
    expect(message).not.toContain('"prod"');
  });

  it.each(['{"datab\\u0061se":"prod"}', '{"database":"a","database":"prod"}', "{}", "null"])(
    "override the client's value however it is written: %s",
    (args) => {
      const message = sent(args, at, { database: "prod_ro" });
      expect(argumentsOf(message)).toEqual({ database: "prod_ro" });
      expect(message).not.toContain('"prod"');
    },
  );

  it.each([
    '{"Database":"prod"}',
    '{"database":"a","DATABASE":"prod"}',
    '{"databaſe":"prod"}',
    '{"datab\\u0061se":"prod"}',
    '{"database":"a","database":"prod"}',
  ])("reject keys that may be mistaken for them: %s", (args) => {
    expect(argumentsProblem(requestWith(args, at), at, { database: "x" })).toMatch(/database/i);
  });

  it.each(["{}", "null", '{"database":"prod"}', '{"data":1,"Data":2}'])("are not in %s", (args) => {
    expect(argumentsProblem(requestWith(args, at), at, { database: "x" })).toBeUndefined();
  });

  it("are sent when the client sends no arguments", () => {
    const inner = at === NATIVE ? "" : ',"arguments":{"tool":{}}';
    const text = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"${inner}}}`;
    const message = toolCallText(requestOf(text), 7, '"q"', at, "", { a: [1] });
    expect(argumentsOf(message)).toEqual({ a: [1] });
  });

  it("are merged into any client arguments like an object spread", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }),
        (given, pinned) => {
          const message = sent(JSON.stringify(given), at, pinned);
          expect(argumentsOf(message)).toEqual(JSON.parse(JSON.stringify({ ...given, ...pinned })));
        },
      ),
    );
  });
});
