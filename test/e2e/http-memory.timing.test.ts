/**
 * How much memory clients over HTTP can cost. A measurement: how far the heap grows before garbage
 * is collected depends on how busy the machine is. Each bound is several times what has to be held.
 */
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { firstText, useToolParams } from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import { exchange } from "../support/http-client.ts";
import { type HttpWorkbench, startHttpWorkbench } from "../support/http-workbench.ts";
import { rss, waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { type Config, dev, fixture } from "../support/servers.ts";

const MEGABYTE = 1024 * 1024;
const cleanup = perTest();
const start = (http: Config["http"] = {}): Promise<HttpWorkbench> =>
  startHttpWorkbench(cleanup, dev({ fx: fixture() }, { http }), { args: ["--no-auth"] });

async function sessionsOf({ url }: HttpWorkbench): Promise<number> {
  const { text } = await exchange(`${url}/api/status`, { method: "GET" });
  return (JSON.parse(text) as { sessions: number }).sessions;
}

describe("the memory of a workbench on an idle machine", () => {
  // 500 sessions of some kilobytes each.
  it("grows by less than 40 MB with 500 sessions that no client ends", async () => {
    const workbench = await start({ sessionIdleMs: 1000 });
    const warm = workbench.client();
    await warm.initialize();
    await warm.leave();
    const before = rss(workbench.pid);
    for (let round = 0; round < 10; round++)
      await Promise.all(Array.from({ length: 50 }, () => workbench.client().initialize()));
    const haveEnded = async (): Promise<boolean> => (await sessionsOf(workbench)) === 0;
    await waitFor(haveEnded, GENEROUS_MS, "the sessions to end");
    expect(rss(workbench.pid) - before).toBeLessThan(40 * MEGABYTE);
  });

  // One megabyte is kept at most; the rest is read and dropped. Of what was dropped, some 40 MB wait
  // for the garbage collector, more or less of it at any moment: the lowest of ten values shows what is
  // kept. A megabyte of each body would be 20 MB between the second and the fourth ten.
  it("does not grow with further bodies of 20 MB above the limit", async () => {
    const workbench = await start({ bodyBytes: MEGABYTE });
    const client = workbench.client();
    await client.initialize();
    const before = rss(workbench.pid);
    const lowestOfTen = async (): Promise<number> => {
      let lowest = Infinity;
      for (let i = 0; i < 10; i++) {
        expect((await client.post("x".repeat(20 * MEGABYTE)).done()).status).toBe(413);
        lowest = Math.min(lowest, rss(workbench.pid));
      }
      return lowest;
    };
    await lowestOfTen();
    expect(rss(workbench.pid) - before).toBeLessThan(60 * MEGABYTE);
    const earlier = await lowestOfTen();
    await lowestOfTen();
    expect((await lowestOfTen()) - earlier).toBeLessThan(20 * MEGABYTE);
  });

  // Eight responses of 4 MB, which pass through the workbench as text and as bytes.
  it("grows by less than 150 MB with eight responses of 4 MB that are not read", async () => {
    const workbench = await start();
    const client = workbench.client();
    await client.initialize();
    const echo = useToolParams("dev/fx/echo", { text: "x" });
    await client.ask("tools/call", echo);
    const before = rss(workbench.pid);
    const params = useToolParams("dev/fx/big", { bytes: 4_000_000 });
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
    for (let i = 0; i < 8; i++) {
      const lazy = workbench.client();
      await lazy.initialize();
      const socket = connect(workbench.port, "127.0.0.1");
      socket.pause().on("error", () => {});
      cleanup.defer(() => socket.destroy());
      socket.write(
        `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${workbench.port}\r\nContent-Type: application/json\r\nMcp-Session-Id: ${lazy.sessionId}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      );
    }
    const witness = workbench.witness("dev", "fx");
    const haveArrived = (): boolean => witness.callsOf("big").length === 8;
    await waitFor(haveArrived, GENEROUS_MS, "the calls to arrive");
    for (let i = 0; i < 20; i++) expect(firstText(await client.ask("tools/call", echo))).toBe("x");
    expect(rss(workbench.pid) - before).toBeLessThan(150 * MEGABYTE);
  });
});
