/** Time over HTTP: requests that do not arrive (S-23), answers that take long, quiet streams. */
import { type Socket, connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { parseConfig } from "../../src/config/load.ts";
import { type HttpTimeouts, serveHttp } from "../../src/serve/http.ts";
import { Workbench } from "../../src/workbench/workbench.ts";
import { perTest } from "../support/disposables.ts";
import { HttpClient, messagesIn, textOf, useTool } from "../support/http-client.ts";
import { dev, fixture } from "../support/servers.ts";

const cleanup = perTest();

/** A workbench inside of the test, which may be less patient than the program. */
async function start(timeouts: Partial<HttpTimeouts>, ...options: string[]): Promise<string> {
  const settings = await parseConfig(JSON.stringify(dev({ fx: fixture(...options) })));
  const workbench = new Workbench(settings);
  const view = { scope: workbench.toolboxes };
  const front = await serveHttp(workbench, view, {
    address: { host: "127.0.0.1", port: 0 },
    token: undefined,
    timeouts,
  });
  cleanup.defer(async () => {
    await front.close();
    await workbench.close();
  });
  return front.url;
}

/** Everything that comes back on a connection until it is closed. */
async function readAll(socket: Socket): Promise<string> {
  let text = "";
  socket.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  socket.on("error", () => {});
  if (!socket.closed) await new Promise((resolve) => void socket.once("close", resolve));
  return text;
}

describe("S-23: a request that does not arrive", () => {
  it.each([
    ["head", "X-Slow: "],
    ["body", "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n"],
  ])("is given up in its %s, however often a byte comes", async (_part, opening) => {
    const url = await start({ headersMs: 300, requestMs: 600 });
    const { host, port } = new URL(url);
    const socket = connect(Number(port), "127.0.0.1");
    socket.write(`POST /mcp HTTP/1.1\r\nHost: ${host}\r\n${opening}`);
    const answer = readAll(socket);
    for (let i = 0; i < 100 && !socket.closed; i++) {
      if (socket.writable) socket.write("1");
      await delay(50);
    }
    expect(await answer).toMatch(/^HTTP\/1\.1 408 /);
  });
});

describe("an answer that takes long", () => {
  it("is announced by a stream that shows life", async () => {
    const client = new HttpClient(`${await start({ beatMs: 50 })}/mcp`, undefined);
    await client.initialize();
    for (const call of [
      client.request("tools/call", useTool("dev/fx/sleep", { ms: 700 })),
      client.modern("tools/call", useTool("dev/fx/sleep", { ms: 700 })),
    ]) {
      const { text, headers } = await call.done();
      expect(headers["content-type"]).toBe("text/event-stream");
      expect(text).toMatch(/^:$/m);
      expect(textOf(messagesIn(text)[0])).toBe("slept 700");
    }
  });

  it("is waited for in silence by a client that reads JSON only", async () => {
    const client = new HttpClient(`${await start({ beatMs: 20 })}/mcp`, undefined);
    await client.initialize();
    const headers = { accept: "application/json" };
    const params = useTool("dev/fx/sleep", { ms: 300 });
    const answer = await client.request("tools/call", params, { headers }).done();
    expect(answer.headers["content-type"]).toBe("application/json");
    expect(textOf(messagesIn(answer.text)[0])).toBe("slept 300");
  });

  it("may be the one to initialize, which then starts a session all the same", async () => {
    const url = await start({ beatMs: 50 }, "--start-delay", "800");
    const client = new HttpClient(`${url}/mcp/dev/fx`, undefined);
    const answer = await client.initialize();
    expect(answer.headers["content-type"]).toBe("text/event-stream");
    expect(messagesIn(answer.text)[0]?.result).toMatchObject({ serverInfo: { name: "fixture" } });
    expect(client.sessionId).toBeDefined();
    expect((await client.ask("tools/list")).error).toBeUndefined();
  });
});

describe("a stream with nothing to say", () => {
  it("shows life", async () => {
    const client = new HttpClient(`${await start({ beatMs: 50 })}/mcp`, undefined);
    await client.initialize();
    const streams = [client.listen(), client.modern("subscriptions/listen", { notifications: {} })];
    for (const stream of streams) await stream.head();
    await delay(400);
    for (const stream of streams) {
      expect(stream.text.match(/^:$/gm)?.length).toBeGreaterThan(2);
      expect(stream.ended).toBe(false);
      stream.hangUp();
    }
  });

  it("is refused to a client that cannot read it", async () => {
    const client = new HttpClient(`${await start({})}/mcp`, undefined);
    await client.initialize();
    const headers = { accept: "application/json" };
    const listen = client.modern("subscriptions/listen", { notifications: {} }, { headers });
    expect((await listen.done()).status).toBe(406);
    expect((await client.listen(headers).done()).status).toBe(406);
  });
});
