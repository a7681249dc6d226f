import { once } from "node:events";
import { createServer } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { settingsWith } from "../../test/support/fake-connection.ts";
import { clientProfile } from "../protocol/client-profile.ts";
import { MAX_CONNECTIONS } from "./crowd.ts";
import { Server } from "./server.ts";
import type { ServerClient } from "./connection/server-client.ts";

/** A legacy server that greets everyone. */
const remote = createServer((request, response) => {
  let body = "";
  request.on("data", (chunk: Buffer) => (body += chunk.toString()));
  request.on("end", () => {
    const { id } = JSON.parse(body === "" ? "{}" : body) as { id?: number };
    const serverInfo = { name: "remote", version: "1" };
    const result = { protocolVersion: "2025-11-25", capabilities: {}, serverInfo };
    response.writeHead(id === undefined ? 202 : 200, { "content-type": "application/json" });
    response.end(id === undefined ? undefined : JSON.stringify({ jsonrpc: "2.0", id, result }));
  });
});
let url = "";
beforeAll(async () => {
  await once(remote.listen(0, "127.0.0.1"), "listening");
  url = `http://127.0.0.1:${(remote.address() as { port: number }).port}/mcp`;
});
afterAll(() => {
  remote.closeAllConnections();
  remote.close();
});

const server = (isolation: "shared" | "session" = "shared"): Server =>
  new Server(settingsWith({ transport: { kind: "http", url, headers: {} }, isolation }));
/** A client with unique capabilities. */
const client = (n: number): ReturnType<typeof clientProfile> =>
  clientProfile("legacy", { experimental: { [n]: {} } }, {});
const keeper = {} as ServerClient;

describe("clients with many different capabilities", () => {
  it("get no more connections than the limit: the least used one is ended", async () => {
    const crowd = server();
    const first = await crowd.connect(client(0));
    const second = await crowd.connect(client(1));
    for (let n = 2; n < MAX_CONNECTIONS; n++) await crowd.connect(client(n));
    first.calls.lastUsed = performance.now();
    expect([crowd.connections.size, second.closed]).toEqual([MAX_CONNECTIONS, false]);
    await crowd.connect(client(MAX_CONNECTIONS));
    expect(crowd.connections.size).toBe(MAX_CONNECTIONS);
    expect([first.closed, second.closed]).toEqual([false, true]);
    await crowd.close();
  });

  it("are refused while all connections are in use, which are not affected", async () => {
    const crowd = server();
    for (let n = 0; n < MAX_CONNECTIONS; n++)
      (await crowd.connect(client(n))).clients.keepAliveFor.add(keeper);
    await expect(crowd.connect(client(MAX_CONNECTIONS))).rejects.toMatchObject({
      message: expect.stringContaining("different sets of capabilities use it"),
    });
    expect(crowd.connections.size).toBe(MAX_CONNECTIONS);
    expect((await crowd.connect(client(0))).closed).toBe(false);
    await crowd.close();
  });

  it("have a connection each if the configuration isolates sessions", async () => {
    const crowd = server("session");
    for (let n = 0; n <= MAX_CONNECTIONS; n++) await crowd.connect(client(n));
    expect(crowd.connections.size).toBe(MAX_CONNECTIONS + 1);
    await crowd.close();
  });
});
