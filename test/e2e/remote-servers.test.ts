/** Servers with a url, used through the program by a client on stdio. */
import { join } from "node:path";
import { writeFileSync } from "node:fs";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { failureOf, openToolbox, resultOf, textOf, useTool } from "../support/calls.ts";
import { type ChaosHttp, type SeenRequest, startChaosHttp } from "../support/chaos-http.ts";
import { perBlock, perTest } from "../support/disposables.ts";
import { waitFor } from "../support/proc.ts";
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

function start(entry: object = {}, options = {}): Promise<RunningWorkbench> {
  const api = { url: `${chaos.origin}/mcp`, ...entry };
  return startWorkbench(cleanup, remoteConfig({ api, local: fixture() }), options);
}

const isStream = ({ verb, method }: SeenRequest): boolean =>
  verb === "GET" || method === "subscriptions/listen";

const ERAS = [
  ["legacy", { protocol: "2025-11-25" }],
  ["modern", { protocol: "2026-07-28" }],
] as const;

describe.each(ERAS)("a %s server", (era, entry) => {
  it("is used like any other", async () => {
    const { client } = await start(entry);
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

  it("gets only what its configuration says in headers", async () => {
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

  it("announces other tools, and they are there", async () => {
    const { client } = await start(entry);
    await openToolbox(client, "dev");
    await waitFor(async () => (await chaos.seen()).streams === 1, 5000, "the stream");
    await chaos.set({ tools: [{ name: "fresh", inputSchema: { type: "object" } }] });
    await useTool(client, "dev/api/announce");
    await waitFor(
      async () => (await openToolbox(client, "dev")).tools.some(({ name }) => name === "fresh"),
      5000,
      "the new tool",
    );
    expect(textOf(await useTool(client, "dev/api/fresh"))).toBe("done");
  });

  it("is heard although it could not be at first, and what it did not say is found out", async () => {
    const on = era === "legacy" ? "GET" : "subscriptions/listen";
    await chaos.set({ mode: "502", on, times: 1 });
    const { client } = await start(entry);
    await openToolbox(client, "dev");
    await waitFor(async () => (await chaos.seen()).requests.some(isStream), 5000, "the attempt");
    await chaos.set({ tools: [{ name: "fresh", inputSchema: { type: "object" } }] });
    await waitFor(
      async () => (await openToolbox(client, "dev")).tools.some(({ name }) => name === "fresh"),
      15_000,
      "the new tool",
    );
    expect((await chaos.seen()).streams).toBe(1);
  });

  it("is told when the client gives a call up", async () => {
    const { client } = await start(entry);
    await openToolbox(client, "dev");
    const call = useTool(client, "dev/api/slow", { ms: 20_000 }, { id: "c1" });
    call.catch(() => {});
    const called = async (): Promise<boolean> =>
      (await chaos.seen()).requests.some(({ method }) => method === "tools/call");
    await waitFor(called, 5000, "the call");
    client.notify("notifications/cancelled", { requestId: "c1", reason: "enough" });
    await waitFor(async () => (await chaos.seen()).aborted === 1, 5000, "the end of the request");
    const told = (await chaos.seen()).requests.some(
      ({ method }) => method === "notifications/cancelled",
    );
    expect(told).toBe(era === "legacy");
  });

  it("that hangs costs its caller no more than the time-out, and others nothing", async () => {
    const { client } = await start({ ...entry, timeouts: { callMs: 600 } });
    await openToolbox(client, "dev");
    await chaos.set({ mode: "half-open" });
    const begun = performance.now();
    const hanging = useTool(client, "dev/api/echo");
    expect(textOf(await useTool(client, "dev/local/echo", { text: "here" }))).toContain("here");
    expect(failureOf(await hanging)).toContain("no answer and no progress within 600 ms");
    expect(performance.now() - begun).toBeLessThan(5000);
    await waitFor(async () => (await chaos.seen()).aborted > 0, 5000, "the end of the request");
  });

  it.each([
    ["401", "HTTP 401", false],
    ["403", "HTTP 403", false],
    ["429", "HTTP 429", false],
    ["500", "HTTP 500", true],
    ["html", "text/html", true],
    ["sse-truncate", "ended the response before the answer was complete", true],
  ])("that fails a call with %s is told, and heals", async (mode, words, mayHaveRun) => {
    const { client } = await start(entry);
    await openToolbox(client, "dev");
    await chaos.set({ mode });
    const failure = failureOf(await useTool(client, "dev/api/echo"));
    expect(failure).toContain(words);
    expect(failure).toContain(
      mayHaveRun ? "may or may not have taken effect" : "The call had no effect",
    );
    const { requests } = await chaos.set({ mode: "ok" });
    expect(requests.filter(({ method }) => method === "tools/call").length).toBe(1);
    expect(textOf(await useTool(client, "dev/api/echo", { text: "well" }))).toBe("well");
  });

  it.each([
    ["401", "HTTP 401"],
    ["404", "HTTP 404"],
    ["502", "HTTP 502"],
    ["html", "text/html"],
  ])("that cannot be connected because of %s is told, and heals", async (mode, words) => {
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

  it("that answers with what is no message is told so in the log", async () => {
    const { client } = await start(entry);
    await openToolbox(client, "dev");
    await chaos.set({ mode: "no-json" });
    expect(failureOf(await useTool(client, "dev/api/echo"))).toContain("without an answer");
    expect(client.stderr).toContain("ignored data that is no message: {not json");
  });

  it("that wants to be left alone while it is connected is, for that long", async () => {
    const { client } = await start(entry);
    await chaos.set({ mode: "429", on: "*", times: 1, retryAfter: 1 });
    expect(failureOf(await useTool(client, "dev/api/echo"))).toContain("left alone for 1 s");
    expect(failureOf(await useTool(client, "dev/api/echo"))).toMatch(
      /left alone; next try in \S+ s/,
    );
    expect((await chaos.seen()).requests.length).toBe(1);
    const heals = async (): Promise<boolean> =>
      (await useTool(client, "dev/api/echo")).line.includes("done");
    await waitFor(heals, 5000, "the server to be used again");
  });

  it("is not blamed for the tries of others while it wants to be left alone", async () => {
    const { client } = await start(entry);
    await chaos.set({ mode: "503", on: "*", times: 1, retryAfter: 2 });
    expect(failureOf(await useTool(client, "dev/api/echo"))).toContain("left alone for 2 s");
    const left: number[] = [];
    const works = async (): Promise<boolean> => {
      const answer = await useTool(client, "dev/api/echo", { text: "well" });
      if (resultOf(answer).isError !== true) return true;
      // Every one of them says why, and for how long still; none makes it longer.
      const [, seconds] = /HTTP 503\) .*; next try in (\S+) s/.exec(failureOf(answer)) ?? [];
      left.push(Number(seconds));
      return false;
    };
    await waitFor(works, 5000, "the server to be used again");
    expect(left.length).toBeGreaterThan(2);
    expect(left).toEqual(left.toSorted((a, b) => b - a));
    expect(left[0]).toBeLessThanOrEqual(2);
  });

  it("may restart at any time", async () => {
    const own = await startChaosHttp(cleanup);
    const { client } = await start({ ...entry, url: `${own.origin}/mcp` });
    expect(textOf(await useTool(client, "dev/api/echo", { text: "a" }))).toBe("a");
    await own.stop();
    expect(failureOf(await useTool(client, "dev/api/echo"))).toMatch(/ECONNREFUSED|ECONNRESET/);
    expect(failureOf(await useTool(client, "dev/api/echo"))).toContain("ECONNREFUSED");
    const again = await startChaosHttp(cleanup, "--port", String(own.port));
    const heals = async (): Promise<boolean> => {
      const { result } = await useTool(client, "dev/api/echo", { text: "b" });
      return (result as { isError?: boolean }).isError !== true;
    };
    await waitFor(heals, 5000, "the server to be used again");
    expect((await again.seen()).executed).toEqual({ echo: 1 });
  });
});

describe("a legacy server", () => {
  it("may forget the session: the call succeeds, and runs once", async () => {
    const { client } = await start();
    expect(textOf(await useTool(client, "dev/api/echo", { text: "a" }))).toBe("a");
    await chaos.set({ forgetSessions: true });
    expect(textOf(await useTool(client, "dev/api/echo", { text: "b" }))).toBe("b");
    const { requests, executed } = await chaos.seen();
    expect(executed).toEqual({ echo: 2 });
    expect(requests.filter(({ method }) => method === "initialize").length).toBe(2);
  });

  it("asks the client during a call, and gets its answer", async () => {
    const roots = [{ uri: "file:///tmp" }];
    const { client } = await start(
      {},
      { capabilities: { roots: {} }, responders: { "roots/list": () => ({ roots }) } },
    );
    const answer = textOf(await useTool(client, "dev/api/ask", { method: "roots/list" }));
    expect(JSON.parse(answer)).toEqual({ roots });
  });

  it("hears the end of the session when the program ends", async () => {
    const { client, stop } = await start();
    await useTool(client, "dev/api/echo");
    await stop();
    expect(await chaos.seen()).toMatchObject({ deletes: 1, sessions: 0 });
  });

  it("of the older transport is found, and used", async () => {
    const { client } = await start({ url: `${chaos.origin}/sse` });
    expect(textOf(await useTool(client, "dev/api/echo", { text: "old" }))).toBe("old");
  });

  it("of the older transport may forget the session: the call succeeds, and runs once", async () => {
    const { client } = await start({ type: "sse", url: `${chaos.origin}/sse` });
    await useTool(client, "dev/api/echo");
    await chaos.set({ forgetSessions: true });
    expect(textOf(await useTool(client, "dev/api/echo", { text: "again" }))).toBe("again");
    expect((await chaos.seen()).executed).toEqual({ echo: 2 });
  });

  it("of the older transport that hangs is told to stop, and is not said to have ended", async () => {
    const timeouts = { callMs: 600 };
    const { client } = await start({ type: "sse", url: `${chaos.origin}/sse`, timeouts });
    await openToolbox(client, "dev");
    await chaos.set({ mode: "half-open" });
    expect(failureOf(await useTool(client, "dev/api/echo"))).toContain(
      "no answer and no progress within 600 ms",
    );
    const told = async (): Promise<boolean> =>
      (await chaos.seen()).requests.some(({ method }) => method === "notifications/cancelled");
    await expect(waitFor(told, 5000, "the cancellation")).resolves.toBe(true);
  });
});

describe("a modern server", () => {
  const entry = { protocol: "2026-07-28" };

  it("offers no tool with a wish for headers that cannot be met", async () => {
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

  it("is found by a client of either era", async () => {
    await chaos.set({ eras: ["modern"] });
    const { client } = await start();
    expect(textOf(await useTool(client, "dev/api/echo", { text: "found" }))).toBe("found");
  });
});

describe("a client of the modern era", () => {
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

  it("asks a server again that has refused a version it knows", async () => {
    const methods = await methodsFor({ mode: "refused-version", on: "server/discover", times: 1 });
    expect(methods.slice(0, 3)).toEqual(["server/discover", "server/discover", "tools/list"]);
  });

  it.each([
    ["an error", { eras: ["legacy"] }],
    ["HTTP 400", { mode: "400", on: "server/discover" }],
    ["HTTP 404", { mode: "404", on: "server/discover" }],
    ["an error without an id", { mode: "id-less-error", on: "server/discover" }],
  ])("greets a server in the older way that refuses the newer with %s", async (_, settings) => {
    const methods = await methodsFor(settings);
    expect(methods.slice(0, 3)).toEqual([
      "server/discover",
      "initialize",
      "notifications/initialized",
    ]);
  });

  it.each(["401", "500"])("does not take %s for an answer to that", async (mode) => {
    await chaos.set({ mode, on: "server/discover" });
    const { client } = await start({}, { initialize: false });
    expect(failureOf(await useTool(client, "dev/api/echo", {}, { meta }))).toContain(
      `HTTP ${mode}`,
    );
    expect((await chaos.seen()).requests.map(({ method }) => method)).toEqual(["server/discover"]);
  });
});

describe("a server with a url that nobody uses", () => {
  it("costs nothing: the code for it is not even loaded", async () => {
    const hook = join(temporaryFolder(cleanup), "loaded.cjs");
    const list =
      "process.moduleLoadList.filter((m) => /NativeModule (_http_client|http|https|zlib)$/.test(m))";
    const chunks = 'Object.keys(require.cache).filter((file) => file.includes("remote-channel"))';
    writeFileSync(
      hook,
      `process.on("exit", () => console.error("LOADED", JSON.stringify([...${list}, ...${chunks}])));`,
    );
    const { client, stop } = await start({}, { env: { NODE_OPTIONS: `--require=${hook}` } });
    expect(textOf(await useTool(client, "dev/local/echo", { text: "x" }))).toContain("x");
    await stop();
    expect(client.stderr).toContain("LOADED []");
  });
});
