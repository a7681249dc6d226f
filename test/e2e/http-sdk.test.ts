/** The official SDKs as clients over HTTP, with their automatic behaviour. */
import {
  Client as ClientV2,
  StreamableHTTPClientTransport as HttpV2,
} from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  ElicitRequestSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { beforeAll, describe, expect, it } from "vitest";
import { recorded } from "../support/clients/sdk.ts";
import { perBlock } from "../support/disposables.ts";
import { exchange } from "../support/http-client.ts";
import { type HttpWorkbench, startHttpWorkbench } from "../support/http-workbench.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { dev, fixture, publicServer } from "../support/servers.ts";

const INFO = { name: "sdk-client", version: "1.0.0" };
const cleanup = perBlock();
let workbench: HttpWorkbench;
beforeAll(async () => {
  workbench = await startHttpWorkbench(
    cleanup,
    dev({ fx: fixture(), everything: publicServer("everything") }),
  );
});

const options = () => ({
  requestInit: { headers: { Authorization: `Bearer ${workbench.token}` } },
});
const at = (path: string): URL => new URL(`${workbench.url}${path}`);
const use = (server: string, name: string, args: Record<string, unknown> = {}) => ({
  name: "use_tool",
  arguments: { tool: { toolbox: "dev", server, name }, arguments: args },
});
const text = (result: unknown): string | undefined =>
  (result as { content: { text?: string }[] }).content[0]?.text;

async function sessions(): Promise<number> {
  const headers = { authorization: `Bearer ${workbench.token}` };
  const { text: body } = await exchange(`${workbench.url}/api/status`, { method: "GET", headers });
  return (JSON.parse(body) as { sessions: number }).sessions;
}

describe("a client with SDK v1", () => {
  it("connects, lists, calls, gets progress, answers elicitation and leaves", async () => {
    const before = await sessions();
    const client = new ClientV1(INFO, { capabilities: { elicitation: {} } });
    client.setRequestHandler(ElicitRequestSchema, () => ({
      action: "accept",
      content: { ok: true },
    }));
    const transport = recorded(new HttpV1(at("/mcp"), options()));
    await client.connect(transport);
    expect(client.getServerVersion()?.name).toBe("mcp-workbench");
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain("use_tool");
    expect(text(await client.callTool(use("fx", "echo", { text: "v1" })))).toBe("v1");
    const progress: number[] = [];
    await client.callTool(use("fx", "progress", { n: 5 }), undefined, {
      onprogress: ({ progress: step }) => progress.push(step),
    });
    expect(progress.slice(0, 4)).toEqual([1, 2, 3, 4]);
    expect(JSON.parse(text(await client.callTool(use("fx", "elicit"))) ?? "")).toMatchObject({
      result: { action: "accept", content: { ok: true } },
    });
    await transport.terminateSession();
    await client.close();
    expect(await sessions()).toBe(before);
  });

  it("gets list_changed on its open stream", async () => {
    const client = new ClientV1(INFO);
    let changes = 0;
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void changes++);
    await client.connect(recorded(new HttpV1(at("/mcp/dev/fx"), options())));
    await client.callTool({ name: "change_list", arguments: {} });
    expect(await waitFor(() => changes, GENEROUS_MS, "list_changed")).toBe(1);
    await client.close();
  });

  it("is refused with the reason when its token is wrong", async () => {
    const requestInit = { headers: { Authorization: "Bearer wrong-wrong-wrong-wrong" } };
    const client = new ClientV1(INFO);
    const connecting = client.connect(recorded(new HttpV1(at("/mcp"), { requestInit })));
    await expect(connecting).rejects.toThrow(/Unauthorized: the token is not valid/);
  });

  it("sees a single server unchanged", async () => {
    const client = new ClientV1(INFO);
    await client.connect(recorded(new HttpV1(at("/mcp/dev/everything"), options())));
    expect(client.getServerVersion()?.name).toMatch(/everything/);
    const echo = await client.callTool({ name: "echo", arguments: { message: "through" } });
    expect(text(echo)).toBe("Echo: through");
    expect((await client.listPrompts()).prompts.length).toBeGreaterThan(0);
    const { resources } = await client.listResources();
    const first = await client.readResource({ uri: resources[0]?.uri ?? "" });
    expect(first.contents.length).toBeGreaterThan(0);
    await client.close();
  });
});

describe.each(["legacy", "auto", { pin: "2026-07-28" }] as const)(
  "a client with SDK v2 in mode %j",
  (mode) => {
    const connect = async (path: string): Promise<ClientV2> => {
      const client = new ClientV2(INFO, {
        capabilities: { elicitation: {} },
        versionNegotiation: { mode },
      });
      client.setRequestHandler("elicitation/create", () => ({
        action: "accept",
        content: { ok: true },
      }));
      await client.connect(recorded(new HttpV2(at(path), options())));
      return client;
    };

    it("negotiates its era", async () => {
      const client = await connect("/mcp");
      expect(client.getProtocolEra()).toBe(mode === "legacy" ? "legacy" : "modern");
      await client.close();
    });

    it("lists and calls, with progress and elicitation", async () => {
      const client = await connect("/mcp");
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toContain("use_tool");
      expect(text(await client.callTool(use("fx", "echo", { text: "v2" })))).toBe("v2");
      const progress: number[] = [];
      await client.callTool(use("fx", "progress", { n: 5 }), {
        onprogress: ({ progress: step }) => progress.push(step),
      });
      expect(progress.slice(0, 4)).toEqual([1, 2, 3, 4]);
      expect(JSON.parse(text(await client.callTool(use("fx", "elicit"))) ?? "")).toMatchObject({
        result: { action: "accept" },
      });
      await client.close();
    });

    it("cancels a call", async () => {
      const client = await connect("/mcp/dev/fx");
      const witness = workbench.witness("dev", "fx");
      const before = witness.messages("notifications/cancelled").length;
      const abort = new AbortController();
      const ms = 600_000;
      const call = client.callTool({ name: "sleep", arguments: { ms } }, { signal: abort.signal });
      const calls = witness.callsOf("sleep").length;
      await waitFor(
        () => witness.callsOf("sleep").length > calls,
        GENEROUS_MS,
        "the call to arrive",
      );
      abort.abort();
      await expect(call).rejects.toThrow(/abort/i);
      await waitFor(
        () => witness.messages("notifications/cancelled").length > before,
        GENEROUS_MS,
        "the server to be notified",
      );
      await client.close();
    });

    it("sees a single server unchanged", async () => {
      const client = await connect("/mcp/dev/everything");
      const echo = await client.callTool({ name: "echo", arguments: { message: "through" } });
      expect(text(echo)).toBe("Echo: through");
      expect((await client.listPrompts()).prompts.length).toBeGreaterThan(0);
      await client.close();
    });
  },
);
