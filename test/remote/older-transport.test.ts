/** The older HTTP+SSE transport, and how it is found. */
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type ChannelClient, MODERN_META, openClient } from "../support/channel-client.ts";
import { type ChaosHttp, startChaosHttp } from "../support/chaos-http.ts";
import { perBlock, perTest } from "../support/disposables.ts";
import { waitFor } from "../support/proc.ts";

const block = perBlock();
const cleanup = perTest();
let chaos: ChaosHttp;

beforeAll(async () => {
  chaos = await startChaosHttp(block);
});
beforeEach(() => chaos.set({ reset: true, forgetSessions: true }));

const headers = { Authorization: "Bearer s3cret" };

describe("HTTP+SSE", () => {
  it("carries requests by POST and answers on the stream", async () => {
    const client = await openClient(cleanup, `${chaos.origin}/sse`, { kind: "sse", headers });
    await client.initialize();
    const calls = Array.from({ length: 50 }, (_, i) => client.callTool("echo", { text: `n${i}` }));
    const answers = await Promise.all(calls);
    expect(answers.every(({ answer }) => answer?.["result"] !== undefined)).toBe(true);
    const { requests, executed } = await chaos.seen();
    expect(executed).toEqual({ echo: 50 });
    expect(requests.every((request) => request.headers["authorization"] === "Bearer s3cret")).toBe(
      true,
    );
    await client.channel.close();
    await waitFor(async () => (await chaos.seen()).open === 0, 5000, "the end of the stream");
  });

  it("ends with its stream", async () => {
    const client = await openClient(cleanup, `${chaos.origin}/sse`, { kind: "sse" });
    await client.initialize();
    await chaos.set({ mode: "end-stream" });
    client.start("tools/call", { name: "echo" });
    await waitFor(() => client.lostReasons.length === 1, 5000, "the loss");
    expect(client.lostReasons[0]).toContain("closed the event stream");
  });

  it("leaves it to the caller how long a call may take", async () => {
    const timeouts = { callMs: 100 };
    const client = await openClient(cleanup, `${chaos.origin}/sse`, { kind: "sse", timeouts });
    await client.initialize();
    await chaos.set({ mode: "half-open" });
    const { call, outcome } = client.start("tools/call", { name: "echo" });
    await client.request("ping");
    const patience = new Promise((resolve) => setTimeout(resolve, 350, "nothing yet"));
    expect(await Promise.race([outcome, patience])).toBe("nothing yet");
    expect(client.abandon(call)).toBe(false);
    await waitFor(async () => (await chaos.seen()).aborted === 1, 5000, "the end of the request");
  });

  it("keeps no request that is not responded to after its answer", async () => {
    const timeouts = { callMs: 100 };
    const client = await openClient(cleanup, `${chaos.origin}/sse`, { kind: "sse", timeouts });
    await client.initialize();
    await chaos.set({ mode: "silent-post" });
    expect((await client.callTool("echo")).answer).toHaveProperty("result");
    await waitFor(async () => (await chaos.seen()).aborted === 1, 5000, "the end of the request");
    expect(client.channel.backlog).toBe(0);
  });

  it("ends if a message has no end", async () => {
    const client = await openClient(cleanup, `${chaos.origin}/sse`, { kind: "sse" });
    await client.initialize();
    await chaos.set({ mode: "endless-message" });
    client.start("tools/call", { name: "echo" });
    await waitFor(() => client.lostReasons.length === 1, 5000, "the loss");
    expect(client.lostReasons[0]).toContain("more than 5242880 bytes");
    await waitFor(async () => (await chaos.seen()).open === 0, 5000, "the end of the stream");
  });

  it("does not end because a message is too large", async () => {
    const limits = { messageBytes: 100_000 };
    const client = await openClient(cleanup, `${chaos.origin}/sse`, { kind: "sse", limits });
    await client.initialize();
    client.start("tools/call", { name: "echo", arguments: { text: "x".repeat(200_000) } });
    await waitFor(() => client.oversizedMessages === 1, 5000, "the large message");
    const { answer } = await client.callTool("echo", { text: "x".repeat(90_000) });
    expect(answer).toHaveProperty("result");
    expect(client.lostReasons).toEqual([]);
  });

  it("does not send messages to another origin", async () => {
    const other = await startChaosHttp(block);
    await chaos.set({ endpoint: `${other.origin}/messages?key=x` });
    const opened = openClient(cleanup, `${chaos.origin}/sse`, { kind: "sse", headers });
    await expect(opened).rejects.toMatchObject({ code: "endpointElsewhere" });
    expect((await other.seen()).requests).toEqual([]);
  });

  it("is not waited for if its first word has no end", async () => {
    await chaos.set({ mode: "sse-endless", on: "GET" });
    const opened = openClient(cleanup, `${chaos.origin}/sse`, {
      kind: "sse",
      timeouts: { connectMs: 60_000 },
    });
    await expect(opened).rejects.toMatchObject({ code: "noEndpoint" });
    await waitFor(async () => (await chaos.seen()).open === 0, 5000, "the end of the stream");
  });

  it("is not waited for longer than a connection may take", async () => {
    await chaos.set({ mode: "no-endpoint" });
    const opened = openClient(cleanup, `${chaos.origin}/sse`, {
      kind: "sse",
      timeouts: { connectMs: 200 },
    });
    await expect(opened).rejects.toMatchObject({ code: "noEndpoint" });
    await waitFor(async () => (await chaos.seen()).open === 0, 5000, "the end of the stream");
  });

  it.each([
    ["/nowhere", "notFound"],
    ["/mcp", "badRequest"],
  ])("is not found at %s", async (path, code) => {
    const opened = openClient(cleanup, `${chaos.origin}${path}`, { kind: "sse" });
    await expect(opened).rejects.toMatchObject({ code });
  });

  it.each([
    ["405", "opens no event stream at the path of the url (HTTP 405)"],
    ["no-json", "responds with application/json where it should open an event stream"],
    ["html", "responds with text/html where it should open an event stream"],
  ])("is not found where a stream is answered with %s", async (mode, words) => {
    await chaos.set({ mode, on: "GET" });
    const opened = openClient(cleanup, `${chaos.origin}/sse`, { kind: "sse" });
    await expect(opened).rejects.toMatchObject({
      reason: expect.stringContaining(words),
      fix: expect.stringContaining('"type": "http"'),
      mayHaveRun: false,
    });
  });
});

