import { describe, expect, it } from "vitest";

import { FakeConnection } from "../../test/support/fake-connection.ts";
import { FakeClient, fakeServer, requestIn } from "../../test/support/fake-client.ts";
import { workbenchError } from "../errors.ts";
import type { Era } from "../protocol/client-profile.ts";
import { Catalogue } from "../servers/tools/catalogue.ts";
import { NOT_CONNECTED } from "../servers/handshake/server-hello.ts";
import { ClientCall, type Step } from "./call.ts";
import type { Destination } from "./destination.ts";
import { dispatch } from "./dispatch.ts";
import { failure, refusal, result } from "./outcome.ts";
import { cancel } from "./settle.ts";

const tool = { toolbox: "dev", server: "fx", name: "echo" };
const useTool = requestIn(
  '{"jsonrpc":"2.0","id":"c-1","method":"tools/call","params":{"name":"use_tool","arguments":{"tool":{"toolbox":"dev","server":"fx","name":"echo"},"arguments":{"n":1.0}},"_meta":{"progressToken":"p"}}}',
);
const getPrompt = requestIn(
  '{"jsonrpc":"2.0","id":7,"method":"prompts/get","params":{"name":"dev__fx__greet","arguments":{"n":"1"},"x":1.0}}',
);

/** A connected server with one tool, and a client that uses it. */
function scene(era: Era = "legacy", steps: readonly Step[] = []) {
  const fake = new FakeConnection();
  fake.connection.hello = { ...NOT_CONNECTED, era };
  const value = { name: "echo" };
  fake.connection.catalogue = new Catalogue([{ value, text: JSON.stringify(value) }], () => true);
  const one = fakeServer(fake);
  const { server } = one;
  const client = new FakeClient([one], "legacy", { version: "v" }, steps);
  const start = (request = useTool, destination?: Destination): ClientCall => {
    const call = new ClientCall(client, request);
    dispatch(
      call,
      () => destination ?? { server, tool, argumentsAt: "params.arguments.arguments" },
    );
    return call;
  };
  return { fake, server, client, start };
}

