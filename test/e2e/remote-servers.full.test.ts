/**
 * Servers with a url, used through the program by a client on stdio. In the full suite because it
 * starts the program for each fault; test/remote tries the faults in one process, and S-27 in
 * test/torture with the program.
 */
import { join } from "node:path";
import { writeFileSync } from "node:fs";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { failureOf, openToolbox, textOf, useTool } from "../support/calls.ts";
import { type ChaosHttp, type SeenRequest, startChaosHttp } from "../support/chaos-http.ts";
import { perBlock, perTest } from "../support/disposables.ts";
import { freePort } from "../support/free-port.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { remoteConfig } from "../support/remote.ts";
import { fixture } from "../support/servers.ts";
import { type RunningWorkbench, startWorkbench, temporaryFolder } from "../support/workbench.ts";

const block = perBlock();
const cleanup = perTest();
let chaos: ChaosHttp;

beforeAll(async () => {
  chaos = await startChaosHttp(block);
});
beforeEach(() => chaos.set({ reset: true, forgetSessions: true }));

/** A workbench with the server as `api`, which has no OAuth, and with these others. */
function start(entry: object = {}, options = {}, others = {}): Promise<RunningWorkbench> {
  const api = { url: `${chaos.origin}/mcp`, oauth: false, ...entry };
  return startWorkbench(cleanup, remoteConfig({ api, ...others }), options);
}

const isStream = ({ verb, method }: SeenRequest): boolean =>
  verb === "GET" || method === "subscriptions/listen";

const ERAS = [
  ["legacy", { protocol: "2025-11-25" }],
  ["modern", { protocol: "2026-07-28" }],
] as const;

