/** The sessions of legacy clients over HTTP, from initialize to their end (S-22). */
import { beforeAll, describe, expect, it } from "vitest";
import { firstText, useToolParams } from "../support/calls.ts";
import { perBlock, perTest } from "../support/disposables.ts";
import { closedGate } from "../support/gate.ts";
import { exchange, type Message, messagesIn } from "../support/http-client.ts";
import { type HttpWorkbench, startHttpWorkbench } from "../support/http-workbench.ts";
import { fds, waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { type Config, dev, fixture, MISSING_COMMAND, toolbox } from "../support/servers.ts";

const cleanup = perTest();
const NO_AUTH = { args: ["--no-auth"] };
/** Some tests have calls that never finish; there is no reason to wait for them. */
const HASTY = { timeouts: { shutdownMs: 200 } };
const start = (http: Config["http"] = {}): Promise<HttpWorkbench> =>
  startHttpWorkbench(cleanup, dev({ fx: fixture() }, { http, ...HASTY }), NO_AUTH);

/** For the tests that can share a workbench with others. */
const block = perBlock();
let shared: HttpWorkbench;
beforeAll(async () => {
  const toolboxes = {
    dev: toolbox({ fx: fixture(), broken: MISSING_COMMAND }),
    ops: toolbox({ fx: fixture() }),
  };
  shared = await startHttpWorkbench(block, { toolboxes, ...HASTY }, NO_AUTH);
});
const errorOf = (text: string): Message["error"] => messagesIn(text)[0]?.error;

async function sessionsOf(workbench: HttpWorkbench): Promise<number> {
  const { text } = await exchange(`${workbench.url}/api/status`, { method: "GET" });
  return (JSON.parse(text) as { sessions: number }).sessions;
}

describe("a session", () => {
  it("has an id that cannot be guessed, and starts no server", async () => {
    const workbench = await start();
    const ids = new Set<string | undefined>();
    for (let i = 0; i < 5; i++) {
      const client = workbench.client();
      await client.initialize();
      expect(client.sessionId).toMatch(/^[0-9a-f]{32}$/);
      ids.add(client.sessionId);
    }
    expect(ids.size).toBe(5);
    expect(await sessionsOf(workbench)).toBe(5);
    expect(workbench.servers()).toEqual([]);
  });

  it.each(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])(
    "speaks protocol version %s",
    async (version) => {
      const client = shared.client();
      const { text } = await client.initialize(version);
      expect(messagesIn(text)[0]?.result).toMatchObject({ protocolVersion: version });
      const headers = { "mcp-protocol-version": version };
      const answer = await client.request("ping", {}, { headers }).done();
      expect(answer).toMatchObject({ status: 200 });
      expect(messagesIn(answer.text)[0]?.result).toEqual({});
    },
  );

  it("is required: 400 without a session id, 404 with an unknown one", async () => {
    const client = shared.client();
    const missing = await client.request("tools/list", {}, { id: 7 }).done();
    expect(missing.status).toBe(400);
    expect(messagesIn(missing.text)[0]).toMatchObject({
      id: 7,
      error: { code: -32600, message: expect.stringContaining("Mcp-Session-Id") },
    });
    expect((await client.listen().done()).status).toBe(400);
    expect((await client.leave()).status).toBe(400);
    client.sessionId = "0".repeat(32);
    const unknown = await client.request("tools/list", {}, { id: "x" }).done();
    expect(unknown.status).toBe(404);
    expect(messagesIn(unknown.text)[0]).toMatchObject({ id: "x", error: { code: -32600 } });
    expect((await client.listen().done()).status).toBe(404);
    expect((await client.leave()).status).toBe(404);
    expect((await client.notify("notifications/initialized")).status).toBe(404);
  });

  it("is found only at the address where it was started", async () => {
    const client = shared.client("/mcp/dev");
    await client.initialize();
    for (const path of ["/mcp", "/mcp/ops", "/mcp/dev/fx"]) {
      const other = shared.client(path);
      other.sessionId = client.sessionId;
      expect((await other.request("ping").done()).status).toBe(404);
    }
    expect((await client.request("ping").done()).status).toBe(200);
  });

  it("is not kept if initialize fails", async () => {
    const before = await sessionsOf(shared);
    const client = shared.client("/mcp/dev/broken");
    const answer = await client.initialize();
    expect(errorOf(answer.text)?.message).toMatch(/^Failed to connect to server 'broken'/);
    expect(client.sessionId).toBeUndefined();
    expect(await sessionsOf(shared)).toBe(before);
  });

  it("refuses a second initialize, and unknown protocol versions", async () => {
    const client = shared.client();
    await client.initialize();
    const params = { protocolVersion: "2025-11-25", capabilities: {} };
    expect((await client.ask("initialize", params)).error?.message).toMatch(/Already initialized/);
    const headers = { "mcp-protocol-version": "1999-01-01" };
    for (const refused of [
      await client.request("ping", {}, { headers }).done(),
      await client.listen(headers).done(),
      await client.leave(headers),
    ]) {
      expect(refused.status).toBe(400);
      expect(errorOf(refused.text)).toMatchObject({
        code: -32022,
        data: { requested: "1999-01-01", supported: expect.arrayContaining(["2025-11-25"]) },
      });
    }
  });

  it("ends with its stream and its calls when the client sends DELETE", async () => {
    const workbench = await start();
    const client = workbench.client();
    await client.initialize();
    const stream = client.listen();
    await stream.head();
    const waiting = client.request("tools/call", useToolParams("dev/fx/sleep", { ms: 600_000 }));
    const witness = workbench.witness("dev", "fx");
    await waitFor(() => witness.callsOf("sleep").length, GENEROUS_MS, "the call to arrive");
    expect((await client.leave()).status).toBe(204);
    await stream.done();
    expect(messagesIn((await waiting.done()).text)[0]?.error?.message).toMatch(
      /^Session not found/,
    );
    expect((await client.request("ping").done()).status).toBe(404);
    expect(await sessionsOf(workbench)).toBe(0);
    const isCancelled = (): boolean => witness.messages("notifications/cancelled").length === 1;
    await waitFor(isCancelled, GENEROUS_MS, "the call to be cancelled");
  });

  it("ends its own processes with it, and no others", async () => {
    const own = { ...fixture(), isolation: "session" };
    const config = dev({ own, shared: fixture() });
    const workbench = await startHttpWorkbench(cleanup, config, NO_AUTH);
    const clients = [workbench.client(), workbench.client()];
    for (const client of clients) {
      await client.initialize();
      for (const server of ["own", "shared"])
        await client.ask("tools/call", useToolParams(`dev/${server}/echo`, { text: "x" }));
    }
    expect(workbench.servers()).toHaveLength(3);
    await clients[0]?.leave();
    await waitFor(() => workbench.servers().length === 2, GENEROUS_MS, "its process to end");
    for (const server of ["own", "shared"]) {
      const again = useToolParams(`dev/${server}/echo`, { text: "still here" });
      expect(firstText(await clients[1]?.ask("tools/call", again))).toBe("still here");
    }
  });

  it("has one stream for unsolicited messages, which can be reopened", async () => {
    const client = shared.client();
    await client.initialize();
    const first = client.listen();
    expect((await first.head()).headers["content-type"]).toBe("text/event-stream");
    const second = await client.listen().done();
    expect(second.status).toBe(409);
    expect(errorOf(second.text)?.message).toMatch(/^Conflict/);
    first.hangUp();
    await waitFor(
      async () => {
        const third = client.listen();
        const { status } = await third.head();
        third.hangUp();
        return status === 200;
      },
      GENEROUS_MS,
      "the stream to be free again",
    );
  });

  it("accepts notifications and responses with 202", async () => {
    const client = shared.client();
    await client.initialize();
    for (const answer of [
      await client.notify("notifications/roots/list_changed"),
      await client.respond("nobody-asked", {}),
    ])
      expect(answer).toMatchObject({ status: 202, text: "" });
  });

  it.each([
    ["text/html", 406],
    ["application/json", 200],
    ["text/event-stream", 200],
    ["*/*", 200],
  ])("answers a client that accepts %s with %i", async (accept, status) => {
    const client = shared.client();
    await client.initialize();
    const answer = await client.request("ping", {}, { headers: { accept } }).done();
    expect(answer.status).toBe(status);
    const type = accept === "text/event-stream" ? accept : "application/json";
    expect(answer.headers["content-type"]).toBe(type);
  });
});

