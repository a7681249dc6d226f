/** Time over HTTP: requests that do not arrive (S-23), answers that take long, quiet streams. */
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { parseConfig } from "../../src/config/load.ts";
import { type HttpTimeouts, serveHttp } from "../../src/serve/http.ts";
import { Workbench } from "../../src/workbench/workbench.ts";
import { firstText, useToolParams } from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import { closedGate } from "../support/gate.ts";
import { type Begun, HttpClient, LEGACY, messagesIn } from "../support/http-client.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { readAll } from "../support/read-all.ts";
import { dev, fixture } from "../support/servers.ts";

const cleanup = perTest();

/** A workbench inside the test, with shorter time limits than the program. */
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

/** The number of keep-alives on a stream: comments without text. */
const beatsIn = (text: string): number => text.match(/^:$/gm)?.length ?? 0;

async function waitForBeats(stream: Begun, count: number): Promise<void> {
  await waitFor(() => beatsIn(stream.text) >= count, GENEROUS_MS, `${count} keep-alives`);
}

describe("S-23: a request that does not arrive", () => {
  it.each([
    ["head", "X-Slow: "],
    ["body", "Content-Type: application/json\r\nContent-Length: 1000000\r\n\r\n"],
  ])("times out in its %s, although bytes keep arriving", async (_part, opening) => {
    const url = await start({ headersMs: 300, requestMs: 600 });
    const { host, port } = new URL(url);
    const socket = connect(Number(port), "127.0.0.1");
    socket.write(`POST /mcp HTTP/1.1\r\nHost: ${host}\r\n${opening}`);
    const trickle = setInterval(() => socket.writable && socket.write("1"), 50);
    cleanup.defer(() => clearInterval(trickle));
    expect(await readAll(socket)).toMatch(/^HTTP\/1\.1 408 /);
  });
});

describe("an answer that takes long", () => {
  it("is preceded by keep-alives on a stream", async () => {
    const client = new HttpClient(`${await start({ keepAliveMs: 50 })}/mcp`, undefined);
    await client.initialize();
    const gate = closedGate(cleanup);
    const params = useToolParams("dev/fx/sleep", { until: gate.file });
    const calls = [client.request("tools/call", params), client.modern("tools/call", params)];
    for (const call of calls) await waitForBeats(call, 1);
    gate.open();
    for (const call of calls) {
      const { text, headers } = await call.done();
      expect(headers["content-type"]).toBe("text/event-stream");
      expect(firstText(messagesIn(text)[0])).toBe("released");
    }
  });

  it("is not preceded by anything for a client that accepts only JSON", async () => {
    const client = new HttpClient(`${await start({ keepAliveMs: 20 })}/mcp`, undefined);
    await client.initialize();
    const gate = closedGate(cleanup);
    const headers = { accept: "application/json" };
    const params = useToolParams("dev/fx/sleep", { until: gate.file });
    const call = client.request("tools/call", params, { headers });
    // A client that does accept streams has seen several keep-alives since.
    const other = client.request("tools/call", params);
    await waitForBeats(other, 3);
    gate.open();
    const answer = await call.done();
    expect(answer.headers["content-type"]).toBe("application/json");
    expect(firstText(messagesIn(answer.text)[0])).toBe("released");
    await other.done();
  });

  it("starts a session also if it is the answer to initialize", async () => {
    const gate = closedGate(cleanup);
    const url = await start({ keepAliveMs: 50 }, "--wait-for", gate.file);
    const client = new HttpClient(`${url}/mcp/dev/fx`, undefined);
    const clientInfo = { name: "http-client", version: "1.0.0" };
    const params = { protocolVersion: LEGACY, capabilities: {}, clientInfo };
    const initializing = client.request("initialize", params);
    await waitForBeats(initializing, 1);
    gate.open();
    const { headers, text } = await initializing.done();
    expect(headers["content-type"]).toBe("text/event-stream");
    expect(messagesIn(text)[0]?.result).toMatchObject({ serverInfo: { name: "fixture" } });
    client.sessionId = String(headers["mcp-session-id"]);
    expect((await client.notify("notifications/initialized")).status).toBe(202);
    expect((await client.ask("tools/list")).error).toBeUndefined();
  });
});

describe("a quiet stream", () => {
  it("is kept alive", async () => {
    const client = new HttpClient(`${await start({ keepAliveMs: 50 })}/mcp`, undefined);
    await client.initialize();
    const streams = [client.listen(), client.modern("subscriptions/listen", { notifications: {} })];
    for (const stream of streams) await waitForBeats(stream, 3);
    for (const stream of streams) {
      expect(stream.ended).toBe(false);
      stream.hangUp();
    }
  });

  it("is refused to a client that does not accept streams", async () => {
    const client = new HttpClient(`${await start({})}/mcp`, undefined);
    await client.initialize();
    const headers = { accept: "application/json" };
    const listen = client.modern("subscriptions/listen", { notifications: {} }, { headers });
    expect((await listen.done()).status).toBe(406);
    expect((await client.listen(headers).done()).status).toBe(406);
  });
});
