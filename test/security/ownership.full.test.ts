/**
 * What one client of a shared workbench started is out of reach for the others. In the full suite
 * because each case starts a workbench with two clients.
 */
import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { useToolParams } from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import { type Begun, type HttpClient, LEGACY, type ModernOptions } from "../support/http-client.ts";
import { type HttpWorkbench, startHttpWorkbench } from "../support/http-workbench.ts";
import { waitFor } from "../support/proc.ts";
import { scriptServer } from "../support/script-server.ts";
import { type ServerEntry, dev, fixture, toolbox } from "../support/servers.ts";

const cleanup = perTest();

/** A server whose tool starts a task; it notifies all clients about all tasks. */
function tasks(): ServerEntry {
  return scriptServer(
    cleanup,
    `let count = 0;
     const task = (taskId, status = "working") =>
       ({ taskId, status, ttl: 60000, createdAt: "2026-01-01T00:00:00Z", lastUpdatedAt: "2026-01-01T00:00:00Z" });
     serve({ ...legacy({ tools: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } }),
       "tools/call": (params) => params.task === undefined
         ? { content: [{ type: "text", text: "done" }] } : { task: task("task-" + ++count) },
       "tasks/list": () => ({ tasks: Array.from({ length: count }, (_, i) => task("task-" + (i + 1))) }),
       "tasks/get": ({ taskId }) => {
         send({ method: "notifications/tasks/status", params: task(taskId, "input_required") });
         send({ method: "notifications/progress", params: { progressToken: 1, progress: 1, message: "about " + taskId } });
         return task(taskId);
       },
       "tasks/result": ({ taskId }) => ({ content: [{ type: "text", text: "RESULT OF " + taskId }] }),
       "tasks/cancel": ({ taskId }) => task(taskId, "cancelled") });`,
  );
}

async function session(workbench: HttpWorkbench, path?: string): Promise<HttpClient> {
  const client = workbench.client(path);
  await client.initialize();
  return client;
}

describe.each([
  ["all toolboxes", "/mcp"],
  ["one toolbox", "/mcp/dev"],
  ["one server", "/mcp/dev/fx"],
])("a task of one session at the endpoint for %s", (_name, path) => {
  const start = { task: { ttl: 60_000 } };
  const params =
    path === "/mcp/dev/fx"
      ? { name: "hello", arguments: {}, ...start }
      : { ...useToolParams("dev/fx/hello", {}), ...start };
  const plain = path === "/mcp/dev/fx" ? { name: "hello" } : useToolParams("dev/fx/hello", {});

  it("does not exist for another session", async () => {
    const workbench = await startHttpWorkbench(cleanup, dev({ fx: tasks() }));
    const owner = await session(workbench, path);
    const other = await session(workbench, path);
    expect((await owner.ask("tools/call", params)).result).toMatchObject({
      task: { taskId: "task-1" },
    });
    await other.ask("tools/call", plain);
    expect((await other.ask("tasks/list")).result).toEqual({ tasks: [] });
    for (const method of ["tasks/get", "tasks/result", "tasks/cancel"]) {
      // One task of another client and one that never existed.
      for (const taskId of ["task-1", "task-9"]) {
        const refused = await other.ask(method, { taskId });
        expect(refused.error).toEqual({ code: -32602, message: `Task "${taskId}" not found` });
      }
    }
    expect((await owner.ask("tasks/list")).result).toMatchObject({ tasks: [{ taskId: "task-1" }] });
    expect((await owner.ask("tasks/result", { taskId: "task-1" })).result).toMatchObject({
      content: [{ text: "RESULT OF task-1" }],
    });
  });

  it("is announced to its own session only", async () => {
    const workbench = await startHttpWorkbench(cleanup, dev({ fx: tasks() }));
    const owner = await session(workbench, path);
    const other = await session(workbench, path);
    const [toOwner, toOther] = [owner.listen(), other.listen()];
    await Promise.all([toOwner.head(), toOther.head()]);
    await owner.ask("tools/call", params);
    await other.ask("tools/call", plain);
    await owner.ask("tasks/get", { taskId: "task-1" });
    await toOwner.method("notifications/tasks/status");
    // Anything sent to the other session was sent before this.
    await other.ask("ping");
    expect(toOther.messages.map(({ method }) => method)).not.toContain("notifications/progress");
    expect(toOther.text).not.toContain("task-1");
    toOwner.hangUp();
    toOther.hangUp();
  });
});

