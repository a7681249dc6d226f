/** The channel for Streamable HTTP with a well-behaved server. */
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { firstText } from "../support/calls.ts";
import { type ChannelClient, MODERN_META, openClient } from "../support/channel-client.ts";
import type { SeenRequest } from "../support/chaos-http.ts";
import { perTest } from "../support/disposables.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { sharedChaos } from "../support/shared-chaos.ts";

const cleanup = perTest();
const chaos = sharedChaos();

const url = (): string => `${chaos.origin}/mcp`;

async function legacy(settings = {}): Promise<ChannelClient> {
  await chaos.set(settings);
  const client = await openClient(cleanup, url());
  await client.initialize();
  return client;
}

async function modern(settings = {}): Promise<ChannelClient> {
  await chaos.set(settings);
  const client = await openClient(cleanup, url());
  await client.discover();
  return client;
}

async function requestsOf(method: string): Promise<SeenRequest[]> {
  return (await chaos.seen()).requests.filter((request) => request.method === method);
}

describe("a legacy server over Streamable HTTP", () => {
  it.each(["json", "pretty", "sse", "gzip"])(
    "is understood when it answers as %s",
    async (style) => {
      const client = await legacy({ style });
      const { answer } = await client.callTool("echo", { text: "a\nb" });
      expect(firstText(answer)).toBe("a\nb");
      const last = client.received.at(-1);
      expect(last?.about).toBe("tools/call");
      expect(last?.text).not.toMatch(/[\r\n]/);
    },
  );

  it("receives the session and the protocol version with every request after the first", async () => {
    const client = await legacy();
    await client.callTool("echo");
    const { requests } = await chaos.seen();
    const [initialize, ...later] = requests.filter(({ verb }) => verb === "POST");
    expect(initialize?.headers).not.toHaveProperty("mcp-session-id");
    expect(initialize?.headers).not.toHaveProperty("mcp-protocol-version");
    expect(later.map(({ method }) => method)).toEqual(["notifications/initialized", "tools/call"]);
    for (const { headers } of later) {
      expect(headers["mcp-session-id"]).toMatch(/./);
      expect(headers["mcp-protocol-version"]).toBe("2025-11-25");
      expect(headers["accept"]).toBe("application/json, text/event-stream");
      expect(headers["content-type"]).toBe("application/json");
      expect(headers).not.toHaveProperty("mcp-method");
    }
  });

  it("receives no request before it has accepted notifications/initialized", async () => {
    const client = await openClient(cleanup, url());
    await client.initialize();
    await Promise.all([client.callTool("echo"), client.callTool("echo")]);
    const { requests } = await chaos.seen();
    const methods = requests.map(({ method }) => method).filter((method) => method !== undefined);
    expect(methods.slice(0, 2)).toEqual(["initialize", "notifications/initialized"]);
  });

  it("can send what belongs to no call on a separate stream", async () => {
    const client = await legacy();
    await chaos.until(({ streams }) => streams === 1, "the stream");
    await client.callTool("announce");
    await waitFor(() => client.received.length === 3, GENEROUS_MS, "the announcement");
    const announced = client.received.find(({ message }) => message["method"] !== undefined);
    expect(announced?.message["method"]).toBe("notifications/tools/list_changed");
    expect(announced?.about).toBeUndefined();
  });

  it("need not offer that stream", async () => {
    const client = await legacy({ getStream: false });
    await chaos.until(({ gets }) => gets === 1, "the attempt");
    await client.callTool("echo");
    await client.callTool("echo");
    expect((await chaos.seen()).gets).toBe(1);
  });

  it("can send a request during a call, and receives the answer as a POST", async () => {
    const client = await legacy();
    const asked = client.callTool("ask", { method: "roots/list" });
    await waitFor(() => client.received.length === 2, GENEROUS_MS, "the question");
    const question = client.received[1];
    expect(question?.about).toBe("tools/call");
    const id = JSON.stringify(question?.message["id"]);
    client.channel.send(`{"jsonrpc":"2.0","id":${id},"result":{"roots":[]}}`);
    expect(firstText((await asked).answer)).toBe('{"roots":[]}');
  });

  it("receives a DELETE at the end of the session", async () => {
    const client = await legacy();
    await client.channel.close();
    expect(await chaos.seen()).toMatchObject({ deletes: 1, sessions: 0 });
    await chaos.until(({ open }) => open === 0, "the end of the stream");
  });

  it("needs a notification to learn that a call was cancelled, and its connection is closed", async () => {
    const client = await legacy();
    const { call } = client.start("tools/call", { name: "slow", arguments: { ms: 20_000 } });
    await waitFor(
      async () => (await requestsOf("tools/call")).length === 1,
      GENEROUS_MS,
      "the call",
    );
    expect(client.abandon(call)).toBe(false);
    await chaos.until(({ aborted }) => aborted === 1, "the end of the request");
  });

  it.each(["resume", "resume-cut"])("may answer on a later connection (%s)", async (mode) => {
    const client = await legacy({ mode, retryMs: 300, getStream: false });
    const timers = vi.spyOn(globalThis, "setTimeout");
    onTestFinished(() => timers.mockRestore());
    const { answer } = await client.callTool("echo", { text: "late" });
    expect(firstText(answer)).toBe("late");
    // The pause that the server asked for, with up to a fifth more.
    const pauses = timers.mock.calls.map(([, ms = 0]) => ms);
    expect(pauses.filter((ms) => ms >= 300 && ms <= 360)).toHaveLength(1);
    const [, resumed] = (await chaos.seen()).requests.filter(({ verb }) => verb === "GET");
    expect(resumed?.headers).toHaveProperty("last-event-id");
    expect((await requestsOf("tools/call")).length).toBe(1);
    expect(client.received.at(-1)?.about).toBe("tools/call");
  });

  it("may put several messages into an array", async () => {
    const client = await legacy({ mode: "batch" });
    const { answer } = await client.callTool("echo", { text: "x" });
    expect(firstText(answer)).toBe("x");
    expect(client.received.at(-2)?.message["method"]).toBe("notifications/message");
  });

  it("may send its answer byte by byte", async () => {
    const client = await legacy({ mode: "tiny-chunks" });
    const { answer } = await client.callTool("echo", { text: "é".repeat(3000) });
    expect(firstText(answer)).toBe("é".repeat(3000));
  });

  it("can answer many calls at once, and each answer finds its call", async () => {
    const client = await legacy();
    const calls = Array.from({ length: 200 }, (_, i) => client.callTool("echo", { text: `n${i}` }));
    const answers = await Promise.all(calls);
    expect(answers.map(({ answer }) => firstText(answer))).toEqual(answers.map((_, i) => `n${i}`));
  });
});

