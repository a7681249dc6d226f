/** The streams on which servers tell of changes: refused, broken off, and opened again. */
import { describe, expect, it } from "vitest";
import type { Call } from "../../src/relay/call.ts";
import { type ChannelClient, MODERN_META, openClient } from "../support/channel-client.ts";
import { type ChaosHttp, startChaosHttp } from "../support/chaos-http.ts";
import { perTest } from "../support/disposables.ts";
import { waitFor } from "../support/proc.ts";

const cleanup = perTest();
const LISTEN = { notifications: {}, _meta: MODERN_META };
const PATIENCE_MS = 15_000;

interface Listening {
  readonly chaos: ChaosHttp;
  readonly client: ChannelClient;
  readonly call?: Call;
}

/** Begins to listen to a server of its own, which is set to go wrong before. */
async function listen(era: string, fault: Record<string, unknown> = {}): Promise<Listening> {
  const chaos = await startChaosHttp(cleanup);
  await chaos.set({ on: streamOf(era), ...fault });
  const client = await openClient(cleanup, `${chaos.origin}/mcp`);
  if (era === "legacy") {
    await client.initialize();
    return { chaos, client };
  }
  await client.discover();
  return { chaos, client, call: client.start("subscriptions/listen", LISTEN).call };
}

const streamOf = (era: string): string => (era === "legacy" ? "GET" : "subscriptions/listen");

const isOpen = async ({ chaos }: Listening): Promise<boolean> => (await chaos.seen()).streams === 1;

async function attempts({ chaos }: Listening): Promise<number> {
  const { requests } = await chaos.seen();
  return requests.filter(({ verb, method }) => verb === "GET" || method === "subscriptions/listen")
    .length;
}

describe.each(["legacy", "modern"])("a stream of changes of a %s server", (era) => {
  it("is opened although something went wrong at first", async () => {
    const modes = ["502", "429", "drop"];
    const all = modes.map((mode) => listen(era, { mode, times: 1, retryAfter: 1 }));
    for (const listening of await Promise.all(all)) {
      await waitFor(() => isOpen(listening), PATIENCE_MS, "the stream");
      expect(await attempts(listening)).toBe(2);
      // Something may have changed since the lists were read.
      expect(listening.client.renewals).toBe(1);
    }
  });

  it("is opened again although something goes wrong with that", async () => {
    const modes = ["401", "404", "429", "500", "html"];
    const all = modes.map(async (mode) => {
      const listening = await listen(era);
      await waitFor(() => isOpen(listening), PATIENCE_MS, "the stream");
      expect(listening.client.renewals).toBe(0);
      await listening.chaos.set({ mode, times: 1, closeStreams: true });
      return listening;
    });
    for (const listening of await Promise.all(all)) {
      const { client } = listening;
      await waitFor(() => client.renewals > 0, PATIENCE_MS, "another stream");
      expect(await attempts(listening)).toBe(3);
      expect(client.renewals).toBe(1);
      expect(client.lostReasons).toEqual([]);
    }
  });

  it("is ended and opened again if one event has no end", async () => {
    const listening = await listen(era, { mode: "sse-endless", times: 1 });
    const { chaos, client } = listening;
    await waitFor(() => isOpen(listening), PATIENCE_MS, "another stream");
    expect(await attempts(listening)).toBe(2);
    expect(client.renewals).toBe(1);
    const { requests, aborted } = await chaos.seen();
    expect(aborted).toBe(1);
    // What was too large is not asked for again.
    const resumed = requests.findLast(({ verb }) => verb === "GET")?.headers["last-event-id"];
    expect(resumed).toBe(era === "legacy" ? "7" : undefined);
  });
});

describe("a stream of changes of a modern server", () => {
  it("is opened although the server answered with a failure of its own at first", async () => {
    const listening = await listen("modern", { mode: "own-500", times: 1 });
    await waitFor(() => isOpen(listening), PATIENCE_MS, "the stream");
    expect(await attempts(listening)).toBe(2);
  });

  it.each(["no-method", "404", "405", "html"])("is not wanted again after %s", async (mode) => {
    const listening = await listen("modern", { mode, times: 1 });
    const { client, call } = listening;
    await waitFor(() => call !== undefined && !client.awaits(call), PATIENCE_MS, "the end");
    expect(await attempts(listening)).toBe(1);
    expect(client.lostReasons).toEqual([]);
  });

  it("is given up if the server does not offer it any more", async () => {
    const listening = await listen("modern");
    const { chaos, client, call } = listening;
    await waitFor(() => isOpen(listening), PATIENCE_MS, "the stream");
    await chaos.set({ mode: "405", closeStreams: true });
    await waitFor(() => call !== undefined && !client.awaits(call), PATIENCE_MS, "the end");
    expect(await attempts(listening)).toBe(2);
    expect(client.lostReasons).toEqual([]);
  });
});
