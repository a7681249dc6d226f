/**
 * The official servers over HTTP, used through the program. In the full suite because official
 * servers take four times as long to start as the fixtures in test/remote.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { beforeAll, describe, expect, it } from "vitest";
import { bundledFixture } from "../support/bundled-program.ts";
import { openToolbox, resultOf, textOf, useTool } from "../support/calls.ts";
import { type Disposables, perBlock, perTest } from "../support/disposables.ts";
import { freePort } from "../support/free-port.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS, type RawClient, type Response } from "../support/raw-client.ts";
import { remoteConfig } from "../support/remote.ts";
import { publicServer } from "../support/servers.ts";
import { type RunningWorkbench, startWorkbench } from "../support/workbench.ts";

const block = perBlock();
const cleanup = perTest();
const OFFICIAL = bundledFixture(new URL("../fixtures/official-http.mjs", import.meta.url));
const EVERYTHING = publicServer("everything").args?.[0] ?? "";

function startProcess(
  disposables: Disposables,
  args: string[],
  env: NodeJS.ProcessEnv = {},
): ChildProcess {
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  child.stderr?.resume();
  const exited = once(child, "exit");
  disposables.defer(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  return child;
}

function start(entry: object, options = {}): Promise<RunningWorkbench> {
  return startWorkbench(cleanup, remoteConfig({ api: entry }), options);
}

/** A client of the modern era describes itself in every request. */
const MODERN = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

describe("a server with an official SDK", () => {
  let origin = "";

  beforeAll(async () => {
    const child = startProcess(block, [OFFICIAL]);
    const [line] = (await once(child.stdout as NodeJS.ReadableStream, "data")) as [Buffer];
    origin = `http://127.0.0.1:${Number(line.toString())}`;
  });

  const ENTRIES = [
    ["/v1", {}],
    ["/v1-json", {}],
    ["/v1-sse", {}],
    ["/v1-sse", { type: "sse" }],
    ["/v2", {}],
    ["/v2-modern", {}],
    ["/v2", { protocol: "2026-07-28" }],
    ["/v2", { protocol: "2025-11-25" }],
  ] as const;

  describe.each([
    ["legacy", undefined, {}],
    ["modern", MODERN, { initialize: false }],
  ] as const)("serves a %s client", (_era, meta, options) => {
    let client: RawClient;
    beforeAll(async () => {
      const entries = ENTRIES.map(
        ([path, settings], i) => [`s${i}`, { url: `${origin}${path}`, ...settings }] as const,
      );
      const config = remoteConfig(Object.fromEntries(entries));
      ({ client } = await startWorkbench(block, config, options));
    });
    const echo = (server: number, text: string): Promise<Response> =>
      useTool(client, `dev/s${server}/echo`, { text }, { ...(meta && { meta }) });

    it.each(ENTRIES.map((entry, i) => [...entry, i] as const))(
      "at %s with %j, also with many calls at once",
      async (_path, _settings, i) => {
        expect(textOf(await echo(i, "hello"))).toBe("hello");
        const calls = Array.from({ length: 20 }, (_, n) => echo(i, `n${n}`));
        expect((await Promise.all(calls)).map(textOf)).toEqual(calls.map((_, n) => `n${n}`));
      },
    );
  });

  it.each(["/v1", "/v1-sse", "/v2"])("reports progress at %s", async (path) => {
    const { client } = await start({ url: `${origin}${path}` });
    const call = useTool(client, "dev/api/progress", { steps: 3 }, { meta: { progressToken: 7 } });
    expect(textOf(await call)).toBe("done");
    const progress = client.notifications.filter(
      ({ method }) => method === "notifications/progress",
    );
    expect(progress.map(({ params }) => params.progress)).toEqual([1, 2, 3]);
  });

  it.each(["/v1", "/v1-sse"])("sends elicitation to the client at %s", async (path) => {
    const { client } = await start(
      { url: `${origin}${path}` },
      {
        capabilities: { elicitation: {} },
        responders: { "elicitation/create": () => ({ action: "decline" }) },
      },
    );
    expect(textOf(await useTool(client, "dev/api/ask", {}))).toBe("decline");
  });

  it("may continue an answer on another connection", async () => {
    const { client } = await start({ url: `${origin}/v1` });
    expect(textOf(await useTool(client, "dev/api/poll", {}))).toBe("polled");
  });

  it("may forget the session", async () => {
    const { client } = await start({ url: `${origin}/v1` });
    expect(textOf(await useTool(client, "dev/api/echo", { text: "a" }))).toBe("a");
    await fetch(`${origin}/forget`);
    expect(textOf(await useTool(client, "dev/api/echo", { text: "b" }))).toBe("b");
  });

  it("gets the parameter headers of a tool", async () => {
    const { client } = await start({ url: `${origin}/v2-modern` });
    expect(textOf(await useTool(client, "dev/api/routed", { region: "Süd" }))).toBe("Süd");
  });
});

describe("the official server-everything", () => {
  it.each([
    ["streamableHttp", "/mcp"],
    ["sse", "/sse"],
  ])("works as %s", async (mode, path) => {
    const port = await freePort();
    startProcess(cleanup, [EVERYTHING, mode], { PORT: String(port) });
    const url = `http://127.0.0.1:${port}${path}`;
    const listening = (): Promise<boolean> =>
      fetch(new URL("/", url)).then(
        () => true,
        () => false,
      );
    await waitFor(listening, GENEROUS_MS, "the server");
    const responders = {
      "sampling/createMessage": () => ({
        role: "assistant",
        model: "none",
        content: { type: "text", text: "sampled" },
      }),
    };
    const { client } = await start({ url }, { capabilities: { sampling: {} }, responders });
    const opened = await openToolbox(client, "dev");
    expect(opened.tools.length).toBeGreaterThan(5);
    expect(textOf(await useTool(client, "dev/api/echo", { message: "hi" }))).toContain("hi");
    const sampled = resultOf(
      await useTool(client, "dev/api/trigger-sampling-request", { prompt: "p", maxTokens: 10 }),
    );
    expect(JSON.stringify(sampled)).toContain("sampled");
    const long = await useTool(
      client,
      "dev/api/trigger-long-running-operation",
      { duration: 1, steps: 4 },
      { meta: { progressToken: "t" } },
    );
    expect(resultOf(long).isError).not.toBe(true);
    const progress = client.notifications.filter(
      ({ method }) => method === "notifications/progress",
    );
    expect(progress.length).toBe(4);
  });
});
