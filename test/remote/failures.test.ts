/** How failures of a server with a URL are reported; that no call runs twice and nothing stays behind. */
import { createServer } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type ChannelClient, type Outcome, openClient } from "../support/channel-client.ts";
import { startChaosHttp } from "../support/chaos-http.ts";
import { perTest } from "../support/disposables.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { sharedChaos } from "../support/shared-chaos.ts";
import { stopClock } from "../support/stop-clock.ts";

const cleanup = perTest();
const chaos = sharedChaos();

async function connected(options = {}): Promise<ChannelClient> {
  const client = await openClient(cleanup, `${chaos.origin}/mcp?key=s3cret`, options);
  await client.initialize();
  return client;
}

async function failureOf(outcome: Promise<Outcome>): Promise<NonNullable<Outcome["failure"]>> {
  const { failure, ...rest } = await outcome;
  if (failure === undefined) throw new Error(`no failure but ${JSON.stringify(rest)}`);
  return failure;
}

/** The number of times the call reached the server. */
async function deliveries(): Promise<number> {
  return (await chaos.seen()).requests.filter(({ method }) => method === "tools/call").length;
}

describe("a call fails with a specific reason when the server", () => {
  it.each([
    ["401", "unauthorized", false, "HTTP 401"],
    ["403", "forbidden", false, "HTTP 403"],
    ["429", "rateLimited", false, "HTTP 429"],
    ["405", "notAllowed", false, "HTTP 405"],
    ["400", "badRequest", false, "HTTP 400"],
    ["500", "serverError", true, "HTTP 500"],
    ["502", "serverError", true, "HTTP 502"],
    ["503", "unavailable", true, "HTTP 503"],
    ["html", "wrongContent", true, "text/html"],
    ["no-json", "noAnswer", true, "HTTP 200"],
    ["empty", "noAnswer", true, "HTTP 202"],
    ["json-truncate", "truncated", true, "ended the response"],
    ["sse-truncate", "truncated", true, "ended the response"],
    ["sse-cut", "truncated", true, "ended the response"],
    ["drop", "reset", true, "ECONNRESET"],
    ["not-http", "notHttp", true, "HPE_"],
    ["bad-gzip", "badEncoding", true, "Z_DATA_ERROR"],
    ["zstd", "badEncoding", true, "zstd"],
    ["redirect-303", "badStatus", true, "HTTP 303"],
    ["101", "badStatus", true, "HTTP 101"],
  ])("responds with %s", async (mode, code, mayHaveRun, words) => {
    const client = await connected({ headers: { Authorization: "Bearer s3cret" } });
    await chaos.set({ mode });
    const failure = await failureOf(client.callTool("echo"));
    expect(failure).toMatchObject({ code, mayHaveRun });
    expect(failure.reason).toContain(words);
    expect(`${failure.reason} ${failure.fix}`).not.toContain("s3cret");
    expect(await deliveries()).toBe(1);
    expect(client.lostReasons).toEqual([]);
    await chaos.set({ mode: "ok" });
    expect((await client.callTool("echo")).answer).toHaveProperty("result");
  });
});

describe("a response above the size limit", () => {
  const limits = { messageBytes: 100_000 };

  it.each(["gzip-bomb", "sse-bomb"])("is not read to its end: %s", async (mode) => {
    const client = await connected({ limits });
    await chaos.set({ mode });
    const { oversized } = await client.callTool("echo");
    expect(oversized).toBeGreaterThan(limits.messageBytes);
    await chaos.set({ mode: "ok" });
    expect((await client.callTool("echo")).answer).toHaveProperty("result");
  });

  it.each(["sse-endless", "big-notification"])("is closed at once: %s", async (mode) => {
    const client = await connected({ limits });
    await chaos.set({ mode });
    const { oversized } = await client.callTool("echo");
    expect(oversized).toBeGreaterThan(limits.messageBytes);
    await chaos.until(({ aborted }) => aborted === 1, "the end of the response");
    await chaos.set({ mode: "ok" });
    expect((await client.callTool("echo")).answer).toHaveProperty("result");
  });

  it.each(["json", "sse"])("is dropped and the channel goes on: %s", async (style) => {
    const client = await connected({ limits });
    await chaos.set({ style });
    const { oversized } = await client.callTool("echo", { text: "x".repeat(150_000) });
    expect(oversized).toBeGreaterThan(limits.messageBytes);
    expect((await client.callTool("echo", { text: "x".repeat(90_000) })).answer).toHaveProperty(
      "result",
    );
  });
});