describe("a batch of messages", () => {
  const ping = (id: number) => ({ jsonrpc: "2.0", id, method: "ping" });

  it("is answered in protocol version 2025-03-26", async () => {
    const client = shared.client();
    await client.initialize("2025-03-26");
    const call = { jsonrpc: "2.0", id: 2, method: "tools/call" };
    const batch = [
      ping(1),
      { jsonrpc: "2.0", method: "notifications/roots/list_changed" },
      { ...call, params: useToolParams("dev/fx/echo", { text: "in a batch" }) },
    ];
    const answer = await client.post(batch).done();
    expect(answer.headers["content-type"]).toBe("text/event-stream");
    const answers = messagesIn(answer.text);
    expect(new Set(answers.map(({ id }) => id))).toEqual(new Set([1, 2]));
    expect(firstText(answers.find(({ id }) => id === 2))).toBe("in a batch");
    const notes = [{ jsonrpc: "2.0", method: "notifications/initialized" }];
    expect((await client.post(notes).done()).status).toBe(202);
  });

  it("is refused in every other version, with the reason", async () => {
    const client = shared.client();
    expect((await client.post([ping(1)]).done()).status).toBe(400);
    await client.initialize();
    const answer = await client.post([ping(1), ping(2)]).done();
    expect(answer.status).toBe(400);
    expect(errorOf(answer.text)?.message).toMatch(/batches belong to protocol version 2025-03-26/);
  });
});

