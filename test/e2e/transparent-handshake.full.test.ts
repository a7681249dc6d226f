/**
 * The view of a single server completes the handshake whenever the server does. In the full suite
 * because each case starts a workbench; fidelity-raw.test.ts is in `npm test`.
 */
import { describe, expect, it } from "vitest";
import { openToolbox, toolErrorOf, useTool } from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import { scriptServer } from "../support/script-server.ts";
import { type ServerEntry, fixture, toolbox } from "../support/servers.ts";
import { type RunningWorkbench, startWorkbench } from "../support/workbench.ts";

const cleanup = perTest();
const ERROR = { code: -32603, message: "fetch failed", data: { token: "rejected" } };

/** Introduces itself, has a prompt, and handles `tools/list` like this. */
const server = (onToolsList: string, version = "2025-11-25"): ServerEntry =>
  scriptServer(
    cleanup,
    `serve({
      initialize: () => ({
        protocolVersion: "${version}",
        capabilities: { tools: {}, prompts: {} },
        serverInfo: { name: "script", version: "1.0.0" },
        instructions: "How to use it.",
      }),
      "prompts/list": () => ({ prompts: [{ name: "p" }] }),
      "tools/list": (params, id) => { ${onToolsList} },
    });`,
  );

const REFUSES = `send({ id, error: ${JSON.stringify(ERROR)} });`;

function viewOf(entry: ServerEntry, protocolVersion?: string): Promise<RunningWorkbench> {
  const config = { toolboxes: { dev: toolbox({ one: entry }) } };
  const args = ["serve", "--server", "dev/one"];
  return startWorkbench(cleanup, config, {
    args,
    ...(protocolVersion !== undefined && { protocolVersion }),
  });
}

describe("the view of a server whose tools/list fails", () => {
  it.each([["*"], ["hello"]])(
    "shows the server, its error and its prompts (toolFilters: %s)",
    async (filter) => {
      const { client, hello } = await viewOf({ ...server(REFUSES), toolFilters: [filter] });
      expect(hello).toMatchObject({
        serverInfo: { name: "script" },
        instructions: "How to use it.",
      });
      expect((await client.request("tools/list")).error).toEqual(ERROR);
      const { result } = await client.request("prompts/list");
      expect(result).toEqual({ prompts: [{ name: "p" }] });
    },
  );

  it("completes the handshake even if the server exits then", async () => {
    const { client, hello } = await viewOf(server("process.exit(9);"));
    expect(hello.serverInfo.name).toBe("script");
    expect((await client.request("tools/list")).error?.message).toContain("it exited with code 9");
  });

  it("completes the handshake even if tools/list is never answered", async () => {
    const entry = { ...server(""), timeouts: { connectMs: 600_000, shutdownMs: 100 } };
    const { hello } = await viewOf(entry);
    expect(hello.instructions).toBe("How to use it.");
  });
});

describe("the protocol version of the view of a server", () => {
  const NO_TOOLS = "send({ id, result: { tools: [] } });";

  it.each([
    ["2025-06-18", "2024-11-05", "2024-11-05"],
    ["2025-11-25", "2025-03-26", "2025-03-26"],
    ["2025-06-18", "2025-11-25", "2025-06-18"],
  ])("is the older of the two: client %s, server %s", async (asked, spoken, answered) => {
    const { hello } = await viewOf(server(NO_TOOLS, spoken), asked);
    expect(hello.protocolVersion).toBe(answered);
  });
});

describe("a server whose tools/list fails, among others", () => {
  it("is reported with its reason, and its prompts are listed", async () => {
    const { client } = await startWorkbench(cleanup, {
      toolboxes: { dev: toolbox({ one: server(REFUSES), fx: fixture() }) },
    });
    const opened = await openToolbox(client, "dev");
    expect(opened.servers_connected).toBe(1);
    expect(opened.servers_failed).toEqual([
      { server: "one", reason: "its tools cannot be listed: fetch failed (code -32603)" },
    ]);
    expect(toolErrorOf(await useTool(client, "dev/one/hello"))).toBe(
      "Failed to connect to server 'one' in toolbox 'dev': its tools cannot be listed: fetch failed (code -32603)",
    );
    const { result } = await client.request("prompts/list");
    expect(result).toMatchObject({ prompts: [{ name: "dev__one__p" }] });
  });

  it("works as soon as its tools can be listed", async () => {
    const recovering = server(
      `if (globalThis.asked) send({ id, result: { tools: [{ name: "hello", inputSchema: { type: "object" } }] } });
       else { globalThis.asked = true; ${REFUSES} }`,
    );
    const { client } = await startWorkbench(cleanup, {
      toolboxes: { dev: toolbox({ one: recovering }) },
    });
    const opened = await openToolbox(client, "dev");
    expect(opened.tools.map(({ name }) => name)).toEqual(["hello"]);
  });
});
