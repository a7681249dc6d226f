import type { IncomingMessage, ServerResponse as HttpResponse } from "node:http";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { messagesIn } from "./messages.ts";
import { type Body, RequestBodies, parseBody } from "./request-body.ts";

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

describe("a body that is too large", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
  afterEach(() => void vi.useRealTimers());

  /** The answer to a request that announces too much; it is complete as soon as it is sent. */
  function refused() {
    const headers = { "content-type": "application/json", "content-length": "100" };
    const request = Object.assign(new PassThrough(), { headers });
    const response = Object.assign(new PassThrough(), { writeHead: vi.fn() });
    const bodies = new RequestBodies(() => 10);
    bodies.read(
      request as unknown as IncomingMessage,
      response as unknown as HttpResponse,
      () => {},
    );
    expect(response.writeHead).toHaveBeenCalledWith(413, expect.anything());
    const arrive = async (): Promise<void> => {
      const read = new Promise((resolve) => void request.once("data", resolve));
      request.write("x");
      await read;
    };
    return { request, response, arrive };
  }

  it("is read while it arrives, so that the client can read the error", async () => {
    const { response, arrive } = refused();
    for (let part = 0; part < 4; part++) {
      await arrive();
      vi.advanceTimersByTime(500);
    }
    expect(response.writableEnded).toBe(false);
    vi.advanceTimersByTime(500);
    expect(response.writableEnded).toBe(true);
  });

  it("is not read for ever, and not after its end", async () => {
    const { response, arrive } = refused();
    for (let part = 0; part < 19; part++) {
      await arrive();
      vi.advanceTimersByTime(500);
    }
    expect(response.writableEnded).toBe(false);
    await arrive();
    vi.advanceTimersByTime(500);
    expect(response.writableEnded).toBe(true);
    const ended = refused();
    const isEnded = new Promise((resolve) => void ended.response.once("finish", resolve));
    ended.response.resume();
    ended.request.end();
    await isEnded;
  });
});
