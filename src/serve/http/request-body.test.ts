import type { ServerResponse as HttpResponse } from "node:http";
import { describe, expect, it } from "vitest";

import { messagesIn } from "./messages.ts";
import { type Body, parseBody } from "./request-body.ts";

function bodyOf(text: string): Body {
  let found: Body | undefined;
  parseBody(Buffer.from(text), undefined as unknown as HttpResponse, (body) => (found = body));
  if (found === undefined) throw new Error("not accepted");
  return found;
}

const PLAIN = '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x","arguments":{}}}';

describe("a body", () => {
  it("that is a plain call is the request itself, and can be read like any other", () => {
    const body = bodyOf(PLAIN);
    expect(body.plain).toBeDefined();
    expect(body.message).toEqual(JSON.parse(PLAIN));
    expect(messagesIn(body)).toEqual([
      { incoming: { kind: "request", request: body.plain }, text: PLAIN },
    ]);
  });

  it.each([
    ["with _meta", PLAIN.replace('"name"', '"_meta":{},"name"')],
    ["in a batch", `[${PLAIN}]`],
    ["of another method", PLAIN.replace("tools/call", "tools/list")],
    ["with a key that occurs twice", PLAIN.replace('"name"', '"name":"y","name"')],
    ["of some length", PLAIN.replace("{}", `{"text":"${"x".repeat(20_000)}"}`)],
    ["without a version", PLAIN.replace('"jsonrpc":"2.0",', "")],
  ])("with a request %s is parsed", (_what, text) => {
    const body = bodyOf(text);
    expect(body.plain).toBeUndefined();
    expect(body.message).toEqual(JSON.parse(text));
  });
});