/** A modern server whose tool starts a task; it notifies every listener about all tasks. */
function modernTasks(): ServerEntry {
  return scriptServer(
    cleanup,
    `let count = 0;
     const task = (taskId, status = "working") =>
       ({ taskId, status, ttlMs: 60000, createdAt: "2026-01-01T00:00:00Z", lastUpdatedAt: "2026-01-01T00:00:00Z" });
     const complete = (result) => ({ resultType: "complete", ...result });
     serve({ ...modern({ tools: { listChanged: true }, extensions: { "io.modelcontextprotocol/tasks": {} } }),
       "tools/call": () => ({ resultType: "task", ...task("task-" + ++count) }),
       "tasks/get": ({ taskId }) => complete(task(taskId)),
       "tasks/update": () => complete({}),
       "tasks/cancel": () => complete({}),
       "subscriptions/listen": ({ notifications }, id) => {
         const _meta = { "io.modelcontextprotocol/subscriptionId": id };
         const tell = (method, params) => send({ method, params: { ...params, _meta } });
         tell("notifications/subscriptions/acknowledged", { notifications });
         for (let i = 1; i <= count; i++)
           tell("notifications/tasks", { ...task("task-" + i, "completed"), result: { content: [] } });
         tell("notifications/tools/list_changed", {});
       } });`,
  );
}

const TASKS = { extensions: { "io.modelcontextprotocol/tasks": {} } };
const as = (name: string): ModernOptions => ({
  capabilities: TASKS,
  meta: { "io.modelcontextprotocol/clientInfo": { name, version: "1.0.0" } },
});

describe("a task of one modern client at the endpoint for one server", () => {
  const start = async (): Promise<HttpClient> => {
    const workbench = await startHttpWorkbench(cleanup, dev({ fx: modernTasks() }));
    const client = workbench.client("/mcp/dev/fx");
    const call = { name: "hello", arguments: {} };
    const { text } = await client.modern("tools/call", call, as("owner")).done();
    expect(text).toContain("task-1");
    return client;
  };

  it("does not exist for a client with another name", async () => {
    const client = await start();
    const ask = async (name: string, method: string): Promise<string> =>
      (await client.modern(method, { taskId: "task-1" }, as(name)).done()).text;
    for (const method of ["tasks/get", "tasks/update", "tasks/cancel"])
      expect(await ask("other", method)).toContain("not found");
    expect(await ask("owner", "tasks/get")).toContain("working");
  });

  it.each(["taskIds", "TaskIds"])(
    "is announced to that client only, asked with %s",
    async (key) => {
      const client = await start();
      const listen = (name: string, ids: string): Begun => {
        const notifications = { toolsListChanged: true, [ids]: ["task-1"] };
        return client.modern("subscriptions/listen", { notifications }, as(name));
      };
      const [toOwner, toOther] = [listen("owner", "taskIds"), listen("other", key)];
      await toOwner.method("notifications/tasks");
      // Anything about tasks is sent before this.
      await toOther.method("notifications/tools/list_changed");
      expect(toOther.text).not.toContain("task-1");
      toOwner.hangUp();
      toOther.hangUp();
    },
  );

  it("of a session is not announced to a modern client", async () => {
    const workbench = await startHttpWorkbench(cleanup, dev({ fx: modernTasks() }));
    const legacy = await session(workbench, "/mcp/dev/fx");
    await legacy.ask("tools/call", { name: "hello", arguments: {} });
    const listening = workbench
      .client("/mcp/dev/fx")
      .modern(
        "subscriptions/listen",
        { notifications: { toolsListChanged: true, taskIds: ["task-1"] } },
        as("other"),
      );
    await listening.method("notifications/tools/list_changed");
    expect(listening.text).not.toContain("task-1");
    listening.hangUp();
  });
});

