/**
 * What is sent on which response: answers, progress, server requests, and everything else. In the full
 * suite because each case starts a workbench; http-sessions.test.ts is in `npm test`.
 */
import { once } from "node:events";
import { connect } from "node:net";
import { beforeAll, describe, expect, it } from "vitest";
import { firstText, useToolParams } from "../support/calls.ts";
import { perBlock, perTest } from "../support/disposables.ts";
import { messagesIn } from "../support/http-client.ts";
import { type HttpWorkbench, startHttpWorkbench } from "../support/http-workbench.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { dev, fixture } from "../support/servers.ts";

const cleanup = perTest();
const start = (): Promise<HttpWorkbench> =>
  startHttpWorkbench(cleanup, dev({ fx: fixture() }), { args: ["--no-auth"] });

const ORDERS = ["sdk", "python", "spaced", "fixture", "odd"];
/** For the tests that can share a workbench with others. */
const block = perBlock();
let shared: HttpWorkbench;
beforeAll(async () => {
  const writers = ORDERS.map((order) => [order, fixture("--key-order", order)] as const);
  const servers = { fx: fixture(), ...Object.fromEntries(writers) };
  shared = await startHttpWorkbench(block, dev(servers), { args: ["--no-auth"] });
});

const LIST_CHANGED = "notifications/tools/list_changed";