describe.each(ERAS)("a remote %s server", (era, entry) => {
  it("is used like a local one", async () => {
    const { client } = await start(entry, {}, { local: fixture() });
    const opened = await openToolbox(client, "dev");
    expect(opened.servers_connected).toBe(2);
    expect(opened.tools.map(({ name }) => name)).toContain("echo");
    expect(textOf(await useTool(client, "dev/api/echo", { text: "hello" }))).toBe("hello");
    await chaos.set({ style: "sse" });
    const progress = await useTool(
      client,
      "dev/api/progress",
      { steps: 3 },
      { meta: { progressToken: "p" } },
    );
    expect(textOf(progress)).toBe("done");
    const seen = client.notifications.filter(({ method }) => method === "notifications/progress");
    expect(seen.map(({ params }) => params)).toEqual(
      [1, 2, 3].map((step) => ({ progressToken: "p", progress: step })),
    );
  });

  it("gets only the configured headers and those of the protocol", async () => {
    const headers = { Authorization: "Bearer ${TOKEN}", "X-Own": "1" };
    const { client } = await start({ ...entry, headers }, { env: { TOKEN: "s3cret" } });
    await useTool(client, "dev/api/routed", { region: "eu", where: { zone: 1 } });
    const { requests } = await chaos.seen();
    const protocol =
      /^(host|connection|content-length|content-type|accept|accept-encoding|transfer-encoding|user-agent|mcp-.*)$/;
    for (const { headers: seen } of requests) {
      expect(seen).toMatchObject({ authorization: "Bearer s3cret", "x-own": "1" });
      const further = Object.keys(seen).filter((name) => !protocol.test(name));
      expect(further.sort()).toEqual(["authorization", "x-own"]);
    }
  });

  it("may announce new tools, which can then be called", async () => {
    const { client } = await start(entry);
    await openToolbox(client, "dev");
    await chaos.until(({ streams }) => streams === 1, "the stream");
    await chaos.set({ tools: [{ name: "fresh", inputSchema: { type: "object" } }] });
    await useTool(client, "dev/api/announce");
    await waitFor(
      async () => (await openToolbox(client, "dev")).tools.some(({ name }) => name === "fresh"),
      GENEROUS_MS,
      "the new tool",
    );
    expect(textOf(await useTool(client, "dev/api/fresh"))).toBe("done");
  });

  it("is asked for missed changes when its stream opens late", async () => {
    const on = era === "legacy" ? "GET" : "subscriptions/listen";
    await chaos.set({ mode: "502", on, times: 1 });
    const { client } = await start(entry);
    await openToolbox(client, "dev");
    await chaos.until(({ requests }) => requests.some(isStream), "the attempt");
    await chaos.set({ tools: [{ name: "fresh", inputSchema: { type: "object" } }] });
    await waitFor(
      async () => (await openToolbox(client, "dev")).tools.some(({ name }) => name === "fresh"),
      GENEROUS_MS,
      "the new tool",
    );
    expect((await chaos.seen()).streams).toBe(1);
  });

  it("is notified when the client cancels a call", async () => {
    const { client } = await start(entry);
    await openToolbox(client, "dev");
    const call = useTool(client, "dev/api/slow", { ms: 600_000 }, { id: "c1" });
    call.catch(() => {});
    const called = async (): Promise<boolean> =>
      (await chaos.seen()).requests.some(({ method }) => method === "tools/call");
    await waitFor(called, GENEROUS_MS, "the call");
    client.notify("notifications/cancelled", { requestId: "c1", reason: "enough" });
    await chaos.until(({ aborted }) => aborted === 1, "the end of the request");
    const isNotified = async (): Promise<boolean> =>
      (await chaos.seen()).requests.some(({ method }) => method === "notifications/cancelled");
    // A modern server notices only the end of the request.
    if (era === "legacy") await waitFor(isNotified, GENEROUS_MS, "the notification");
    expect(await isNotified()).toBe(era === "legacy");
  });

  it("that hangs fails its caller after callMs, and delays no other server", async () => {
    const patient = { url: `${chaos.origin}/mcp`, ...entry };
    // The list of its tools has to arrive within this time as well.
    const hasty = { ...patient, timeouts: { callMs: 3000 } };
    const config = remoteConfig({ patient, hasty, local: fixture() });
    const { client } = await startWorkbench(cleanup, config);
    await openToolbox(client, "dev");
    await chaos.set({ mode: "half-open" });
    const hanging = useTool(client, "dev/patient/echo", {}, { id: "hanging" });
    hanging.catch(() => {});
    expect(textOf(await useTool(client, "dev/local/echo", { text: "here" }))).toContain("here");
    const failure = failureOf(await useTool(client, "dev/hasty/echo"));
    expect(failure).toContain("no answer and no progress within 3000 ms");
    const given = async (): Promise<boolean> => (await chaos.seen()).aborted > 0;
    await waitFor(given, GENEROUS_MS, "the end of the request");
    expect(client.responsesTo("hanging")).toEqual([]);
    client.notify("notifications/cancelled", { requestId: "hanging" });
  });

  it("that fails a call is reported, and used again", async () => {
    const { client } = await start(entry);
    await openToolbox(client, "dev");
    for (const [mode, words, mayHaveRun] of [
      ["401", "HTTP 401", false],
      ["403", "HTTP 403", false],
      ["429", "HTTP 429", false],
      ["500", "HTTP 500", true],
      ["html", "text/html", true],
      ["sse-truncate", "ended the response before the answer was complete", true],
    ] as const) {
      await chaos.set({ reset: true });
      await chaos.set({ mode });
      const failure = failureOf(await useTool(client, "dev/api/echo"));
      expect(failure, mode).toContain(words);
      expect(failure, mode).toContain(
        mayHaveRun ? "may or may not have taken effect" : "The call had no effect",
      );
      const { requests } = await chaos.set({ mode: "ok" });
      expect(requests.filter(({ method }) => method === "tools/call").length, mode).toBe(1);
      expect(textOf(await useTool(client, "dev/api/echo", { text: "well" })), mode).toBe("well");
    }
  });

  it.each([
    ["401", "HTTP 401"],
    ["404", "HTTP 404"],
    ["502", "HTTP 502"],
    ["html", "text/html"],
  ])("that refuses the connection with %s is reported, and used again", async (mode, words) => {
    const { client } = await start(entry);
    await chaos.set({ mode, on: "*" });
    const failure = failureOf(await useTool(client, "dev/api/echo"));
    expect(failure).toMatch(
      /^Failed to connect to server 'api' in toolbox 'dev': [^:]*127\.0\.0\.1/,
    );
    expect(failure).toContain(words);
    await chaos.set({ mode: "ok" });
    expect(textOf(await useTool(client, "dev/api/echo", { text: "well" }))).toBe("well");
  });

  it.each(["*", "tools/call"])(
    "that answers %s with 401 needs a sign-in or a header, and is used again",
    async (on) => {
      const { client } = await start({ ...entry, oauth: undefined });
      if (on === "tools/call") await openToolbox(client, "dev");
      await chaos.set({ mode: "401", on });
      const failure = failureOf(await useTool(client, "dev/api/echo"));
      expect(failure).toMatch(/^Sign-in required for server 'api' in toolbox 'dev': /);
      expect(failure).toContain("if it takes an API key, set that in its headers");
      expect(failure).toContain("mcp-workbench login dev/api");
      const { requests } = await chaos.set({ mode: "ok" });
      const calls = requests.filter(({ method }) => method === "tools/call");
      expect(calls.length).toBe(on === "tools/call" ? 1 : 0);
      expect(textOf(await useTool(client, "dev/api/echo", { text: "well" }))).toBe("well");
    },
  );

  it("that answers with invalid JSON is reported in the log", async () => {
    const { client } = await start(entry);
    await openToolbox(client, "dev");
    await chaos.set({ mode: "no-json" });
    expect(failureOf(await useTool(client, "dev/api/echo"))).toContain("without an answer");
    const reported = "ignored data that is not a message: {not json";
    await client.when(() => client.stderr.includes(reported), "the message in the log");
  });

  it.each(["429", "503"])("gets no requests for the Retry-After time of HTTP %s", async (mode) => {
    const { client } = await start(entry);
    await chaos.set({ mode, on: "*", times: 1, retryAfter: 240 });
    const begin = performance.now();
    expect(failureOf(await useTool(client, "dev/api/echo"))).toContain("asks to wait 240 s");
    const left: number[] = [];
    for (let i = 0; i < 4; i++) {
      // Every failure states the cause and the remaining time; none of these calls extends it.
      const failure = failureOf(await useTool(client, "dev/api/echo"));
      expect(failure).toContain(`HTTP ${mode}) and has asked to wait`);
      left.push(Number(/; next try in (\S+) s/.exec(failure)?.[1]));
    }
    const elapsed = (performance.now() - begin) / 1000;
    expect(left).toEqual(left.toSorted((a, b) => b - a));
    expect(left[0]).toBeLessThanOrEqual(240);
    expect(left.at(-1)).toBeGreaterThanOrEqual(240 - elapsed);
    expect((await chaos.seen()).requests.length).toBe(1);
  });

  it("is used again after its Retry-After time", async () => {
    const { client } = await start(entry);
    await chaos.set({ mode: "429", on: "*", times: 1, retryAfter: 1 });
    const begin = performance.now();
    expect(failureOf(await useTool(client, "dev/api/echo"))).toContain("asks to wait 1 s");
    const heals = async (): Promise<boolean> =>
      (await useTool(client, "dev/api/echo")).line.includes("done");
    await waitFor(heals, GENEROUS_MS, "the server to be used again");
    expect(performance.now() - begin).toBeGreaterThan(990);
  });

  it("may restart at any time", async () => {
    const port = String(await freePort());
    const own = await startChaosHttp(cleanup, "--port", port);
    const { client } = await start({ ...entry, url: `${own.origin}/mcp` });
    expect(textOf(await useTool(client, "dev/api/echo", { text: "a" }))).toBe("a");
    await own.stop();
    expect(failureOf(await useTool(client, "dev/api/echo"))).toMatch(/ECONNREFUSED|ECONNRESET/);
    expect(failureOf(await useTool(client, "dev/api/echo"))).toContain("ECONNREFUSED");
    const again = await startChaosHttp(cleanup, "--port", port);
    const heals = async (): Promise<boolean> => {
      const { result } = await useTool(client, "dev/api/echo", { text: "b" });
      return (result as { isError?: boolean }).isError !== true;
    };
    await waitFor(heals, GENEROUS_MS, "the server to be used again");
    expect((await again.seen()).executed).toEqual({ echo: 1 });
  });
});

