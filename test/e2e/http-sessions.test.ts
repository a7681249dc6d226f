/** The sessions of legacy clients over HTTP, from initialize to their end (S-22). */
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { perTest } from "../support/disposables.ts";
import { exchange, type Message, messagesIn, textOf, useTool } from "../support/http-client.ts";
import { type HttpWorkbench, startHttpWorkbench } from "../support/http-workbench.ts";
import { fds, rss, waitFor } from "../support/proc.ts";
import { type Config, dev, fixture, MISSING_COMMAND, toolbox } from "../support/servers.ts";

const cleanup = perTest();
const NO_AUTH = { args: ["--no-auth"] };
const start = (http: Config["http"] = {}, servers = { fx: fixture() }): Promise<HttpWorkbench> =>
  startHttpWorkbench(cleanup, dev(servers, { http }), NO_AUTH);
const errorOf = (text: string): Message["error"] => messagesIn(text)[0]?.error;

async function sessionsOf(workbench: HttpWorkbench): Promise<number> {
  const { text } = await exchange(`${workbench.url}/api/status`, { method: "GET" });
  return (JSON.parse(text) as { sessions: number }).sessions;
}

describe("a session", () => {
  it("has an id that cannot be guessed", async () => {
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
      const client = (await start()).client();
      const { text } = await client.initialize(version);
      expect(messagesIn(text)[0]?.result).toMatchObject({ protocolVersion: version });
      const headers = { "mcp-protocol-version": version };
      const answer = await client.request("ping", {}, { headers }).done();
      expect(answer).toMatchObject({ status: 200 });
      expect(messagesIn(answer.text)[0]?.result).toEqual({});
    },
  );

  it("is needed for everything but initialize: 400 without, 404 with an unknown one", async () => {
    const workbench = await start();
    const client = workbench.client();
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

  it("belongs to the address it was started at", async () => {
    const config = {
      toolboxes: { dev: toolbox({ fx: fixture() }), ops: toolbox({ fx: fixture() }) },
    };
    const workbench = await startHttpWorkbench(cleanup, config, NO_AUTH);
    const client = workbench.client("/mcp/dev");
    await client.initialize();
    for (const path of ["/mcp", "/mcp/ops", "/mcp/dev/fx"]) {
      const other = workbench.client(path);
      other.sessionId = client.sessionId;
      expect((await other.request("ping").done()).status).toBe(404);
    }
    expect((await client.request("ping").done()).status).toBe(200);
  });

  it("is not kept if initialize fails", async () => {
    const workbench = await start({}, { fx: MISSING_COMMAND });
    const client = workbench.client("/mcp/dev/fx");
    const answer = await client.initialize();
    expect(errorOf(answer.text)?.message).toMatch(/^Failed to connect to server 'fx'/);
    expect(client.sessionId).toBeUndefined();
    expect(await sessionsOf(workbench)).toBe(0);
  });

  it("refuses a second initialize, and protocol versions nobody knows", async () => {
    const client = (await start()).client();
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

  it("ends when the client says so", async () => {
    const workbench = await start();
    const client = workbench.client();
    await client.initialize();
    const stream = client.listen();
    await stream.head();
    const waiting = client.request("tools/call", useTool("dev/fx/sleep", { ms: 60_000 }));
    await waitFor(
      () => workbench.witness("dev", "fx").callsOf("sleep").length,
      10_000,
      "the call to arrive",
    );
    expect((await client.leave()).status).toBe(204);
    await stream.done();
    expect(messagesIn((await waiting.done()).text)[0]?.error?.message).toMatch(
      /^Session not found/,
    );
    expect((await client.request("ping").done()).status).toBe(404);
    expect(await sessionsOf(workbench)).toBe(0);
    await waitFor(
      () => workbench.witness("dev", "fx").messages("notifications/cancelled").length === 1,
      5000,
      "the call to be cancelled",
    );
  });

  it("takes its own processes along, and leaves those of others alone", async () => {
    const own = { ...fixture(), isolation: "session" };
    const config = dev({ own, shared: fixture() });
    const workbench = await startHttpWorkbench(cleanup, config, NO_AUTH);
    const clients = [workbench.client(), workbench.client()];
    for (const client of clients) {
      await client.initialize();
      for (const server of ["own", "shared"])
        await client.ask("tools/call", useTool(`dev/${server}/echo`, { text: "x" }));
    }
    expect(workbench.servers()).toHaveLength(3);
    await clients[0]?.leave();
    await waitFor(() => workbench.servers().length === 2, 5000, "its process to end");
    for (const server of ["own", "shared"]) {
      const again = useTool(`dev/${server}/echo`, { text: "still here" });
      expect(textOf(await clients[1]?.ask("tools/call", again))).toBe("still here");
    }
  });

  it("has one stream for what is said unasked, and can open it again", async () => {
    const client = (await start()).client();
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
      5000,
      "the stream to be free again",
    );
  });

  it("takes notifications and responses with 202", async () => {
    const client = (await start()).client();
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
    const client = (await start()).client();
    await client.initialize();
    const answer = await client.request("ping", {}, { headers: { accept } }).done();
    expect(answer.status).toBe(status);
    const type = accept === "text/event-stream" ? accept : "application/json";
    expect(answer.headers["content-type"]).toBe(type);
  });
});

describe("several messages in one body", () => {
  const ping = (id: number) => ({ jsonrpc: "2.0", id, method: "ping" });

  it("are answered in the version that has batches", async () => {
    const client = (await start()).client();
    await client.initialize("2025-03-26");
    const call = { jsonrpc: "2.0", id: 2, method: "tools/call" };
    const batch = [
      ping(1),
      { jsonrpc: "2.0", method: "notifications/roots/list_changed" },
      { ...call, params: useTool("dev/fx/echo", { text: "in a batch" }) },
    ];
    const answer = await client.post(batch).done();
    expect(answer.headers["content-type"]).toBe("text/event-stream");
    const answers = messagesIn(answer.text);
    expect(answers.map(({ id }) => id)).toEqual([1, 2]);
    expect(textOf(answers[1])).toBe("in a batch");
    const notes = [{ jsonrpc: "2.0", method: "notifications/initialized" }];
    expect((await client.post(notes).done()).status).toBe(202);
  });

  it("are refused in every other, with the reason", async () => {
    const client = (await start()).client();
    expect((await client.post([ping(1)]).done()).status).toBe(400);
    await client.initialize();
    const answer = await client.post([ping(1), ping(2)]).done();
    expect(answer.status).toBe(400);
    expect(errorOf(answer.text)?.message).toMatch(/batches belong to protocol version 2025-03-26/);
  });
});

describe("requests", () => {
  it("with an id that is in use are refused, and the first one is answered", async () => {
    const client = (await start()).client();
    await client.initialize();
    const slow = client.request("tools/call", useTool("dev/fx/sleep", { ms: 300 }), { id: 5 });
    await delay(100);
    const again = await client.request("ping", {}, { id: 5 }).done();
    expect(again.status).toBe(400);
    expect(errorOf(again.text)?.message).toMatch(/still in use/);
    expect(textOf(messagesIn((await slow.done()).text)[0])).toBe("slept 300");
  });

  it("end without an answer when they are cancelled", async () => {
    const workbench = await start();
    const client = workbench.client();
    await client.initialize();
    const params = useTool("dev/fx/sleep", { ms: 60_000 });
    const waiting = client.request("tools/call", params, { id: "c" });
    const { callsOf, messages } = {
      callsOf: () => workbench.witness("dev", "fx").callsOf("sleep"),
      messages: () => workbench.witness("dev", "fx").messages("notifications/cancelled"),
    };
    await waitFor(() => callsOf().length, 10_000, "the call to arrive");
    await client.notify("notifications/cancelled", { requestId: "c", reason: "enough" });
    expect(messagesIn((await waiting.done()).text)).toEqual([]);
    await waitFor(() => messages().length, 5000, "the server to be told");
    expect(messages()[0]?.params).toMatchObject({ requestId: callsOf()[0]?.id });
    const again = await client.request("ping", {}, { id: "c" }).done();
    expect(again.status).toBe(200);
  });

  it("go on when the client hangs up, and their answers go nowhere", async () => {
    const workbench = await start();
    const client = workbench.client();
    await client.initialize();
    const stream = client.listen();
    const params = useTool("dev/fx/sleep", { ms: 500 });
    const left = client.request("tools/call", params, { id: 9 });
    const witness = workbench.witness("dev", "fx");
    await waitFor(() => witness.callsOf("sleep").length, 10_000, "the call to arrive");
    left.hangUp();
    await delay(700);
    expect(witness.messages("notifications/cancelled")).toEqual([]);
    // Its id is free again, and nothing of the old answer comes with the new one.
    const next = await client.request("tools/call", useTool("dev/fx/echo", { text: "new" }), {
      id: 9,
    });
    expect(textOf(messagesIn((await next.done()).text)[0])).toBe("new");
    expect(stream.messages).toEqual([]);
  });
});

describe("S-22: sessions that nobody ends", () => {
  it("end by themselves, with everything that belongs to them", async () => {
    const workbench = await start({ sessionIdleMs: 1000 });
    const warm = workbench.client();
    await warm.initialize();
    await warm.leave();
    const before = { rss: rss(workbench.pid), fds: fds(workbench.pid).length };
    for (let round = 0; round < 10; round++)
      await Promise.all(Array.from({ length: 50 }, () => workbench.client().initialize()));
    expect(await sessionsOf(workbench)).toBeGreaterThan(0);
    await waitFor(async () => (await sessionsOf(workbench)) === 0, 4000, "sessions to end");
    expect(rss(workbench.pid) - before.rss).toBeLessThan(40 * 1024 * 1024);
    expect(fds(workbench.pid).length - before.fds).toBeLessThan(10);
  });

  it("stay as long as a stream is open or a call runs", async () => {
    const workbench = await start({ sessionIdleMs: 400 });
    const [listening, calling] = [workbench.client(), workbench.client()];
    await Promise.all([listening.initialize(), calling.initialize()]);
    const stream = listening.listen();
    const call = calling.ask("tools/call", useTool("dev/fx/sleep", { ms: 1500 }));
    await delay(1200);
    expect(await sessionsOf(workbench)).toBe(2);
    expect(textOf(await call)).toBe("slept 1500");
    expect((await listening.request("ping").done()).status).toBe(200);
    stream.hangUp();
    await waitFor(async () => (await sessionsOf(workbench)) === 0, 4000, "sessions to end");
  });

  it("make room for new ones, the longest unused first; those in use stay", async () => {
    const workbench = await start({ sessions: 3 });
    const clients = Array.from({ length: 3 }, () => workbench.client());
    for (const client of clients) await client.initialize();
    const [first, second, third] = clients;
    await first?.request("ping").done();
    const stream = third?.listen();
    await stream?.head();
    const fourth = workbench.client();
    expect((await fourth.initialize()).status).toBe(200);
    expect((await second?.request("ping").done())?.status).toBe(404);
    expect((await first?.request("ping").done())?.status).toBe(200);
    expect(await sessionsOf(workbench)).toBe(3);
    const streams = [first?.listen(), fourth.listen()];
    await Promise.all(streams.map((open) => open?.head()));
    const fifth = await workbench.client().initialize();
    expect(fifth.status).toBe(503);
    expect(Number(fifth.headers["retry-after"])).toBeGreaterThan(0);
    expect(errorOf(fifth.text)?.message).toMatch(/^All 3 sessions are in use/);
    for (const client of [first, third, fourth])
      expect((await client?.request("ping").done())?.status).toBe(200);
  });
});
