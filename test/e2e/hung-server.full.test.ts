/**
 * A server that never answers holds up neither the other servers nor the client. In the full suite because
 * each case starts several programs; S-07 and S-08 of the torture scenarios are in `npm test`.
 */
import { describe, expect, it } from "vitest";
import { callTool, resultOf, useTool } from "../support/calls.ts";
import { META, MODERN } from "../support/clients/json-rpc.ts";
import { perTest } from "../support/disposables.ts";
import type { Params, RawClient } from "../support/raw-client.ts";
import { scriptServer } from "../support/script-server.ts";
import { type Config, type ServerEntry, toolbox } from "../support/servers.ts";
import { startWorkbench } from "../support/workbench.ts";

const cleanup = perTest();
const MISSING = "mcp-workbench/missing";
const CAPABILITIES = `{ tools: {}, prompts: {}, resources: {}, logging: {}, tasks: { list: {} } }`;
const ENVELOPE = {
  [`${META}protocolVersion`]: MODERN,
  [`${META}clientCapabilities`]: {},
  [`${META}clientInfo`]: { name: "raw-client", version: "1.0.0" },
};
/** Far longer than the test waits for an answer. At the end no answer is waited for. */
const NEVER = { timeouts: { callMs: 600_000, connectMs: 600_000, shutdownMs: 100 } };

const healthy = (): ServerEntry =>
  scriptServer(
    cleanup,
    `serve({
      ...legacy(${CAPABILITIES}),
      "prompts/list": () => ({ prompts: [{ name: "p" }] }),
      "resources/list": () => ({ resources: [{ uri: "x:/1", name: "r" }] }),
      "resources/templates/list": () => ({ resourceTemplates: [{ uriTemplate: "x:/{id}", name: "t" }] }),
      "tasks/list": () => ({ tasks: [{ taskId: "task-1", status: "working" }] }),
      "logging/setLevel": () => ({}),
    });`,
  );

/** Never answers these methods. */
const hung = (...methods: readonly string[]): ServerEntry & typeof NEVER => ({
  ...scriptServer(
    cleanup,
    `const never = () => undefined;
    serve({ ...legacy(${CAPABILITIES}), ${methods.map((method) => `"${method}": never`).join()} });`,
  ),
  ...NEVER,
});

const LISTS = ["prompts/list", "resources/list", "resources/templates/list"];
const EXPECTED = {
  "prompts/list": { prompts: [{ name: "dev__healthy__p" }] },
  "resources/list": { resources: [{ uri: "workbench://dev/healthy/x:/1", name: "r" }] },
  "resources/templates/list": {
    resourceTemplates: [{ uriTemplate: "workbench://dev/healthy/x:/{id}", name: "t" }],
  },
  "tasks/list": { tasks: [{ taskId: "task-1", status: "working" }] },
};
const MISSING_HUNG = [{ toolbox: "dev", server: "hung", reason: expect.any(String) as string }];

const config = (toolMode: "proxy" | "dynamic"): Config => ({
  toolMode,
  toolboxes: {
    dev: toolbox({
      healthy: healthy(),
      hung: hung(...LISTS, "tasks/list", "logging/setLevel"),
    }),
  },
});

async function answers(
  client: RawClient,
  methods: readonly string[],
  params: Params = {},
): Promise<Record<string, unknown>> {
  const results = methods.map(async (method) => {
    const { result } = await client.request(method, params);
    return [method, result] as const;
  });
  return Object.fromEntries(await Promise.all(results));
}

/** The lists of a legacy client that has opened the toolbox with the hung server. */
async function legacyLists(toolMode: "proxy" | "dynamic"): Promise<Record<string, unknown>> {
  const { client } = await startWorkbench(cleanup, config(toolMode));
  resultOf(await callTool(client, "open_toolbox", { toolbox: "dev" }));
  // Not a list: its answer does not wait for any server.
  const level = await client.request("logging/setLevel", { level: "info" });
  expect(level.result).toEqual({});
  return answers(client, [...LISTS, "tasks/list"]);
}

async function modernLists(): Promise<Record<string, unknown>> {
  const { client } = await startWorkbench(cleanup, config("proxy"), { initialize: false });
  for (const server of ["healthy", "hung"])
    resultOf(await useTool(client, `dev/${server}/hello`, {}, { meta: ENVELOPE }));
  return answers(client, LISTS, { _meta: ENVELOPE });
}

const expected = (methods: readonly (keyof typeof EXPECTED)[]): Record<string, unknown> =>
  Object.fromEntries(
    methods.map((method) => [
      method,
      expect.objectContaining({
        ...EXPECTED[method],
        _meta: expect.objectContaining({ [MISSING]: MISSING_HUNG }) as unknown,
      }) as unknown,
    ]),
  );

describe("a server that never answers", () => {
  it("is named in the lists of all servers, which contain what the others have", async () => {
    const [proxy, dynamic, modern] = await Promise.all([
      legacyLists("proxy"),
      legacyLists("dynamic"),
      modernLists(),
    ]);
    const lists = ["prompts/list", "resources/list", "resources/templates/list"] as const;
    expect(proxy).toEqual(expected([...lists, "tasks/list"]));
    expect(dynamic).toEqual(expected([...lists, "tasks/list"]));
    expect(modern).toEqual(expected(lists));
  });

  it("is named in the tools of a modern client", async () => {
    const toolboxes = {
      dev: toolbox({ healthy: healthy() }),
      stuck: toolbox({ hung: hung("tools/list") }),
    };
    const { client } = await startWorkbench(cleanup, { toolMode: "dynamic", toolboxes });
    // The workbench knows the tools of the healthy server from now on.
    resultOf(await callTool(client, "open_toolbox", { toolbox: "dev" }));
    const { result } = await client.request("tools/list", { _meta: ENVELOPE });
    const { tools, _meta: meta } = result as { tools: { name: string }[]; _meta: Params };
    expect(tools.map(({ name }) => name)).toEqual([
      "search_tools",
      "run_script",
      "dev__healthy__hello",
    ]);
    expect(meta[MISSING]).toEqual([
      { toolbox: "stuck", server: "hung", reason: expect.any(String) as string },
    ]);
  });

  it("is reported by open_toolbox once its connectMs are over", async () => {
    const stuck = { ...hung("initialize"), timeouts: { ...NEVER.timeouts, connectMs: 1000 } };
    const toolboxes = { dev: toolbox({ healthy: healthy(), stuck }) };
    const { client } = await startWorkbench(cleanup, { toolMode: "dynamic", toolboxes });
    const opened = await callTool(client, "open_toolbox", { toolbox: "dev" });
    expect(JSON.parse(resultOf(opened).content[0]?.text ?? "")).toMatchObject({
      servers_connected: 1,
      tools_registered: 1,
      servers_failed: [{ server: "stuck" }],
    });
  });
});