describe("a server that is too slow", () => {
  it.each(["half-open", "headers-then-silence", "slow-body"])(
    "has no connection left after its call was cancelled: %s",
    async (mode) => {
      await chaos.set({ mode, getStream: false });
      const client = await connected();
      const isRefused = async (): Promise<boolean> => {
        const { gets, open } = await chaos.seen();
        return gets === 1 && open === 0;
      };
      await waitFor(isRefused, GENEROUS_MS, "the stream to be refused");
      const { call } = client.start("tools/call", { name: "echo" });
      await waitFor(async () => (await deliveries()) === 1, GENEROUS_MS, "the call");
      expect((await chaos.seen()).open).toBe(1);
      client.abandon(call);
      await chaos.until(({ open }) => open === 0, "the end of it");
    },
  );

  it("does not hold a notification longer than the connect time-out", async () => {
    await chaos.set({ mode: "half-open", on: "notifications/cancelled", getStream: false });
    const connectMs = 60_000;
    const client = await connected({ timeouts: { connectMs } });
    stopClock();
    client.channel.send('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}');
    await chaos.until(
      ({ requests }) => requests.some(({ method }) => method === "notifications/cancelled"),
      "the notification",
    );
    expect((await chaos.seen()).aborted).toBe(0);
    vi.advanceTimersByTime(connectMs);
    await chaos.until(({ aborted }) => aborted === 1, "the end of it");
    expect((await chaos.seen()).open).toBe(0);
  });

  it("does not delay the end of the channel", async () => {
    const silent = createServer((socket) => socket.on("error", () => {}));
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    cleanup.defer(() => silent.close());
    const { port } = silent.address() as { port: number };
    const client = await openClient(cleanup, `http://127.0.0.1:${port}/mcp`);
    client.start("initialize");
    await waitFor(() => client.channel.backlog > 0, GENEROUS_MS, "the request");
    await client.channel.close();
    const connections = (): Promise<number> =>
      new Promise((resolve) => silent.getConnections((_, count) => resolve(count)));
    const isLeft = async (): Promise<boolean> => (await connections()) === 0;
    await waitFor(isLeft, GENEROUS_MS, "the end of the connection");
    expect(client.received).toEqual([]);
  });
});

describe("a server that cannot be reached", () => {
  it("is reported as lost when nothing listens there", async () => {
    const gone = await startChaosHttp(cleanup);
    const client = await openClient(cleanup, `${gone.origin}/mcp`);
    await client.initialize();
    await client.callTool("echo");
    await gone.stop();
    const failure = await failureOf(client.callTool("echo"));
    expect(["refused", "reset"]).toContain(failure.code);
    const second = await failureOf(client.callTool("echo"));
    expect(second).toMatchObject({ code: "refused", mayHaveRun: false });
    expect(second.reason).toContain("ECONNREFUSED");
    await waitFor(() => client.lostReasons.length === 1, GENEROUS_MS, "the loss");
  });

  it("is reported when its name is unknown", async () => {
    const client = await openClient(cleanup, "http://nonexistent.invalid/mcp");
    const failure = await failureOf(client.request("initialize"));
    expect(failure).toMatchObject({ code: "dns", mayHaveRun: false });
    expect(failure.reason).toContain("nonexistent.invalid");
    // Before the handshake, its failure says everything.
    expect(client.lostReasons).toEqual([]);
  });

  it("does not end other calls in flight", async () => {
    const client = await connected();
    const slow = client.callTool("slow", { ms: 500, text: "still here" });
    await waitFor(async () => (await deliveries()) === 1, GENEROUS_MS, "the call");
    await chaos.set({ mode: "drop" });
    await client.callTool("echo");
    expect((await slow).answer).toHaveProperty("result");
    expect(client.lostReasons).toEqual([]);
  });
});

describe("a redirect", () => {
  it("within the origin is followed, as a POST and with all headers", async () => {
    const client = await connected({ headers: { Authorization: "Bearer s3cret" } });
    await chaos.set({ mode: "redirect", times: 1, location: "/moved" });
    expect((await client.callTool("echo")).answer).toHaveProperty("result");
    const { requests } = await chaos.seen();
    const [first, second] = requests.filter(({ method }) => method === "tools/call");
    expect(first?.path).toBe("/mcp");
    expect(second).toMatchObject({ verb: "POST", path: "/moved" });
    expect(second?.headers["authorization"]).toBe("Bearer s3cret");
  });

  it("to another origin is not followed", async () => {
    const other = await startChaosHttp(cleanup);
    const client = await connected({ headers: { Authorization: "Bearer s3cret" } });
    await chaos.set({ mode: "redirect", location: `${other.origin}/mcp?key=x` });
    const failure = await failureOf(client.callTool("echo"));
    expect(failure).toMatchObject({ code: "redirectElsewhere", mayHaveRun: false });
    expect(failure.reason).toContain(other.origin);
    expect((await other.seen()).requests).toEqual([]);
  });

  it("that leads back to itself is followed a limited number of times", async () => {
    const client = await connected();
    await chaos.set({ mode: "redirect", location: "/mcp" });
    const failure = await failureOf(client.callTool("echo"));
    expect(failure).toMatchObject({ code: "tooManyRedirects", mayHaveRun: false });
    expect(await deliveries()).toBe(6);
  });
});

describe("a server that sends Retry-After", () => {
  it.each([
    ["429", "rateLimited"],
    ["503", "unavailable"],
  ])("with %s gets no requests for that long, and is used again afterwards", async (mode, code) => {
    const client = await connected();
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    await chaos.set({ mode, times: 1, retryAfter: 60 });
    const first = await failureOf(client.callTool("echo"));
    expect(first.reason).toContain("asks to wait 60 s");
    const second = await failureOf(client.callTool("echo"));
    expect(second).toMatchObject({ code, mayHaveRun: false });
    expect(second.reason).toContain(`HTTP ${mode}`);
    expect(await deliveries()).toBe(1);
    vi.advanceTimersByTime(60_000);
    expect((await client.callTool("echo")).answer).toHaveProperty("result");
  });
});

describe("an error without an id", () => {
  it("is taken as the answer to the request of its response", async () => {
    const client = await connected();
    await chaos.set({ mode: "id-less-error" });
    const { answer } = await client.callTool("echo");
    expect(answer?.["error"]).toEqual({ code: -32000, message: "Bad" });
  });
});
