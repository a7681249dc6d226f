/** The older HTTP+SSE transport, and how it is detected. */
import { describe, expect, it, vi } from "vitest";
import { MODERN_META, openClient } from "../support/channel-client.ts";
import { type ChaosRecord, startChaosHttp } from "../support/chaos-http.ts";
import { perTest } from "../support/disposables.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { sharedChaos } from "../support/shared-chaos.ts";
import { stopClock } from "../support/stop-clock.ts";

const cleanup = perTest();
const chaos = sharedChaos();

const hasCall = ({ requests }: ChaosRecord): boolean =>
  requests.some(({ method }) => method === "tools/call");

const headers = { Authorization: "Bearer s3cret" };

describe("the older HTTP+SSE transport", () => {
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
    await chaos.until(({ open }) => open === 0, "the end of the stream");
  });

  it("is lost when the server closes its stream", async () => {
    const client = await openClient(cleanup, `${chaos.origin}/sse`, { kind: "sse" });
    await client.initialize();
    await chaos.set({ mode: "end-stream" });
    client.start("tools/call", { name: "echo" });
    await waitFor(() => client.lostReasons.length === 1, GENEROUS_MS, "the loss");
    expect(client.lostReasons[0]).toContain("closed the event stream");
  });

  it("leaves the time limit of a call to its caller", async () => {
    const timeouts = { callMs: 60_000 };
    const client = await openClient(cleanup, `${chaos.origin}/sse`, { kind: "sse", timeouts });
    await client.initialize();
    await chaos.set({ mode: "half-open" });
    stopClock();
    const { call } = client.start("tools/call", { name: "echo" });
    await chaos.until(hasCall, "the call");
    await vi.advanceTimersByTimeAsync(3 * timeouts.callMs);
    expect((await client.request("ping")).answer).toHaveProperty("result");
    expect(client.isAwaited(call)).toBe(true);
    expect((await chaos.seen()).aborted).toBe(0);
    expect(client.abandon(call)).toBe(false);
    await chaos.until(({ aborted }) => aborted === 1, "the end of the request");
  });

  it("ends a request without an HTTP response once its answer has arrived", async () => {
    const timeouts = { callMs: 60_000 };
    const client = await openClient(cleanup, `${chaos.origin}/sse`, { kind: "sse", timeouts });
    await client.initialize();
    await chaos.set({ mode: "silent-post" });
    stopClock();
    expect((await client.callTool("echo")).answer).toHaveProperty("result");
    expect((await chaos.seen()).aborted).toBe(0);
    await vi.advanceTimersByTimeAsync(timeouts.callMs);
    await chaos.until(({ aborted }) => aborted === 1, "the end of the request");
    expect(client.channel.backlog).toBe(0);
  });

  it("is lost when a message never ends", async () => {
    const client = await openClient(cleanup, `${chaos.origin}/sse`, { kind: "sse" });
    await client.initialize();
    await chaos.set({ mode: "endless-message" });
    client.start("tools/call", { name: "echo" });
    await waitFor(() => client.lostReasons.length === 1, GENEROUS_MS, "the loss");
    expect(client.lostReasons[0]).toContain("more than 5242880 bytes");
    await chaos.until(({ open }) => open === 0, "the end of the stream");
  });

  it("goes on after a message that is too large", async () => {
    const limits = { messageBytes: 100_000 };
    const client = await openClient(cleanup, `${chaos.origin}/sse`, { kind: "sse", limits });
    await client.initialize();
    client.start("tools/call", { name: "echo", arguments: { text: "x".repeat(200_000) } });
    await waitFor(() => client.oversizedMessages === 1, GENEROUS_MS, "the large message");
    const { answer } = await client.callTool("echo", { text: "x".repeat(90_000) });
    expect(answer).toHaveProperty("result");
    expect(client.lostReasons).toEqual([]);
  });

  it("does not send messages to another origin", async () => {
    const other = await startChaosHttp(cleanup);
    await chaos.set({ endpoint: `${other.origin}/messages?key=x` });
    const opened = openClient(cleanup, `${chaos.origin}/sse`, { kind: "sse", headers });
    await expect(opened).rejects.toMatchObject({ code: "endpointElsewhere" });
    expect((await other.seen()).requests).toEqual([]);
  });

  it("is not used when its first event never ends", async () => {
    await chaos.set({ mode: "sse-endless", on: "GET" });
    const opened = openClient(cleanup, `${chaos.origin}/sse`, {
      kind: "sse",
      timeouts: { connectMs: 60_000 },
    });
    await expect(opened).rejects.toMatchObject({ code: "noEndpoint" });
    await chaos.until(({ open }) => open === 0, "the end of the stream");
  });

  it("is not waited for beyond the connect time-out", async () => {
    const timeouts = { connectMs: 60_000 };
    await chaos.set({ mode: "no-endpoint" });
    stopClock();
    const opened = openClient(cleanup, `${chaos.origin}/sse`, { kind: "sse", timeouts });
    const failure = opened.catch((error: unknown) => error);
    await chaos.until(({ open }) => open === 1, "the stream");
    await vi.advanceTimersByTimeAsync(timeouts.connectMs);
    expect(await failure).toMatchObject({ code: "noEndpoint" });
    await chaos.until(({ open }) => open === 0, "the end of the stream");
  });

  it.each([
    ["/nowhere", "notFound"],
    ["/mcp", "badRequest"],
  ])("is not detected at %s", async (path, code) => {
    const opened = openClient(cleanup, `${chaos.origin}${path}`, { kind: "sse" });
    await expect(opened).rejects.toMatchObject({ code });
  });

  it.each([
    ["405", "does not open an event stream at the path of the url (HTTP 405)"],
    ["no-json", "responds with application/json where it should open an event stream"],
    ["html", "responds with text/html where it should open an event stream"],
  ])("is not detected where a stream is answered with %s", async (mode, words) => {
    await chaos.set({ mode, on: "GET" });
    const opened = openClient(cleanup, `${chaos.origin}/sse`, { kind: "sse" });
    await expect(opened).rejects.toMatchObject({
      reason: expect.stringContaining(words),
      fix: expect.stringContaining('"type": "http"'),
      mayHaveRun: false,
    });
  });

  it("delivers the answers to earlier requests after its session was renewed", async () => {
    const client = await openClient(cleanup, `${chaos.origin}/sse`, { kind: "sse" });
    await client.initialize();
    const slow = client.callTool("later", { text: "at last" });
    await chaos.until(hasCall, "the call");
    await chaos.set({ forgetSessions: true });
    expect((await client.callTool("echo")).answer).toHaveProperty("result");
    await chaos.set({ release: true });
    expect(JSON.stringify((await slow).answer)).toContain("at last");
  });
});