describe("the response to a request", () => {
  it("is JSON if nothing precedes the result", async () => {
    const client = shared.client();
    await client.initialize();
    const call = client.request("tools/call", useToolParams("dev/fx/echo", { text: "é" }));
    const answer = await call.done();
    expect(answer.headers).toMatchObject({
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(answer.text)),
    });
    expect(firstText(messagesIn(answer.text)[0])).toBe("é");
  });

  it("is a stream if there is progress, and ends with the result", async () => {
    const client = shared.client();
    await client.initialize();
    const params = useToolParams(
      "dev/fx/progress_burst",
      { n: 20, late: 3 },
      { progressToken: "mine" },
    );
    const answer = await client.request("tools/call", params, { id: "p" }).done();
    expect(answer.headers["content-type"]).toBe("text/event-stream");
    expect(answer.text.match(/^id:/gm)).toHaveLength(21);
    const messages = messagesIn(answer.text);
    expect(messages.slice(0, -1).map(({ params: progress }) => progress)).toEqual(
      Array.from({ length: 20 }, (_, i) =>
        expect.objectContaining({ progressToken: "mine", progress: i + 1 }),
      ),
    );
    expect(messages.at(-1)).toMatchObject({ id: "p", result: {} });
  });

  it.each(ORDERS)(
    "keeps the bytes of a server that writes like %s, as JSON and in a stream",
    async (order) => {
      const client = shared.client(`/mcp/dev/${order}`);
      await client.initialize();
      const json =
        '{"content":[],"big":12345678901234567890, "float":1.0,"escape":"\\u00e9\\/","deep":{"id":7}}';
      const plain = await client.request("tools/call", { name: "raw", arguments: { json } }).done();
      expect(plain.text).toContain(json);
      const only = { headers: { accept: "text/event-stream" } };
      const params = { name: "raw", arguments: { json } };
      const streamed = await client.request("tools/call", params, only).done();
      expect(streamed.headers["content-type"]).toBe("text/event-stream");
      expect(streamed.text).toContain(json);
    },
  );

  it("of many megabytes arrives whole, for many clients at once", async () => {
    const workbench = await start();
    const bytes = 5_000_000;
    const texts = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const client = workbench.client();
        await client.initialize();
        return firstText(await client.ask("tools/call", useToolParams("dev/fx/big", { bytes })));
      }),
    );
    for (const text of texts) expect(text).toHaveLength(bytes);
    expect(new Set(texts).size).toBe(1);
  });

  it("does not delay other clients if it is not read", async () => {
    const workbench = await start();
    const client = workbench.client();
    await client.initialize();
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: useToolParams("dev/fx/big", { bytes: 4_000_000 }),
    });
    const lazy = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const own = workbench.client();
        await own.initialize();
        const socket = connect(workbench.port, "127.0.0.1");
        socket.pause().on("error", () => {});
        cleanup.defer(() => socket.destroy());
        socket.write(
          `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${workbench.port}\r\nContent-Type: application/json\r\nMcp-Session-Id: ${own.sessionId}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
        );
        return socket;
      }),
    );
    await waitFor(
      () => workbench.witness("dev", "fx").callsOf("big").length === lazy.length,
      GENEROUS_MS,
      "the calls to arrive",
    );
    for (let i = 0; i < 20; i++)
      expect(
        firstText(await client.ask("tools/call", useToolParams("dev/fx/echo", { text: "x" }))),
      ).toBe("x");
    const [first] = lazy;
    first?.resume();
    const [chunk] = (await once(first as NodeJS.EventEmitter, "data")) as [Buffer];
    expect(String(chunk)).toMatch(/^HTTP\/1\.1 200 OK/);
  });
});

describe("a request from a server", () => {
  it("is sent on the response of the call that caused it", async () => {
    const client = shared.client();
    await client.initialize("2025-11-25", { elicitation: {} });
    const unasked = client.listen();
    await unasked.head();
    const call = client.request("tools/call", useToolParams("dev/fx/elicit", {}));
    const question = await call.method("elicitation/create");
    expect(question.params).toMatchObject({ message: "[dev/fx] Are you sure?" });
    const result = { action: "accept", content: { ok: true } };
    expect((await client.respond(question.id, result)).status).toBe(202);
    const answer = messagesIn((await call.done()).text).at(-1);
    expect(JSON.parse(firstText(answer) ?? "")).toEqual({ result });
    expect(unasked.messages).toEqual([]);
  });

  it("reaches only the client whose call it belongs to", async () => {
    const config = dev({ fx: { ...fixture(), isolation: "session" } });
    const workbench = await startHttpWorkbench(cleanup, config, { args: ["--no-auth"] });
    const clients = Array.from({ length: 4 }, () => workbench.client());
    const calls = await Promise.all(
      clients.map(async (client) => {
        await client.initialize("2025-11-25", { sampling: {} });
        return client.request("tools/call", useToolParams("dev/fx/sample", {}), { id: 1 });
      }),
    );
    const questions = await Promise.all(calls.map((call) => call.method("sampling/createMessage")));
    for (const [i, client] of clients.entries())
      await client.respond(questions[i]?.id, { model: `model of ${i}` });
    for (const [i, call] of calls.entries()) {
      const messages = messagesIn((await call.done()).text);
      expect(messages).toHaveLength(2);
      expect(JSON.parse(firstText(messages[1]) ?? "")).toEqual({
        result: { model: `model of ${i}` },
      });
    }
  });

  it("uses the open stream for a client that accepts only JSON responses", async () => {
    const client = shared.client();
    await client.initialize("2025-11-25", { roots: {} });
    const unasked = client.listen();
    await unasked.head();
    const headers = { accept: "application/json" };
    const call = client.request("tools/call", useToolParams("dev/fx/roots", {}), { headers });
    const question = await unasked.method("roots/list");
    await client.respond(question.id, { roots: [] });
    const answer = await call.done();
    expect(answer.headers["content-type"]).toBe("application/json");
    expect(JSON.parse(firstText(messagesIn(answer.text)[0]) ?? "")).toEqual({
      result: { roots: [] },
    });
  });
});

describe("an unsolicited notification", () => {
  it("goes to the open stream and not to a response", async () => {
    const workbench = await start();
    const [one, two] = [workbench.client("/mcp/dev/fx"), workbench.client("/mcp/dev/fx")];
    await Promise.all([one.initialize(), two.initialize()]);
    const streams = [one.listen(), two.listen()];
    const call = await one.request("tools/call", { name: "change_list", arguments: {} }).done();
    expect(call.headers["content-type"]).toBe("application/json");
    for (const stream of streams) {
      await stream.method(LIST_CHANGED);
      expect(stream.messages).toHaveLength(1);
    }
  });

  it("waits for the stream if there is none, once for each kind of change", async () => {
    const client = (await start()).client("/mcp/dev/fx");
    await client.initialize();
    for (let i = 0; i < 3; i++) {
      await client.ask("tools/call", { name: "change_list", arguments: {} });
      await client.ask("tools/list");
    }
    const stream = client.listen();
    await stream.method(LIST_CHANGED);
    const again = await client.ask("tools/call", { name: "change_list", arguments: {} });
    expect(again.error).toBeUndefined();
    await stream.when(
      (messages) => (messages.length >= 2 ? true : undefined),
      "second list_changed",
    );
  });

  it("may be a log message of a server", async () => {
    const client = shared.client("/mcp/dev/fx");
    await client.initialize();
    const stream = client.listen();
    await client.ask("logging/setLevel", { level: "debug" });
    await client.ask("tools/call", { name: "log", arguments: {} });
    const message = await stream.method("notifications/message");
    expect(message.params).toMatchObject({ level: "warning", data: "a log line" });
  });
});
