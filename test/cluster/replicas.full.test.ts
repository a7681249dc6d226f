/**
 * Three replicas behind a load balancer that sends each request to the next one. In the full suite because of its
 * processes; `npm test` has unit tests of the keys and the link to Redis.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { maxHeaderSize } from "node:http";
import {
  Client as ClientV2,
  StreamableHTTPClientTransport as HttpV2,
} from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as HttpV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { beforeAll, describe, expect, it } from "vitest";

import { firstText, useToolParams } from "../support/calls.ts";
import { HAS_OPENSSL, certificateAuthority } from "../support/certificates.ts";
import { recorded } from "../support/clients/sdk.ts";
import { ClusterRig, HAS_CLUSTER } from "../support/cluster-rig.ts";
import { perBlock } from "../support/disposables.ts";
import { type HttpClient } from "../support/http-client.ts";
import { type Config, fixture } from "../support/servers.ts";
import { prepareWorkbench, temporaryFolder } from "../support/workbench.ts";

/** The replicas that have this many sessions, by the status of each. */
async function sessionsOf(rig: ClusterRig): Promise<number[]> {
  return Promise.all(
    rig.replicas.map(async ({ url }) => {
      const headers = { authorization: `Bearer ${rig.token}` };
      const status = (await (await fetch(`${url}/api/status`, { headers })).json()) as {
        sessions: number;
      };
      return status.sessions;
    }),
  );
}

async function echo(client: HttpClient, text: string): Promise<string | undefined> {
  return firstText(await client.ask("tools/call", useToolParams("dev/a/echo", { text })));
}

