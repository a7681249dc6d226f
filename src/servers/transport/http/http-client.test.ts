/** How long connections to remote servers are kept. */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { Cancellation } from "./cancellation.ts";
import { HttpClient } from "./http-client.ts";

const KEEP_IDLE_MS = 20;

const cleanup: (() => void)[] = [];
afterEach(() => {
  for (const end of cleanup.splice(0)) end();
});

/** A client, and its server, which responds like this. */
async function clientOf(respond: (response: ServerResponse) => void) {
  const server = createServer((_request, response) => respond(response));
  // Only the client closes idle connections.
  server.keepAliveTimeout = 0;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const url = new URL(`http://127.0.0.1:${port}/`);
  const client = new HttpClient(url, {}, 60_000, undefined, KEEP_IDLE_MS);
  cleanup.push(() => {
    client.close();
    server.closeAllConnections();
    server.close();
  });
  const request = async (): Promise<string> => {
    const post = { method: "POST" as const, headers: {}, body: "{}" };
    const response = await client.request(post, new Cancellation());
    return Buffer.concat((await response.collect(100)).parts).toString();
  };
  return { server, request };
}

describe("a connection to a remote server", () => {
  it("is kept for a request that takes longer than an idle connection may", async () => {
    const waiting: number[] = [0, 5 * KEEP_IDLE_MS];
    const { request } = await clientOf((response) => {
      // Both time limits are timers of this process, so the shorter one always ends first.
      setTimeout(() => response.end("answer"), waiting.shift());
    });
    expect(await request()).toBe("answer");
    expect(await request()).toBe("answer");
  });

  it("is closed when it has been idle for that time", async () => {
    const { server, request } = await clientOf((response) => response.end("answer"));
    const closed = new Promise<void>((resolve) => {
      server.on("connection", (socket) => socket.once("close", resolve));
    });
    expect(await request()).toBe("answer");
    await closed;
  });
});
