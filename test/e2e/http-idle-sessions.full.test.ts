/**
 * Sessions that no client ends. In the full suite because each case waits for time-outs; S-22 of the torture
 * scenarios is in `npm test`.
 */
import { describe, expect, it } from "vitest";
import { firstText, useToolParams } from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import { closedGate } from "../support/gate.ts";
import { exchange, type Message, messagesIn } from "../support/http-client.ts";
import { type HttpWorkbench, startHttpWorkbench } from "../support/http-workbench.ts";
import { fds, waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { type Config, dev, fixture } from "../support/servers.ts";

const cleanup = perTest();
const NO_AUTH = { args: ["--no-auth"] };
/** Some tests have calls that never finish; there is no reason to wait for them. */
const HASTY = { timeouts: { shutdownMs: 200 } };
const start = (http: Config["http"] = {}): Promise<HttpWorkbench> =>
  startHttpWorkbench(cleanup, dev({ fx: fixture() }, { http, ...HASTY }), NO_AUTH);

const errorOf = (text: string): Message["error"] => messagesIn(text)[0]?.error;

async function sessionsOf(workbench: HttpWorkbench): Promise<number> {
  const { text } = await exchange(`${workbench.url}/api/status`, { method: "GET" });
  return (JSON.parse(text) as { sessions: number }).sessions;
}

describe("S-22: a session that no client ends", () => {
  it("ends after sessionIdleMs, with its connections", async () => {
    const workbench = await start({ sessionIdleMs: 500 });
    const before = fds(workbench.pid).length;
    const ids = new Set<unknown>();
    for (let round = 0; round < 10; round++) {
      const clients = Array.from({ length: 50 }, () => workbench.client());
      await Promise.all(clients.map((client) => client.initialize()));
      for (const { sessionId } of clients) ids.add(sessionId);
    }
    expect(ids.size).toBe(500);
    await waitFor(
      async () => (await sessionsOf(workbench)) === 0,
      GENEROUS_MS,
      "the sessions to end",
    );
    await waitFor(
      () => fds(workbench.pid).length < before + 10,
      GENEROUS_MS,
      "the connections to close",
    );
  });

  it("stays while its stream is open or its call runs", async () => {
    const gate = closedGate(cleanup);
    const configOf = (sessionIdleMs: number): Config =>
      dev({ fx: fixture() }, { http: { sessionIdleMs }, log: { level: "info" }, ...HASTY });
    // Long enough for everything that has to happen before; checked every 2.5 s.
    const workbench = await startHttpWorkbench(cleanup, configOf(10_000), NO_AUTH);
    const [listening, calling] = [workbench.client(), workbench.client()];
    await listening.initialize();
    const stream = listening.listen();
    expect((await stream.head()).status).toBe(200);
    await calling.initialize();
    const call = calling.ask("tools/call", useToolParams("dev/fx/sleep", { until: gate.file }));
    const witness = workbench.witness("dev", "fx");
    await waitFor(() => witness.callsOf("sleep").length, GENEROUS_MS, "the call to arrive");
    const idle = workbench.client();
    await idle.initialize();
    expect(await sessionsOf(workbench)).toBe(3);
    workbench.writeConfig(configOf(1));
    const isApplied = (): boolean => workbench.stderr().includes("configuration applied");
    await waitFor(isApplied, GENEROUS_MS, "the shorter time to apply");
    // Used later than the others: when it has ended, they have had time to end as well.
    const hasEnded = async (): Promise<boolean> => (await sessionsOf(workbench)) < 3;
    await waitFor(hasEnded, GENEROUS_MS, "the idle session to end");
    expect((await idle.request("ping").done()).status).toBe(404);
    expect((await listening.request("ping").done()).status).toBe(200);
    gate.open();
    expect(firstText(await call)).toBe("released");
    stream.hangUp();
    const haveEnded = async (): Promise<boolean> => (await sessionsOf(workbench)) === 0;
    await waitFor(haveEnded, GENEROUS_MS, "the other sessions to end");
  });

  it("makes room for a new one, the longest unused first, unless it is in use", async () => {
    const workbench = await start({ sessions: 3 });
    const clients = Array.from({ length: 3 }, () => workbench.client());
    for (const client of clients) await client.initialize();
    const [first, second, third] = clients;
    await first?.request("ping").done();
    const stream = third?.listen();
    await stream?.head();
    const fourth = workbench.client();
    expect((await fourth.initialize()).status).toBe(200);
    expect((await second?.request("ping").done())?.status).toBe(404);
    expect((await first?.request("ping").done())?.status).toBe(200);
    expect(await sessionsOf(workbench)).toBe(3);
    const streams = [first?.listen(), fourth.listen()];
    await Promise.all(streams.map((open) => open?.head()));
    const fifth = await workbench.client().initialize();
    expect(fifth.status).toBe(503);
    expect(Number(fifth.headers["retry-after"])).toBeGreaterThan(0);
    expect(errorOf(fifth.text)?.message).toMatch(/^All 3 sessions are in use/);
    for (const client of [first, third, fourth])
      expect((await client?.request("ping").done())?.status).toBe(200);
  });
});
