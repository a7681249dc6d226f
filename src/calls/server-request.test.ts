import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { jsonTexts, plainObjectWith } from "../../test/support/json-arbitraries.ts";
import { memberText } from "../../test/support/json-text.ts";
import { type IncomingNotification, type JsonObject, classify } from "../wire/messages.ts";
import { ServerRequest } from "./server-request.ts";

const { value, object, space } = jsonTexts({ lineBreaks: false });

function serverRequestIn(text: string): { serverRequest: ServerRequest; sent: string[] } {
  const incoming = classify(JSON.parse(text), text);
  if (incoming.kind !== "request") throw new Error("not a request");
  const sent: string[] = [];
  const place = { toolbox: "dev", server: "fx" };
  const send = (message: string): void => void sent.push(message);
  const from = { place, mayAsk: "duringCalls" as const, send };
  return { serverRequest: new ServerRequest(incoming.request, from), sent };
}

function progressOf(params: JsonObject): IncomingNotification {
  return { method: "notifications/progress", params };
}

const ROOTS = '{"jsonrpc":"2.0","id":"s-1","method":"roots/list"}';

describe("a request from a server", () => {
  it("reaches the client with a new id and everything else as the server wrote it", () => {
    const texts = fc.tuple(object, value).chain(([params, extra]) =>
      plainObjectWith(
        {
          jsonrpc: fc.constant('"2.0"'),
          id: fc.constantFrom("7", '"x"', "9007199254740993"),
          method: fc.constant('"sampling/createMessage"'),
          params: fc.constant(params),
          extra: fc.constant(extra),
        },
        space,
      ).map((text) => ({ text, params, extra })),
    );
    fc.assert(
      fc.property(texts, ({ text, params, extra }) => {
        const asked = serverRequestIn(text).serverRequest.withId('"w-1"');
        expect(memberText(asked, "params")).toBe(params);
        expect(memberText(asked, "extra")).toBe(extra);
        expect(memberText(asked, "id")).toBe('"w-1"');
      }),
    );
  });

  it("is answered with the client's result or error byte for byte, under the server's own id", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("result", "error"),
        object,
        fc.constantFrom("7", '"x"', "9007199254740993"),
        (kind, body, id) => {
          const { serverRequest, sent } = serverRequestIn(`{"id":${id},"method":"roots/list"}`);
          serverRequest.answerWith(`{"jsonrpc":"2.0","${kind}":${body},"id":"w-1"}`);
          expect(sent.map((text) => memberText(text, kind))).toEqual([body]);
          expect(sent.map((text) => memberText(text, "id"))).toEqual([id]);
        },
      ),
    );
  });

  it("is answered once, and later answers are ignored", () => {
    const ways: ((serverRequest: ServerRequest) => void)[] = [
      (serverRequest) => serverRequest.answer('{"roots":[]}'),
      (serverRequest) => serverRequest.answerWith('{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}'),
      (serverRequest) => serverRequest.refuse({ code: -1, message: "no" }),
      (serverRequest) => serverRequest.refuseMethod(),
    ];
    for (const first of ways) {
      const { serverRequest, sent } = serverRequestIn(ROOTS);
      first(serverRequest);
      for (const next of ways) next(serverRequest);
      expect(sent).toHaveLength(1);
      expect(JSON.parse(sent[0] ?? "")).toMatchObject({ jsonrpc: "2.0", id: "s-1" });
    }
  });

  it('can be refused with "method not found"', () => {
    const { serverRequest, sent } = serverRequestIn(ROOTS);
    serverRequest.refuseMethod();
    expect(sent.map((text) => JSON.parse(text) as unknown)).toEqual([
      {
        jsonrpc: "2.0",
        id: "s-1",
        error: { code: -32601, message: "Method not found: roots/list" },
      },
    ]);
  });

  it("gets its own id as progress token, because tokens of different servers may collide", () => {
    const meta = '{"progressToken":12345678901234567891,"n":1.0}';
    const text = `{"jsonrpc":"2.0","id":3,"method":"elicitation/create","params":{"x":1.0,"_meta":${meta}}}`;
    const { serverRequest, sent } = serverRequestIn(text);
    const asked = serverRequest.withId('"w-1"');
    expect(memberText(asked, "params")).toBe('{"x":1.0,"_meta":{"progressToken":"w-1","n":1.0}}');
    serverRequest.progressed(progressOf({ progressToken: "w-1", progress: 2 }));
    expect(sent).toEqual([
      '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":2,"progressToken":12345678901234567891}}',
    ]);
  });

  it("receives no progress that it did not ask for, and none after its answer", () => {
    const plain = serverRequestIn(ROOTS);
    plain.serverRequest.progressed(progressOf({ progress: 1 }));
    expect(plain.sent).toEqual([]);
    const text = '{"id":3,"method":"roots/list","params":{"_meta":{"progressToken":1}}}';
    const asking = serverRequestIn(text);
    asking.serverRequest.answer("{}");
    asking.serverRequest.progressed(progressOf({ progress: 1 }));
    expect(asking.sent).toHaveLength(1);
  });

  it("reports once that it has been answered", () => {
    const { serverRequest } = serverRequestIn(ROOTS);
    let times = 0;
    serverRequest.settled = () => times++;
    serverRequest.answer("{}");
    serverRequest.refuseMethod();
    expect(times).toBe(1);
  });
});