describe("a remote legacy server", () => {
  it("may forget the session: the call succeeds, and runs once", async () => {
    const { client } = await start();
    expect(textOf(await useTool(client, "dev/api/echo", { text: "a" }))).toBe("a");
    await chaos.set({ forgetSessions: true });
    expect(textOf(await useTool(client, "dev/api/echo", { text: "b" }))).toBe("b");
    const { requests, executed } = await chaos.seen();
    expect(executed).toEqual({ echo: 2 });
    expect(requests.filter(({ method }) => method === "initialize").length).toBe(2);
  });

  it("may send a request to the client during a call", async () => {
    const roots = [{ uri: "file:///tmp" }];
    const { client } = await start(
      {},
      { capabilities: { roots: {} }, responders: { "roots/list": () => ({ roots }) } },
    );
    const answer = textOf(await useTool(client, "dev/api/ask", { method: "roots/list" }));
    expect(JSON.parse(answer)).toEqual({ roots });
  });

  it("gets DELETE for its session when the workbench ends", async () => {
    const { client, stop } = await start();
    await useTool(client, "dev/api/echo");
    await stop();
    expect(await chaos.seen()).toMatchObject({ deletes: 1, sessions: 0 });
  });

  it("with the older transport is detected and used", async () => {
    const { client } = await start({ url: `${chaos.origin}/sse` });
    expect(textOf(await useTool(client, "dev/api/echo", { text: "old" }))).toBe("old");
  });

  it("with the older transport may forget the session: the call succeeds, and runs once", async () => {
    const { client } = await start({ type: "sse", url: `${chaos.origin}/sse` });
    await useTool(client, "dev/api/echo");
    await chaos.set({ forgetSessions: true });
    expect(textOf(await useTool(client, "dev/api/echo", { text: "again" }))).toBe("again");
    expect((await chaos.seen()).executed).toEqual({ echo: 2 });
  });

  it("with the older transport that hangs gets a cancellation", async () => {
    const timeouts = { callMs: 3000 };
    const { client } = await start({ type: "sse", url: `${chaos.origin}/sse`, timeouts });
    await openToolbox(client, "dev");
    await chaos.set({ mode: "half-open" });
    expect(failureOf(await useTool(client, "dev/api/echo"))).toContain(
      "no answer and no progress within 3000 ms",
    );
    const wasCancelled = async (): Promise<boolean> =>
      (await chaos.seen()).requests.some(({ method }) => method === "notifications/cancelled");
    await expect(waitFor(wasCancelled, GENEROUS_MS, "the cancellation")).resolves.toBe(true);
  });
});

