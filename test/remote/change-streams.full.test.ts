/**
 * The streams on which servers announce changes: refused, broken, and reopened. In the full suite
 * because each stream needs a server of its own.
 */
import { describe, expect, it } from "vitest";
import type { Call } from "../../src/calls/call.ts";
import { type ChannelClient, MODERN_META, openClient } from "../support/channel-client.ts";
import { type ChaosHttp, startChaosHttp } from "../support/chaos-http.ts";
import { type Disposables, disposablesOf } from "../support/disposables.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";

const LISTEN = { notifications: {}, _meta: MODERN_META };

interface Listening {
  readonly chaos: ChaosHttp;
  readonly client: ChannelClient;
  readonly call?: Call;
}

/** Starts to listen to a separate server, which may be set to fail before. */
async function listen(
  cleanup: Disposables,
  era: string,
  fault: Record<string, unknown> = {},
): Promise<Listening> {
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

// The tests mostly wait until a stream is opened again, so they wait together.
describe.concurrent.each(["legacy", "modern"])("a stream of changes of a %s server", (era) => {
  it("is opened later when the first attempt fails", async (context) => {
    const modes = ["502", "429", "drop"];
    const cleanup = disposablesOf(context);
    const all = modes.map((mode) => listen(cleanup, era, { mode, times: 1, retryAfter: 1 }));
    for (const listening of await Promise.all(all)) {
      const { client } = listening;
      // Something may have changed since the lists were read.
      await waitFor(() => client.renewals > 0, GENEROUS_MS, "the stream");
      expect(await isOpen(listening)).toBe(true);
      expect(await attempts(listening)).toBe(2);
      expect(client.renewals).toBe(1);
    }
  });

  it("is opened again when the server closes it", async (context) => {
    const listening = await listen(disposablesOf(context), era);
    const { chaos, client, call } = listening;
    await waitFor(() => isOpen(listening), GENEROUS_MS, "the stream");
    await chaos.set({ closeStreams: true });
    await waitFor(() => client.renewals === 1, GENEROUS_MS, "another stream");
    expect(await isOpen(listening)).toBe(true);
    if (call === undefined) return;
    expect(client.isAwaited(call)).toBe(true);
    expect(client.abandon(call)).toBe(true);
    await chaos.until(({ streams }) => streams === 0, "the end of the stream");
  });

  it("is opened again when the second attempt fails", async (context) => {
    const modes = ["401", "404", "429", "500", "html"];
    const cleanup = disposablesOf(context);
    const all = modes.map(async (mode) => {
      const listening = await listen(cleanup, era);
      await waitFor(() => isOpen(listening), GENEROUS_MS, "the stream");
      expect(listening.client.renewals).toBe(0);
      await listening.chaos.set({ mode, times: 1, closeStreams: true });
      return listening;
    });
    for (const listening of await Promise.all(all)) {
      const { client } = listening;
      await waitFor(() => client.renewals > 0, GENEROUS_MS, "another stream");
      expect(await attempts(listening)).toBe(3);
      expect(client.renewals).toBe(1);
      expect(client.lostReasons).toEqual([]);
    }
  });

  it("is closed and opened again when one event never ends", async (context) => {
    const fault = { mode: "sse-endless", times: 1 };
    const listening = await listen(disposablesOf(context), era, fault);
    const { chaos, client } = listening;
    await waitFor(() => client.renewals > 0, GENEROUS_MS, "another stream");
    expect(await isOpen(listening)).toBe(true);
    expect(await attempts(listening)).toBe(2);
    expect(client.renewals).toBe(1);
    await chaos.until(({ aborted }) => aborted === 1, "the end of the first stream");
    const { requests } = await chaos.seen();
    // A message that was too large is not requested again.
    const resumed = requests.findLast(({ verb }) => verb === "GET")?.headers["last-event-id"];
    expect(resumed).toBe(era === "legacy" ? "7" : undefined);
  });
});

describe.concurrent("a stream of changes of a modern server", () => {
  it("is opened later when the server first answers with a JSON-RPC error", async (context) => {
    const fault = { mode: "own-500", times: 1 };
    const listening = await listen(disposablesOf(context), "modern", fault);
    await waitFor(() => isOpen(listening), GENEROUS_MS, "the stream");
    expect(await attempts(listening)).toBe(2);
  });

  it.for(["no-method", "404", "405", "html"])(
    "is not tried again after %s",
    async (mode, context) => {
      const listening = await listen(disposablesOf(context), "modern", { mode, times: 1 });
      const { client, call } = listening;
      await waitFor(() => call !== undefined && !client.isAwaited(call), GENEROUS_MS, "the end");
      expect(await attempts(listening)).toBe(1);
      expect(client.lostReasons).toEqual([]);
    },
  );

  it("is not opened again when the server no longer offers it", async (context) => {
    const listening = await listen(disposablesOf(context), "modern");
    const { chaos, client, call } = listening;
    await waitFor(() => isOpen(listening), GENEROUS_MS, "the stream");
    await chaos.set({ mode: "405", closeStreams: true });
    await waitFor(() => call !== undefined && !client.isAwaited(call), GENEROUS_MS, "the end");
    expect(await attempts(listening)).toBe(2);
    expect(client.lostReasons).toEqual([]);
  });
});
