import { describe, expect, it } from "vitest";

import { FakeConnection } from "../../test/support/fake-connection.ts";
import { FakeRequester, fakeServer, requestIn } from "../../test/support/fake-requester.ts";
import { workbenchError } from "../errors.ts";
import type { Era } from "../relay/client-profile.ts";
import { Catalogue } from "../servers/tools/catalogue.ts";
import { NO_GREETING } from "../servers/greeting.ts";
import { callTool, forward } from "./forward.ts";

const tool = { toolbox: "dev", server: "fx", name: "echo" };
const useTool = requestIn(
  '{"jsonrpc":"2.0","id":"c-1","method":"tools/call","params":{"name":"use_tool","arguments":{"tool":{"toolbox":"dev","server":"fx","name":"echo"},"arguments":{"n":1.0}},"_meta":{"progressToken":"p"}}}',
);

/** A connected server with one tool, and a client that uses it. */
function scene(era: Era = "legacy", envelope?: Record<string, unknown>) {
  const fake = new FakeConnection();
  fake.connection.greeting = { ...NO_GREETING, era };
  const value = { name: "echo" };
  fake.connection.catalogue = new Catalogue([{ value, text: JSON.stringify(value) }], () => true);
  const one = fakeServer(fake);
  const requester = new FakeRequester([one], "legacy", envelope);
  const call = (): void =>
    callTool(requester, useTool, one.server, tool, "params.arguments.arguments");
  return { fake, server: one.server, requester, call };
}

const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("callTool", () => {
  it("sends the call at once if the server is connected", () => {
    const { fake, requester, call } = scene();
    call();
    expect(fake.channel.sent).toEqual([
      {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "echo", arguments: { n: 1 }, _meta: { progressToken: 1 } },
      },
    ]);
    expect(requester.tracked).toMatchObject([{ callerId: '"c-1"', progressToken: "p" }]);
    fake.answer(1, { content: [] });
    expect(requester.answers).toMatchObject([{ result: { content: [] } }]);
  });

  it("connects the server first if it is not connected", async () => {
    const { fake, requester, call } = scene();
    requester.connected = false;
    call();
    expect(fake.channel.sent).toEqual([]);
    await soon();
    expect(fake.channel.of("tools/call")).toHaveLength(1);
  });

  it("sends nothing if the client cancelled while the server was connecting", async () => {
    const { fake, requester, call } = scene();
    requester.connected = false;
    call();
    for (const tracked of requester.tracked) tracked.cancelled = true;
    await soon();
    expect(fake.channel.sent).toEqual([]);
    expect(requester.ends).toBe(0);
  });

  it("reports why the server cannot be connected", async () => {
    const { requester, call } = scene();
    requester.connected = false;
    requester.failure = workbenchError("CONNECTION_FAILED", { ...tool, reason: "no luck" });
    call();
    await soon();
    expect(requester.errors.map(({ text }) => text)).toEqual([
      "Failed to connect to server 'fx' in toolbox 'dev': no luck",
    ]);
  });

  it("suggests an existing tool if the server does not have this one", async () => {
    const { fake, requester, call } = scene();
    const value = { name: "ecco" };
    fake.connection.catalogue = new Catalogue([{ value, text: "{}" }], () => true);
    call();
    await soon();
    expect(requester.errors.map(({ text }) => text)).toEqual([
      "Tool 'echo' not found in server 'fx' (toolbox 'dev'). Did you mean 'ecco'?",
    ]);
    expect(fake.channel.sent).toEqual([]);
  });

  it("reports an unexpected exception as an internal error", async () => {
    const { requester, call } = scene();
    requester.connected = false;
    requester.failure = new TypeError("a bug");
    call();
    await soon();
    expect(requester.errors).toMatchObject([{ code: "INTERNAL", text: "Internal error: a bug" }]);
  });

  it("adds the legacy client's envelope for a modern server", () => {
    const { fake, call } = scene("modern", { version: "v" });
    call();
    expect(fake.channel.sent).toMatchObject([
      { params: { _meta: { progressToken: 1, version: "v" } } },
    ]);
  });
});

describe("a call that a modern server answers with input_required", () => {
  const more = { inputResponses: '{"q":{"action":"accept"}}', requestState: '"s"' };
  const told = { inputResponses: { q: { action: "accept" } }, requestState: "s" };

  it("is sent again, with a new id and the client's input", () => {
    const { fake, requester, call } = scene("modern", {});
    call();
    fake.answer(1, { resultType: "input_required" });
    requester.tracked[0]?.again?.(more);
    expect(fake.channel.sent[1]).toMatchObject({
      id: 2,
      params: { name: "echo", arguments: { n: 1 }, ...told, _meta: { progressToken: 2 } },
    });
    fake.answer(2, { content: [] });
    expect(requester.answers).toHaveLength(2);
  });

  it("is not sent again if the client has cancelled", () => {
    const { fake, requester, call } = scene("modern", {});
    call();
    fake.answer(1, { resultType: "input_required" });
    for (const tracked of requester.tracked) {
      tracked.cancelled = true;
      tracked.again?.(more);
    }
    expect(fake.channel.of("tools/call")).toHaveLength(1);
  });

  it("fails if the server is lost before it is sent again", () => {
    const { fake, requester, call } = scene("modern", {});
    call();
    fake.answer(1, { resultType: "input_required" });
    fake.connection.lost("gone");
    requester.tracked[0]?.again?.(more);
    expect(requester.errors.map(({ code }) => code)).toEqual(["CALL_NOT_DELIVERED"]);
  });
});

describe("forward", () => {
  const request = requestIn(
    '{"jsonrpc":"2.0","id":7,"method":"prompts/get","params":{"name":"dev__fx__greet","arguments":{"n":"1"},"x":1.0}}',
  );

  it("sends any request with some parameters replaced", () => {
    const { fake, server, requester } = scene();
    forward(requester, request, server, "greet", { name: '"greet"' });
    expect(fake.channel.sent).toEqual([
      {
        jsonrpc: "2.0",
        id: 1,
        method: "prompts/get",
        params: { name: "greet", arguments: { n: "1" }, x: 1 },
      },
    ]);
    expect(requester.tracked.map(({ what }) => what)).toEqual(["prompts/get 'greet'"]);
  });

  it("connects the server first if it is not connected", async () => {
    const { fake, server, requester } = scene();
    requester.connected = false;
    forward(requester, request, server);
    await soon();
    expect(fake.channel.of("prompts/get")).toHaveLength(1);
  });

  it("reports that the server accepts no more calls", () => {
    const { fake, server, requester } = scene();
    fake.settings = {
      ...fake.settings,
      limits: { ...fake.settings.limits, concurrency: 0, queue: 0 },
    };
    forward(requester, request, server);
    expect(requester.errors.map(({ code }) => code)).toEqual(["SERVER_BUSY"]);
  });
});