it("a legacy server does not list the tasks of all clients for a modern client", async () => {
  const workbench = await startHttpWorkbench(cleanup, dev({ fx: tasks() }));
  const client = workbench.client("/mcp/dev/fx");
  const call = { name: "hello", arguments: {}, task: { ttl: 60_000 } };
  const started = await client.modern("tools/call", call, as("owner")).done();
  expect(started.text).toContain("task-1");
  for (const method of ["tasks/list", "tasks/listAll"]) {
    const { text } = await client.modern(method, {}, as("other")).done();
    expect(text).toContain("-32601");
    expect(text).not.toContain("task-1");
  }
});

describe("a session", () => {
  it("that is in use survives a flood of new sessions", async () => {
    const config = { ...dev({ fx: fixture() }), http: { sessions: 10 } };
    const workbench = await startHttpWorkbench(cleanup, config);
    const used = await session(workbench);
    await used.ask("tools/list");
    for (let i = 0; i < 30; i++) await workbench.client().initialize();
    expect((await used.ask("tools/list")).result).toHaveProperty("tools");
  });

  it("survives a flood of sessions that are only opened, before its first request", async () => {
    const config = { ...dev({ fx: fixture() }), http: { sessions: 10 } };
    const workbench = await startHttpWorkbench(cleanup, config);
    const initialized = await session(workbench);
    const params = { protocolVersion: LEGACY, capabilities: {}, clientInfo: {} };
    for (let i = 0; i < 30; i++) {
      const { status } = await workbench.client().request("initialize", params).done();
      expect(status).toBe(200);
    }
    expect((await initialized.ask("tools/list")).result).toHaveProperty("tools");
  });

  it("survives a flood of sessions that are used as well", async () => {
    const config = { ...dev({ fx: fixture() }), http: { sessions: 5 } };
    const workbench = await startHttpWorkbench(cleanup, config);
    const used = await session(workbench);
    await used.ask("tools/list");
    const statuses: number[] = [];
    for (let i = 0; i < 10; i++) {
      const client = workbench.client();
      statuses.push((await client.initialize()).status);
      if (client.sessionId !== undefined) await client.ask("tools/list");
    }
    expect(statuses).toEqual([200, 200, 200, 200, 503, 503, 503, 503, 503, 503]);
    expect((await used.ask("tools/list")).result).toHaveProperty("tools");
  });
});

describe("the status of a workbench with a scope", () => {
  const toolboxes = {
    dev: toolbox({ one: fixture(), two: fixture() }),
    prod: toolbox({ hidden: fixture() }),
  };
  const statusOf = async ({ url, token }: HttpWorkbench): Promise<unknown> => {
    const headers = { authorization: `Bearer ${token}` };
    const { toolboxes: shown } = (await (await fetch(`${url}/api/status`, { headers })).json()) as {
      toolboxes: { name: string; servers: { name: string }[] }[];
    };
    return shown.map(({ name, servers }) => [name, servers.map((server) => server.name)]);
  };

  it.each([
    [
      [],
      [
        ["dev", ["one", "two"]],
        ["prod", ["hidden"]],
      ],
    ],
    [["--toolbox", "dev"], [["dev", ["one", "two"]]]],
    [["--server", "dev/two"], [["dev", ["two"]]]],
  ])("shows nothing else, started with %j", async (args, expected) => {
    const workbench = await startHttpWorkbench(cleanup, { toolboxes }, { args });
    expect(await statusOf(workbench)).toEqual(expected);
  });

  it("does not reveal problems in the rest of the configuration", async () => {
    const args = ["--toolbox", "dev"];
    const workbench = await startHttpWorkbench(cleanup, { toolboxes }, { args });
    const headers = { authorization: `Bearer ${workbench.token}` };
    const status = async (): Promise<string> =>
      (await fetch(`${workbench.url}/api/status`, { headers })).text();
    const broken = { ...toolboxes, prod: { ...toolboxes.prod, mcpServers: { hidden: {} } } };
    writeFileSync(workbench.configFile, JSON.stringify({ toolboxes: broken }));
    await waitFor(async () => (await status()).includes("doctor"), 60_000, "the problem");
    expect(await status()).not.toMatch(/prod|hidden/);
  });
});