describe("a session of the older transport that the server has forgotten", () => {
  const open = async (options = {}): Promise<ChannelClient> => {
    const client = await openClient(cleanup, `${chaos.origin}/sse`, { kind: "sse", ...options });
    await client.initialize();
    return client;
  };

  it.each([404, 410, 400])(
    "is renewed when it responds with %d, and the request is repeated",
    async (unknownSession) => {
      const client = await open();
      await client.callTool("echo");
      await chaos.set({ forgetSessions: true, unknownSession });
      const { answer } = await client.callTool("echo", { text: "again" });
      expect(JSON.stringify(answer)).toContain("again");
      expect(client.renewals).toBe(1);
      expect(client.lostReasons).toEqual([]);
      const { executed, requests, gets } = await chaos.seen();
      expect(executed).toEqual({ echo: 2 });
      expect(gets).toBe(2);
      const [first, second] = requests.filter(({ method }) => method === "initialize");
      expect(second?.message?.["params"]).toEqual(first?.message?.["params"]);
      const ids = client.received.map(({ message }) => message["id"]);
      expect(ids).toEqual([1, 2, 3]);
    },
  );

  it("is told again in the new one what was to hold for as long as it", async () => {
    const client = await open();
    await client.request("logging/setLevel", { level: "error" });
    await client.request("resources/subscribe", { uri: "a" });
    await chaos.set({ forgetSessions: true });
    await client.callTool("echo");
    const { requests } = await chaos.seen();
    const methods = requests.map(({ method }) => method);
    expect(methods.filter((method) => method === "initialize").length).toBe(2);
    expect(methods.slice(methods.lastIndexOf("initialize"))).toEqual([
      "initialize",
      "notifications/initialized",
      "logging/setLevel",
      "resources/subscribe",
      "tools/call",
    ]);
  });

  it("is renewed once for all requests that run into it", async () => {
    const client = await open();
    await chaos.set({ forgetSessions: true });
    const calls = Array.from({ length: 20 }, (_, i) => client.callTool("echo", { text: `n${i}` }));
    const answers = await Promise.all(calls);
    expect(answers.every(({ answer }) => answer?.["result"] !== undefined)).toBe(true);
    expect(client.renewals).toBe(1);
    const { executed, gets } = await chaos.seen();
    expect(executed).toEqual({ echo: 20 });
    expect(gets).toBe(2);
  });

  it("is not renewed for ever", async () => {
    const client = await open();
    await chaos.set({ mode: "404" });
    const { failure } = await client.callTool("echo");
    expect(failure).toMatchObject({ code: "lostSession", mayHaveRun: false });
    expect((await chaos.seen()).gets).toBe(2);
  });

  it.each([
    ["GET", "401", "HTTP 401"],
    ["initialize", "401", "HTTP 401"],
    ["initialize", "half-open", "no answer within 300 ms"],
  ])("that cannot be renewed (%s: %s) ends the channel", async (on, mode, words) => {
    const client = await open({ timeouts: { connectMs: 300 } });
    await chaos.set({ forgetSessions: true, mode, on });
    const calls = [client.callTool("echo"), client.callTool("echo")];
    for (const { failure } of await Promise.all(calls)) {
      expect(failure).toMatchObject({ code: "noNewSession", mayHaveRun: false });
      expect(failure?.reason).toContain(words);
    }
    await waitFor(() => client.lostReasons.length === 1, 1000, "the end");
    expect((await chaos.seen()).executed).toEqual({});
  });

  it("may still answer what it had taken before", async () => {
    const client = await open();
    const slow = client.callTool("later", { text: "at last" });
    await waitFor(
      async () => (await chaos.seen()).requests.some(({ method }) => method === "tools/call"),
      5000,
      "the call",
    );
    await chaos.set({ forgetSessions: true });
    expect((await client.callTool("echo")).answer).toHaveProperty("result");
    await chaos.set({ release: true });
    expect(JSON.stringify((await slow).answer)).toContain("at last");
  });
});

