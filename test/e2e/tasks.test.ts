/** Tasks continue after the call that started them, and are requested by id alone. */
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { identifier } from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS, type RawClient } from "../support/raw-client.ts";
import { dev, fixture } from "../support/servers.ts";
import { startWorkbench } from "../support/workbench.ts";

const cleanup = perTest();
const EVERYTHING = fileURLToPath(new URL("../fixtures/everything-server.mjs", import.meta.url));
const everything = { command: process.execPath, args: [EVERYTHING, "--era", "modern"] };
const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "raw-client", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {
    extensions: { "io.modelcontextprotocol/tasks": {} },
  },
};

async function modern(client: RawClient, method: string, params: object): Promise<Reply> {
  const response = await client.request(method, { ...params, _meta: META });
  return { ...(response.result as object), error: response.error } as Reply;
}

interface Reply {
  readonly resultType?: string;
  readonly taskId?: string;
  readonly status?: string;
  readonly result?: { readonly content: unknown };
  readonly error?: { readonly code: number; readonly message: string };
}

describe("a task", () => {
  it("is found again among all servers by its id", async () => {
    const config = dev({ fx: fixture(), everything, twin: everything });
    const { client } = await startWorkbench(cleanup, config, { initialize: false });
    const started = await modern(client, "tools/call", {
      name: "use_tool",
      arguments: {
        tool: identifier("dev/everything/slow_compute"),
        arguments: { seconds: 0.05, label: "mine" },
      },
    });
    expect(started.resultType).toBe("task");
    const { taskId } = started;
    const get = (): Promise<Reply> => modern(client, "tasks/get", { taskId });
    await waitFor(async () => (await get()).status === "completed", GENEROUS_MS, "the task's end");
    expect((await get()).result?.content).toEqual([{ type: "text", text: "mine took 0.05 s" }]);
  });

  it("with an unknown id is not found", async () => {
    const { client } = await startWorkbench(cleanup, dev({ everything }), { initialize: false });
    const { error } = await modern(client, "tasks/get", { taskId: "unknown" });
    expect(error).toMatchObject({ code: -32602, message: 'Task "unknown" not found' });
  });
});