const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("dispatch", () => {
  it("sends a tool call at once if the server is connected", () => {
    const { fake, client, start } = scene();
    const call = start();
    expect(fake.channel.sent).toEqual([
      {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "echo", arguments: { n: 1 }, _meta: { progressToken: 1 } },
      },
    ]);
    expect(call).toMatchObject({ state: "sent", progressToken: '"p"', label: "tool 'echo'" });
    fake.answer(1, { content: [] });
    expect(client.answers).toMatchObject([{ result: { content: [] } }]);
    expect(call.state).toBe("settled");
  });

  it("sends any other request with some parameters replaced", () => {
    const { fake, server, start } = scene();
    const call = start(getPrompt, { server, subject: "greet", changes: { name: '"greet"' } });
    expect(fake.channel.sent).toEqual([
      {
        jsonrpc: "2.0",
        id: 1,
        method: "prompts/get",
        params: { name: "greet", arguments: { n: "1" }, x: 1 },
      },
    ]);
    expect(call.label).toBe("prompts/get 'greet'");
  });

  it.each([["a tool call"], ["another request"]])(
    "connects the server first if it is not connected (%s)",
    async (kind) => {
      const { fake, server, client, start } = scene();
      client.connected = false;
      if (kind === "a tool call") start();
      else start(getPrompt, { server, subject: "" });
      expect(fake.channel.sent).toEqual([]);
      await soon();
      expect(fake.channel.sent).toHaveLength(1);
    },
  );

  it("sends nothing if the client cancelled while the server was connecting", async () => {
    const { fake, client, start } = scene();
    client.connected = false;
    cancel(start(), "no longer needed");
    await soon();
    expect(fake.channel.sent).toEqual([]);
    expect(client.outcomes).toEqual([{ kind: "cancelled", reason: "no longer needed" }]);
  });

  it("sends nothing if the client cancelled while the call was being routed", async () => {
    const { fake, client, server } = scene();
    const call = new ClientCall(client, useTool);
    dispatch(call, async () => ({ server, tool, argumentsAt: "params.arguments.arguments" }));
    cancel(call, "no longer needed");
    await soon();
    expect(fake.channel.sent).toEqual([]);
    expect(client.outcomes).toHaveLength(1);
  });

  it("reports why the server cannot be connected", async () => {
    const { client, start } = scene();
    client.connected = false;
    client.failure = workbenchError("CONNECTION_FAILED", { ...tool, reason: "no luck" });
    start();
    await soon();
    expect(client.errors.map(({ text }) => text)).toEqual([
      "Failed to connect to server 'fx' in toolbox 'dev': no luck",
    ]);
  });

  it("suggests an existing tool if the server does not have this one", async () => {
    const { fake, client, start } = scene();
    const value = { name: "ecco" };
    fake.connection.catalogue = new Catalogue([{ value, text: "{}" }], () => true);
    start();
    await soon();
    expect(client.errors.map(({ text }) => text)).toEqual([
      "Tool 'echo' not found in server 'fx' (toolbox 'dev'). Did you mean 'ecco'?",
    ]);
    expect(fake.channel.sent).toEqual([]);
  });

  it.each([
    [
      "while the server is connected",
      async () => {
        const { client, start } = scene();
        client.connected = false;
        client.failure = new TypeError("a bug");
        start();
        return client;
      },
    ],
    [
      "while the call is routed",
      async () => {
        const { client } = scene();
        dispatch(new ClientCall(client, useTool), () => {
          throw new TypeError("a bug");
        });
        return client;
      },
    ],
    [
      "while the workbench answers",
      async () => {
        const { client, start } = scene();
        start(getPrompt, { answer: () => Promise.reject(new TypeError("a bug")) });
        return client;
      },
    ],
  ])("reports an unexpected exception as an internal error: %s", async (_when, play) => {
    const client = await play();
    await soon();
    expect(client.errors).toMatchObject([{ code: "INTERNAL", text: "Internal error: a bug" }]);
  });

  it("reports that the server accepts no more calls", () => {
    const { fake, client, start } = scene();
    fake.settings = {
      ...fake.settings,
      limits: { ...fake.settings.limits, concurrency: 0, queue: 0 },
    };
    start();
    expect(client.errors.map(({ code }) => code)).toEqual(["SERVER_BUSY"]);
  });

  it("adds the legacy client's envelope for a modern server", () => {
    const { fake, start } = scene("modern");
    start();
    expect(fake.channel.sent).toMatchObject([
      { params: { _meta: { progressToken: 1, version: "v" } } },
    ]);
  });

  it("answers at once what the workbench answers itself", () => {
    const { client, start } = scene();
    start(getPrompt, { answer: () => result({ prompts: [] }) });
    expect(client.outcomes).toEqual([{ kind: "result", result: { prompts: [] } }]);
  });

  it("counts the calls of clients that reached a server", () => {
    const { fake, server, client, start } = scene();
    start();
    fake.answer(1);
    start();
    fake.refuse(2);
    start(getPrompt, { answer: () => refusal(-32602, "no") });
    expect(client.outcomes).toHaveLength(3);
    expect(server.statistics).toMatchObject({ calls: 2, errors: 1 });
  });
});

describe("a call that a modern server answers with input_required", () => {
  const required = {
    resultType: "input_required",
    inputRequests: { q: { method: "elicitation/create", params: { message: "Sure?" } } },
    requestState: "s",
  };

  it("is sent again, with a new id and the client's input", async () => {
    const { fake, client, start } = scene("modern");
    start();
    fake.answer(1, required);
    client.questions[0]?.[0].answer('{"action":"accept"}');
    await soon();
    expect(fake.channel.sent[1]).toMatchObject({
      id: 2,
      params: {
        name: "echo",
        arguments: { n: 1 },
        inputResponses: { q: { action: "accept" } },
        requestState: "s",
        _meta: { progressToken: 2 },
      },
    });
    fake.answer(2, { content: [] });
    expect(client.answers).toMatchObject([{ result: { content: [] } }]);
  });

  it("is not sent again if the client has cancelled, and the question is withdrawn", async () => {
    const { fake, client, start } = scene("modern");
    const call = start();
    fake.answer(1, required);
    const withdrawn: unknown[] = [];
    const question = client.questions[0]?.[0];
    if (question) question.withdrawn = (reason) => withdrawn.push(reason);
    cancel(call, "enough");
    question?.answer('{"action":"accept"}');
    await soon();
    expect(withdrawn).toEqual(["the request was cancelled"]);
    expect(fake.channel.of("tools/call")).toHaveLength(1);
  });

  it("ends with the client's error if the client refuses to answer", async () => {
    const { fake, client, start } = scene("modern");
    start();
    fake.answer(1, required);
    client.questions[0]?.[0].refuse({ code: -1, message: "User rejected" });
    await soon();
    expect(client.outcomes).toEqual([
      { kind: "refusal", error: { code: -1, message: "User rejected" } },
    ]);
  });

  it("fails if the server is lost before the call is sent again", async () => {
    const { fake, client, start } = scene("modern");
    start();
    fake.answer(1, required);
    fake.connection.input.onLost("gone");
    client.questions[0]?.[0].answer('{"action":"accept"}');
    await soon();
    expect(client.errors.map(({ code }) => code)).toEqual(["SERVER_DIED"]);
  });
});