describe("a request", () => {
  it("is refused if its id is in use, and the first request is answered", async () => {
    const gate = closedGate(cleanup);
    const client = shared.client();
    await client.initialize();
    const witness = shared.witness("dev", "fx");
    const params = useToolParams("dev/fx/sleep", { until: gate.file });
    const slow = client.request("tools/call", params, { id: 5 });
    await waitFor(() => witness.callsOf("sleep").length, GENEROUS_MS, "the call to arrive");
    const again = await client.request("ping", {}, { id: 5 }).done();
    expect(again.status).toBe(400);
    expect(errorOf(again.text)?.message).toMatch(/still in use/);
    gate.open();
    expect(firstText(messagesIn((await slow.done()).text)[0])).toBe("released");
  });

  it("ends without an answer when it is cancelled", async () => {
    const workbench = await start();
    const client = workbench.client();
    await client.initialize();
    const params = useToolParams("dev/fx/sleep", { ms: 600_000 });
    const waiting = client.request("tools/call", params, { id: "c" });
    const { callsOf, messages } = {
      callsOf: () => workbench.witness("dev", "fx").callsOf("sleep"),
      messages: () => workbench.witness("dev", "fx").messages("notifications/cancelled"),
    };
    await waitFor(() => callsOf().length, GENEROUS_MS, "the call to arrive");
    await client.notify("notifications/cancelled", { requestId: "c", reason: "enough" });
    expect(messagesIn((await waiting.done()).text)).toEqual([]);
    await waitFor(() => messages().length, GENEROUS_MS, "the server to be notified");
    expect(messages()[0]?.params).toMatchObject({ requestId: callsOf()[0]?.id });
    const again = await client.request("ping", {}, { id: "c" }).done();
    expect(again.status).toBe(200);
  });

  it("goes on when the client hangs up, and its answer is dropped", async () => {
    const gate = closedGate(cleanup);
    const workbench = await start();
    const client = workbench.client();
    await client.initialize();
    const stream = client.listen();
    await stream.head();
    const params = useToolParams("dev/fx/sleep", { until: gate.file });
    const left = client.request("tools/call", params, { id: 9 });
    const witness = workbench.witness("dev", "fx");
    await waitFor(() => witness.callsOf("sleep").length, GENEROUS_MS, "the call to arrive");
    const connected = fds(workbench.pid).length;
    left.hangUp();
    const isNoticed = (): boolean => fds(workbench.pid).length < connected;
    await waitFor(isNoticed, GENEROUS_MS, "the workbench to close the connection");
    gate.open();
    // Its id is free again after the old answer, and the new answer contains nothing of the old
    // one.
    const next = await waitFor(
      async () => {
        const echo = useToolParams("dev/fx/echo", { text: "new" });
        const answer = await client.request("tools/call", echo, { id: 9 }).done();
        return answer.status === 200 ? messagesIn(answer.text) : undefined;
      },
      GENEROUS_MS,
      "the id to be free again",
    );
    expect(next.map(firstText)).toEqual(["new"]);
    expect(witness.messages("notifications/cancelled")).toEqual([]);
    expect(stream.messages).toEqual([]);
  });
});