describe.skipIf(!HAS_CLUSTER)("replicas", () => {
  const disposables = perBlock();
  let rig: ClusterRig;
  beforeAll(async () => {
    rig = await ClusterRig.start(disposables, {
      toolboxes: { dev: { description: "Test tools.", mcpServers: { a: fixture() } } },
    });
  });

  it("are ready when they have found Redis", async () => {
    for (const { url } of rig.replicas) {
      const answer = await fetch(`${url}/readyz`);
      expect([answer.status, await answer.json()]).toEqual([200, { status: "ready" }]);
    }
  });

  it("serve a session that one of them has", async () => {
    const client = rig.client();
    await client.initialize();
    for (let i = 0; i < 6; i++) expect(await echo(client, `call ${i}`)).toContain(`call ${i}`);
    expect((await sessionsOf(rig)).toSorted()).toEqual([0, 0, 1]);
    expect((await client.leave()).status).toBe(204);
    expect((await sessionsOf(rig)).toSorted()).toEqual([0, 0, 0]);
    for (let i = 0; i < 3; i++) expect((await client.request("ping").done()).status).toBe(404);
  });

  const INFO = { name: "sdk-client", version: "1.0.0" };
  const use = (name: string, args: Record<string, unknown> = {}) => ({
    name: "use_tool",
    arguments: { tool: { toolbox: "dev", server: "a", name }, arguments: args },
  });
  const options = () => ({ requestInit: { headers: { Authorization: `Bearer ${rig.token}` } } });
  const text = (result: unknown): string =>
    (result as { content: { text?: string }[] }).content[0]?.text ?? "";
  const yes = { action: "accept" as const, content: { ok: true } };

  it("serve a client with SDK v1, whose answer to a server comes through another replica", async () => {
    const client = new ClientV1(INFO, { capabilities: { elicitation: {} } });
    client.setRequestHandler(ElicitRequestSchema, () => yes);
    await client.connect(recorded(new HttpV1(new URL(`${rig.url}/mcp`), options())));
    for (let i = 0; i < 4; i++)
      expect(text(await client.callTool(use("echo", { text: `v1 ${i}` })))).toBe(`v1 ${i}`);
    for (let i = 0; i < 3; i++)
      expect(text(await client.callTool(use("elicit")))).toContain('"accept"');
    await client.close();
  });

  it.each(["legacy", "auto"] as const)("serve a client with SDK v2 in mode %s", async (mode) => {
    const client = new ClientV2(INFO, {
      capabilities: { elicitation: {} },
      versionNegotiation: { mode },
    });
    client.setRequestHandler("elicitation/create", () => yes);
    await client.connect(recorded(new HttpV2(new URL(`${rig.url}/mcp`), options())));
    for (let i = 0; i < 4; i++)
      expect(text(await client.callTool(use("echo", { text: `v2 ${i}` })))).toBe(`v2 ${i}`);
    for (let i = 0; i < 3; i++)
      expect(text(await client.callTool(use("elicit")))).toContain('"accept"');
    await client.close();
  });

  it("send no large result through Redis", async () => {
    const traffic = async (): Promise<number> => {
      const info = String(await rig.redis.command("INFO", "stats"));
      const of = (name: string): number => Number(new RegExp(`${name}:(\\d+)`).exec(info)?.[1]);
      return of("total_net_input_bytes") + of("total_net_output_bytes");
    };
    const client = rig.client();
    await client.initialize();
    const before = await traffic();
    for (let i = 0; i < 3; i++) {
      const answer = await client.ask(
        "tools/call",
        useToolParams("dev/a/big", { bytes: 1_000_000 }),
      );
      expect(firstText(answer)?.length).toBe(1_000_000);
    }
    expect(await traffic().then((after) => after - before)).toBeLessThan(200_000);
  });

  it("treat requests that pretend to come from a replica like any others", async () => {
    const client = rig.clientOf(0);
    await client.initialize();
    const forged = { "mcp-workbench-replica": `replica.replica.${Date.now()}.${"A".repeat(43)}` };
    // Another host is refused, as without the header.
    const foreign = await client
      .request("ping", {}, { headers: { ...forged, host: "evil.example" } })
      .done();
    expect(foreign.status).toBe(403);
    const question = await fetch(`${rig.replicas[0]?.url}/.cluster/session/x`, { headers: forged });
    expect(question.status).toBe(401);
    // A session of another principal or address does not exist, also not through another replica.
    const other = rig.clientOf(1, "/mcp/dev");
    other.sessionId = client.sessionId;
    expect((await other.request("ping").done()).status).toBe(404);
    const changed = rig.clientOf(1);
    changed.sessionId = `${client.sessionId?.slice(0, -2)}AA`;
    expect((await changed.request("ping").done()).status).toBe(404);
  });

  it("accept the same headers of clients, also near the limit", async () => {
    const clients = [rig.clientOf(0), rig.clientOf(1)] as const;
    await clients[0].initialize();
    clients[1].sessionId = clients[0].sessionId;
    const statuses = (bytes: number): Promise<number[]> =>
      Promise.all(
        clients.map(async (client) => {
          const headers = { "x-groups": "a".repeat(bytes) };
          return (await client.request("ping", {}, { id: client.url, headers }).done()).status;
        }),
      );
    // Another replica adds its signature, so that what it passes on is longer than a client may send.
    let bytes = maxHeaderSize;
    while ((await statuses(bytes))[0] === 431) bytes -= 16;
    expect(await statuses(bytes)).toEqual([200, 200]);
    expect(await statuses(bytes + 16)).toEqual([431, 431]);
  });

  it.skipIf(!HAS_OPENSSL)("do not start with a certificate and a plain address", async () => {
    const { cert, key } = certificateAuthority(temporaryFolder(disposables)).issue(
      "a",
      "IP:127.0.0.1",
    );
    const { redis, key: clusterKey } = rig;
    const cluster = { redis: redis.url, advertise: "http://127.0.0.1:1", keys: [clusterKey] };
    const config = { toolboxes: {}, http: { tls: { cert, key } }, cluster } as Config;
    const { command, args, dir, env } = prepareWorkbench(disposables, config);
    const child = spawn(command, [...args, "--http", "127.0.0.1:0"], { cwd: dir, env });
    disposables.defer(() => void child.kill("SIGKILL"));
    let stderr = "";
    child.stderr.on("data", (chunk) => (stderr += String(chunk)));
    const [code] = (await once(child, "close")) as [number];
    expect(code).toBe(3);
    expect(stderr).toContain("'cluster.advertise' has to begin with https://");
  });

  it("can be restarted one after the other under load, without a failed call", async () => {
    const restarting = new AbortController();
    const failures: string[] = [];
    let calls = 0;
    const load = Array.from({ length: 4 }, async (_, worker) => {
      const client = rig.client();
      await client.initialize();
      while (!restarting.signal.aborted) {
        const params = useToolParams("dev/a/echo", { text: `load ${worker}` });
        const { status, text: body } = await client.request("tools/call", params).done();
        calls++;
        if (!body.includes(`load ${worker}`)) failures.push(`${status} ${body}`);
      }
    });
    for (const { index } of rig.replicas) {
      const replica = rig.replicas[index];
      replica?.kill("SIGTERM");
      expect((await replica?.exited)?.code).toBe(0);
      await rig.startReplica(index);
    }
    restarting.abort();
    await Promise.all(load);
    expect(failures).toEqual([]);
    expect(calls).toBeGreaterThan(50);
  });
});
