/** What is told when a server with a url fails, and that nothing runs twice or stays behind for it. */
import { createServer } from "node:net";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type ChannelClient, type Outcome, openClient } from "../support/channel-client.ts";
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

describe("a call fails with a reason of its own when the server", () => {
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

describe("too much", () => {
  const limits = { messageBytes: 100_000 };

  it.each(["gzip-bomb", "sse-bomb"])("data of a %s is not taken", async (mode) => {
    const client = await connected({ limits });
    await chaos.set({ mode });
    const { oversized } = await client.callTool("echo");
    expect(oversized).toBeGreaterThan(limits.messageBytes);
    await chaos.set({ mode: "ok" });
    expect((await client.callTool("echo")).answer).toHaveProperty("result");
  });

  it.each(["sse-endless", "big-notification"])("of %s ends the response at once", async (mode) => {
    const client = await connected({ limits });
    await chaos.set({ mode });
    const { oversized } = await client.callTool("echo");
    expect(oversized).toBeGreaterThan(limits.messageBytes);
    await waitFor(async () => (await chaos.seen()).aborted === 1, 5000, "the end of the response");
    await chaos.set({ mode: "ok" });
    expect((await client.callTool("echo")).answer).toHaveProperty("result");
  });

  it.each(["json", "sse"])("data as %s is dropped and the channel goes on", async (style) => {
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
    "and %s keeps no connection after its call was given up",
    async (mode) => {
      await chaos.set({ mode, getStream: false });
      const client = await connected();
      const { call } = client.start("tools/call", { name: "echo" });
      await waitFor(async () => (await deliveries()) === 1, 5000, "the call");
      expect((await chaos.seen()).open).toBe(1);
      client.abandon(call);
      await waitFor(async () => (await chaos.seen()).open === 0, 5000, "the end of it");
    },
  );

  it("does not hold up a message that nobody waits for", async () => {
    await chaos.set({ mode: "half-open", on: "notifications/cancelled", getStream: false });
    const client = await connected({ timeouts: { connectMs: 300 } });
    client.channel.send('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}');
    await waitFor(async () => (await chaos.seen()).aborted === 1, 5000, "the end of it");
    expect((await chaos.seen()).open).toBe(0);
  });

  it("does not hold up the end of the channel", async () => {
    const silent = createServer((socket) => socket.on("error", () => {}));
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    cleanup.defer(() => silent.close());
    const { port } = silent.address() as { port: number };
    const client = await openClient(cleanup, `http://127.0.0.1:${port}/mcp`);
    client.start("initialize");
    await waitFor(() => client.channel.backlog > 0, 1000, "the request");
    await client.channel.close();
    await new Promise<void>((resolve) => {
      silent.getConnections((_, count) => (count === 0 ? resolve() : setTimeout(resolve, 100)));
    });
    expect(client.received).toEqual([]);
  });
});

describe("a server that cannot be reached", () => {
  it("because nothing listens there is told so, counts as lost, and can come back", async () => {
    const gone = await startChaosHttp(block);
    const client = await openClient(cleanup, `${gone.origin}/mcp`);
    await client.initialize();
    await client.callTool("echo");
    await gone.stop();
    const failure = await failureOf(client.callTool("echo"));
    expect(["refused", "reset"]).toContain(failure.code);
    const second = await failureOf(client.callTool("echo"));
    expect(second).toMatchObject({ code: "refused", mayHaveRun: false });
    expect(second.reason).toContain("ECONNREFUSED");
    await waitFor(() => client.lostReasons.length === 1, 1000, "the loss");
  });

  it("because its name is unknown is told so", async () => {
    const client = await openClient(cleanup, "http://nonexistent.invalid/mcp");
    const failure = await failureOf(client.request("initialize"));
    expect(failure).toMatchObject({ code: "dns", mayHaveRun: false });
    expect(failure.reason).toContain("nonexistent.invalid");
    // Before the handshake its failure says it all.
    expect(client.lostReasons).toEqual([]);
  });

  it("does not end other calls that are under way", async () => {
    const client = await connected();
    const slow = client.callTool("slow", { ms: 500, text: "still here" });
    await waitFor(async () => (await deliveries()) === 1, 5000, "the call");
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
    const other = await startChaosHttp(block);
    const client = await connected({ headers: { Authorization: "Bearer s3cret" } });
    await chaos.set({ mode: "redirect", location: `${other.origin}/mcp?key=x` });
    const failure = await failureOf(client.callTool("echo"));
    expect(failure).toMatchObject({ code: "redirectElsewhere", mayHaveRun: false });
    expect(failure.reason).toContain(other.origin);
    expect((await other.seen()).requests).toEqual([]);
  });

  it("that goes in circles is given up", async () => {
    const client = await connected();
    await chaos.set({ mode: "redirect", location: "/mcp" });
    const failure = await failureOf(client.callTool("echo"));
    expect(failure).toMatchObject({ code: "tooManyRedirects", mayHaveRun: false });
    expect(await deliveries()).toBe(6);
  });
});

describe("a server that wants to be left alone", () => {
  it.each([
    ["429", "rateLimited"],
    ["503", "unavailable"],
  ])(
    "(%s with Retry-After) is, for the reason it gave, and is asked again afterwards",
    async (mode, code) => {
      const client = await connected();
      await chaos.set({ mode, times: 1, retryAfter: 1 });
      const first = await failureOf(client.callTool("echo"));
      expect(first.reason).toContain("left alone for 1 s");
      const second = await failureOf(client.callTool("echo"));
      expect(second).toMatchObject({ code, mayHaveRun: false });
      expect(second.reason).toContain(`HTTP ${mode}`);
      expect(await deliveries()).toBe(1);
      await new Promise((resolve) => setTimeout(resolve, 1050));
      expect((await client.callTool("echo")).answer).toHaveProperty("result");
    },
  );
});

describe("an error without an id", () => {
  it("is the answer to the request it responds to", async () => {
    const client = await connected();
    await chaos.set({ mode: "id-less-error" });
    const { answer } = await client.callTool("echo");
    expect(answer?.["error"]).toEqual({ code: -32000, message: "Bad" });
  });
});