describe("a server whose transport is not configured", () => {
  it("is used over Streamable HTTP when it supports that", async () => {
    const client = await openClient(cleanup, `${chaos.origin}/mcp`, { kind: "auto" });
    await client.initialize();
    expect((await client.callTool("echo")).answer).toHaveProperty("result");
    expect((await chaos.seen()).requests.every(({ path }) => path === "/mcp")).toBe(true);
  });

  it("is used over HTTP+SSE when that is all it supports", async () => {
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

  it("is sent no modern request over the older transport", async () => {
    const client = await openClient(cleanup, `${chaos.origin}/sse`, { kind: "auto" });
    const { failure } = await client.request("server/discover", { _meta: MODERN_META });
    expect(failure).toMatchObject({ code: "notFound", mayHaveRun: false });
    await client.initialize();
    expect((await client.callTool("echo")).answer).toHaveProperty("result");
  });

  it("that supports neither is reported with its response to the first request", async () => {
    const client = await openClient(cleanup, `${chaos.origin}/nowhere`, { kind: "auto" });
    const { failure } = await client.request("initialize");
    expect(failure).toMatchObject({ code: "notFound", mayHaveRun: false });
    expect(failure?.fix).toContain("/mcp");
  });

  it("that supports Streamable HTTP is not mistaken for an older one after a later failure", async () => {
    const client = await openClient(cleanup, `${chaos.origin}/mcp`, { kind: "auto" });
    await client.initialize();
    await chaos.until(({ gets }) => gets === 1, "the stream");
    await chaos.set({ mode: "405" });
    expect((await client.callTool("echo")).failure).toMatchObject({ code: "notAllowed" });
    expect((await chaos.seen()).gets).toBe(1);
  });
});