describe("a step", () => {
  it("runs in order around the call and sees who calls what", async () => {
    const seen: unknown[] = [];
    const step =
      (name: string): Step =>
      async (call, next) => {
        seen.push([name, call.principal.kind, call.destination?.server && call.destination.tool]);
        const outcome = await next();
        seen.push([name, outcome.kind]);
        return outcome;
      };
    const { fake, client, start } = scene("legacy", [step("outer"), step("inner")]);
    start();
    await soon();
    fake.answer(1, { content: [] });
    await soon();
    expect(seen).toEqual([
      ["outer", "stdio", tool],
      ["inner", "stdio", tool],
      ["inner", "response"],
      ["outer", "response"],
    ]);
    expect(client.outcomes.map(({ kind }) => kind)).toEqual(["response"]);
  });

  it("may refuse a call, which is then never sent", async () => {
    const denied = workbenchError("INVALID_PARAMETERS", { reason: "denied" });
    const { fake, client, start } = scene("legacy", [async () => failure(denied)]);
    start();
    await soon();
    expect([fake.channel.sent, client.errors]).toEqual([[], [denied]]);
  });

  it("may replace what comes back", async () => {
    const { fake, client, start } = scene("legacy", [
      async (_call, next) => {
        await next();
        return result({ content: [] });
      },
    ]);
    start();
    await soon();
    fake.answer(1, { content: [{ type: "text", text: "long" }] });
    await soon();
    expect(client.outcomes).toEqual([{ kind: "result", result: { content: [] } }]);
  });

  it("that throws ends the call with an internal error", async () => {
    const { client, start } = scene("legacy", [() => Promise.reject(new Error("a bug"))]);
    start();
    await soon();
    expect(client.errors).toMatchObject([{ code: "INTERNAL" }]);
  });

  it("cannot send a call twice", async () => {
    const { fake, client, start } = scene("legacy", [
      async (_call, next) => {
        await next();
        return next();
      },
    ]);
    start();
    await soon();
    fake.answer(1);
    await soon();
    expect(fake.channel.sent).toHaveLength(1);
    expect(client.errors).toMatchObject([{ code: "INTERNAL" }]);
  });

  it("that waits is notified when the client cancels, and the call is not sent afterwards", async () => {
    let release = (): void => {};
    const waiting = new Promise<void>((resolve) => (release = resolve));
    const reasons: unknown[] = [];
    const { fake, client, start } = scene("legacy", [
      async (call, next) => {
        call.signal.addEventListener("abort", () => reasons.push(call.signal.reason));
        await waiting;
        return next();
      },
    ]);
    cancel(start(), "enough");
    release();
    await soon();
    expect(reasons).toEqual(["enough"]);
    expect(client.outcomes).toEqual([{ kind: "cancelled", reason: "enough" }]);
    expect(fake.channel.sent).toEqual([]);
  });

  it("that waits for the server finishes when the client cancels", async () => {
    const ends: unknown[] = [];
    const { fake, client, start } = scene("legacy", [
      async (_call, next) => {
        const outcome = await next();
        ends.push(outcome.kind);
        return outcome;
      },
    ]);
    const call = start();
    await soon();
    cancel(call, "enough");
    await soon();
    expect(ends).toEqual(["cancelled"]);
    expect(fake.channel.of("notifications/cancelled")).toHaveLength(1);
    expect(client.outcomes).toHaveLength(1);
  });
});