describe("a modern server over Streamable HTTP", () => {
  it.each(["json", "pretty", "sse", "gzip"])(
    "is understood when it answers as %s",
    async (style) => {
      const client = await modern({ style });
      const { answer } = await client.callTool("echo", { text: "hello" }, MODERN_META);
      expect(firstText(answer)).toBe("hello");
    },
  );

  it("receives headers that repeat the message, and neither session nor stream", async () => {
    const client = await modern();
    await client.request("tools/list", { _meta: MODERN_META });
    await client.callTool("Grüße", {}, MODERN_META);
    const { requests } = await chaos.seen();
    expect(requests.map(({ headers }) => [headers["mcp-method"], headers["mcp-name"]])).toEqual([
      ["server/discover", undefined],
      ["tools/list", undefined],
      ["tools/call", `=?base64?${Buffer.from("Grüße").toString("base64")}?=`],
    ]);
    for (const { headers } of requests) {
      expect(headers["mcp-protocol-version"]).toBe("2026-07-28");
      expect(headers).not.toHaveProperty("mcp-session-id");
    }
  });

  it("receives arguments in headers as its tool declares", async () => {
    const client = await modern();
    const listed = (await client.request("tools/list", { _meta: MODERN_META })).answer;
    const { tools } = (listed ?? {})["result"] as {
      tools: { name: string; inputSchema: unknown }[];
    };
    for (const { name, inputSchema } of tools) client.schemas.set(name, inputSchema);
    const args = { region: " eu\n", where: { zone: 7 } };
    const { answer } = await client.callTool("routed", args, MODERN_META);
    expect(firstText(answer)).toBe("done");
    const [{ headers } = { headers: {} }] = await requestsOf("tools/call");
    expect(headers).toMatchObject({
      "mcp-param-region": "=?base64?IGV1Cg==?=",
      "mcp-param-zone": "7",
    });
  });

  it("learns from the end of the stream that a call was cancelled", async () => {
    const client = await modern();
    const params = { name: "slow", arguments: { ms: 20_000 }, _meta: MODERN_META };
    const { call } = client.start("tools/call", params);
    await waitFor(
      async () => (await requestsOf("tools/call")).length === 1,
      GENEROUS_MS,
      "the call",
    );
    expect(client.abandon(call)).toBe(true);
    await chaos.until(({ aborted }) => aborted === 1, "the end of the request");
  });

  it("does not get a broken stream resumed", async () => {
    const client = await modern({ mode: "resume" });
    const { failure } = await client.callTool("echo", {}, MODERN_META);
    expect(failure).toMatchObject({ code: "truncated", mayHaveRun: true });
    expect((await chaos.seen()).gets).toBe(0);
  });

  it("can answer with a JSON-RPC error whatever the HTTP status", async () => {
    const client = await modern();
    const { answer } = await client.request("initialize", { protocolVersion: "2025-11-25" });
    expect(answer).toHaveProperty("result");
    await chaos.set({ eras: ["modern"] });
    const refused = await client.request("initialize", { protocolVersion: "2025-11-25" });
    expect(refused.answer?.["error"]).toMatchObject({ code: -32022 });
  });

  it("is left without a session after an attempt in the legacy era", async () => {
    const client = await openClient(cleanup, url());
    await client.request("initialize", { protocolVersion: "2025-11-25" });
    expect((await chaos.seen()).sessions).toBe(1);
    await client.discover();
    await client.callTool("echo", {}, MODERN_META);
    await chaos.until(({ sessions }) => sessions === 0, "the end of the session");
  });
});

describe("the configured headers", () => {
  it("are sent with every request, and what the protocol needs cannot be replaced by them", async () => {
    const headers = { Authorization: "Bearer s3cret", Accept: "text/html", "Content-Length": "1" };
    const client = await openClient(cleanup, url(), { headers });
    await client.initialize();
    await client.callTool("echo");
    await chaos.until(({ gets }) => gets === 1, "the stream");
    await client.channel.close();
    const { requests } = await chaos.seen();
    expect(new Set(requests.map(({ verb }) => verb))).toEqual(new Set(["POST", "GET", "DELETE"]));
    for (const { headers: seen } of requests) expect(seen["authorization"]).toBe("Bearer s3cret");
    const posts = requests.filter(({ verb }) => verb === "POST");
    expect(posts.some(({ headers: seen }) => seen["accept"] === "text/html")).toBe(false);
  });

  it("are reported without their value when HTTP cannot carry them", async () => {
    const client = await openClient(cleanup, url(), { headers: { Authorization: "s3cret\nX: 1" } });
    const { failure } = await client.request("initialize");
    expect(failure).toMatchObject({ code: "badHeader", mayHaveRun: false });
    expect(failure?.reason).not.toContain("s3cret");
  });
});