describe("a remote modern server", () => {
  const entry = { protocol: "2026-07-28" };

  it("does not offer a tool with an invalid parameter header", async () => {
    const inputSchema = {
      type: "object",
      properties: { a: { type: "number", "x-mcp-header": "A" } },
    };
    await chaos.set({ tools: [{ name: "wrong", inputSchema }] });
    const { client } = await start(entry);
    const names = (await openToolbox(client, "dev")).tools.map(({ name }) => name);
    expect(names).toContain("routed");
    expect(names).not.toContain("wrong");
  });

  it("gets no call whose header might repeat another argument than the server reads", async () => {
    const { client } = await start(entry);
    expect((await useTool(client, "dev/api/routed", { region: "eu" })).error).toBeUndefined();
    const refused = await useTool(client, "dev/api/routed", { region: "eu", Region: "us" });
    expect(refused.error).toMatchObject({ code: -32602 });
    expect(refused.error?.message).toContain("could be mistaken for 'region'");
    const { requests } = await chaos.seen();
    expect(requests.filter(({ method }) => method === "tools/call")).toHaveLength(1);
  });

  it("is detected for a legacy client", async () => {
    await chaos.set({ eras: ["modern"] });
    const { client } = await start();
    expect(textOf(await useTool(client, "dev/api/echo", { text: "found" }))).toBe("found");
  });
});

describe("a modern client of a remote server", () => {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };

  async function methodsFor(settings: object): Promise<(string | undefined)[]> {
    await chaos.set({ getStream: false, ...settings });
    const { client } = await start({}, { initialize: false });
    expect(textOf(await useTool(client, "dev/api/echo", { text: "x" }, { meta }))).toBe("x");
    const { requests } = await chaos.seen();
    return requests.filter(({ verb }) => verb === "POST").map(({ method }) => method);
  }

  it("asks again after a refused version that the server does support", async () => {
    const methods = await methodsFor({ mode: "refused-version", on: "server/discover", times: 1 });
    expect(methods.slice(0, 3)).toEqual(["server/discover", "server/discover", "tools/list"]);
  });

  it.each([
    ["an error", { eras: ["legacy"] }],
    ["HTTP 400", { mode: "400", on: "server/discover" }],
    ["HTTP 404", { mode: "404", on: "server/discover" }],
    ["an error without an id", { mode: "id-less-error", on: "server/discover" }],
  ])(
    "falls back to initialize if the server refuses server/discover with %s",
    async (_, settings) => {
      const methods = await methodsFor(settings);
      expect(methods.slice(0, 3)).toEqual([
        "server/discover",
        "initialize",
        "notifications/initialized",
      ]);
    },
  );

  it.each(["401", "500"])("does not fall back to initialize after HTTP %s", async (mode) => {
    await chaos.set({ mode, on: "server/discover" });
    const { client } = await start({}, { initialize: false });
    expect(failureOf(await useTool(client, "dev/api/echo", {}, { meta }))).toContain(
      `HTTP ${mode}`,
    );
    // Looking for the metadata of an authorization server sends no message.
    const { requests } = await chaos.seen();
    const sent = requests.flatMap(({ method }) => method ?? []);
    expect(sent).toEqual(["server/discover"]);
  });
});

describe("a remote server that is not used", () => {
  it("costs nothing: the code for it is not loaded", async () => {
    const hook = join(temporaryFolder(cleanup), "loaded.cjs");
    const list =
      "process.moduleLoadList.filter((m) => /NativeModule (_http_client|http|https|zlib)$/.test(m))";
    const chunks = 'Object.keys(require.cache).filter((file) => file.includes("remote-channel"))';
    writeFileSync(
      hook,
      `process.on("exit", () => console.error("LOADED", JSON.stringify([...${list}, ...${chunks}])));`,
    );
    const env = { NODE_OPTIONS: `--require=${hook}` };
    const { client, stop } = await start({}, { env }, { local: fixture() });
    expect(textOf(await useTool(client, "dev/local/echo", { text: "x" }))).toContain("x");
    await stop();
    expect(client.stderr).toContain("LOADED []");
  });
});
