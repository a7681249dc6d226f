import { afterAll, describe, expect, it } from "vitest";

import { requestIn } from "../../../test/support/fake-client.ts";
import { resolveConfig } from "../../config/load.ts";
import { Workbench } from "../../workbench/workbench.ts";
import { newSession } from "../client-factory.ts";

const settings = await resolveConfig(
  { toolboxes: { a: { description: "d", mcpServers: {} } }, log: { level: "silent" } },
  { env: {}, cwd: "." },
);
const workbench = new Workbench(settings, { cache: false });
afterAll(() => workbench.close());

interface Reply {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/** A client that records the answers it gets. */
class RecordingClient {
  readonly replies: Reply[] = [];
  readonly #waiting: (() => void)[] = [];
  readonly #session = newSession(
    workbench,
    { scope: workbench.toolboxes },
    {
      answer: () => {},
      reply: (_idText, message) => {
        this.replies.push(JSON.parse(message) as Reply);
        for (const resolve of this.#waiting.splice(0)) resolve();
      },
      send: () => {},
    },
  );

  send(id: number, method: string, params: object = {}): void {
    const text = JSON.stringify({ jsonrpc: "2.0", id, method, params });
    this.#session.caller.call(requestIn(text));
  }

  async ask(id: number, method: string, params: object = {}): Promise<Reply | undefined> {
    const before = this.replies.length;
    this.send(id, method, params);
    if (this.replies.length === before)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.replies[before];
  }
}

const INITIALIZE = { protocolVersion: "2025-11-25", capabilities: {} };

describe("the requests of a legacy client", () => {
  it.each(["tools/call", "tools/list", "logging/setLevel", "resources/subscribe", "no/such"])(
    "are refused before initialize: %s",
    async (method) => {
      const client = new RecordingClient();
      expect(await client.ask(1, method)).toMatchObject({
        error: { code: -32600, message: `Not initialized: send initialize before ${method}` },
      });
    },
  );

  it("may be ping before initialize", async () => {
    const client = new RecordingClient();
    expect(await client.ask(1, "ping")).toMatchObject({ result: {} });
  });

  it("initialize the session once", async () => {
    const client = new RecordingClient();
    expect(await client.ask(1, "initialize", INITIALIZE)).toMatchObject({
      result: { protocolVersion: "2025-11-25" },
    });
    expect(await client.ask(2, "initialize", INITIALIZE)).toMatchObject({
      error: { message: "Already initialized" },
    });
    expect(await client.ask(3, "tools/list")).toMatchObject({
      result: { tools: expect.any(Array) },
    });
    expect(await client.ask(4, "ping")).toMatchObject({ result: {} });
    expect(await client.ask(5, "no/such")).toMatchObject({ error: { code: -32601 } });
  });

  it("are refused while another request with the same id is in progress", async () => {
    const client = new RecordingClient();
    client.send(1, "initialize", INITIALIZE);
    expect(client.replies).toEqual([]);
    client.send(1, "ping");
    expect(client.replies).toMatchObject([
      { error: { code: -32600, message: "Invalid request: this id is still in use" } },
    ]);
    while (client.replies.length < 2) await new Promise((resolve) => setImmediate(resolve));
    expect(await client.ask(1, "ping")).toMatchObject({ result: {} });
  });
});