describe("a server of unknown kind", () => {
  it("is spoken to over Streamable HTTP if it can", async () => {
    const client = await openClient(cleanup, `${chaos.origin}/mcp`, { kind: "auto" });
    await client.initialize();
    expect((await client.callTool("echo")).answer).toHaveProperty("result");
    expect((await chaos.seen()).requests.every(({ path }) => path === "/mcp")).toBe(true);
  });

  it("is spoken to over HTTP+SSE if that is what it knows", async () => {
    const client = await openClient(cleanup, `${chaos.origin}/sse`, { kind: "auto" });
    await client.initialize();
    expect((await client.callTool("echo")).answer).toHaveProperty("result");
    const { requests } = await chaos.seen();
    expect(requests.map(({ verb, path }) => `${verb} ${path}`).slice(0, 3)).toEqual([
      "POST /sse",
      "GET /sse",
      "POST /messages",
    ]);
  });

  it("is not asked in the modern way over the older transport", async () => {
    const client = await openClient(cleanup, `${chaos.origin}/sse`, { kind: "auto" });
    const { failure } = await client.request("server/discover", { _meta: MODERN_META });
    expect(failure).toMatchObject({ code: "notFound", mayHaveRun: false });
    await client.initialize();
    expect((await client.callTool("echo")).answer).toHaveProperty("result");
  });

  it("that knows neither is told by what it responds to the first request", async () => {
    const client = await openClient(cleanup, `${chaos.origin}/nowhere`, { kind: "auto" });
    const { failure } = await client.request("initialize");
    expect(failure).toMatchObject({ code: "notFound", mayHaveRun: false });
    expect(failure?.fix).toContain("/mcp");
  });

  it("that knows the newer one is not mistaken because of a later failure", async () => {
    const client = await openClient(cleanup, `${chaos.origin}/mcp`, { kind: "auto" });
    await client.initialize();
    await waitFor(async () => (await chaos.seen()).gets === 1, 5000, "the stream");
    await chaos.set({ mode: "405" });
    expect((await client.callTool("echo")).failure).toMatchObject({ code: "notAllowed" });
    expect((await chaos.seen()).gets).toBe(1);
  });
});
