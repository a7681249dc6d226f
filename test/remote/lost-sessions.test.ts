/** What happens to a session that a remote server no longer knows, over both transports. */
import { describe, expect, it, vi } from "vitest";
import { firstText } from "../support/calls.ts";
import { type ChannelClient, openClient } from "../support/channel-client.ts";
import { perTest } from "../support/disposables.ts";
import { stopClock } from "../support/stop-clock.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { sharedChaos } from "../support/shared-chaos.ts";

const cleanup = perTest();
const chaos = sharedChaos();

const TRANSPORTS = [
  {
    name: "Streamable HTTP",
    path: "/mcp",
    kind: "http",
    statuses: [404, 400],
    failures: [["initialize", "401", "HTTP 401"]],
  },
  {
    name: "HTTP+SSE",
    path: "/sse",
    kind: "sse",
    statuses: [404, 410, 400],
    failures: [
      ["GET", "401", "HTTP 401"],
      ["initialize", "401", "HTTP 401"],
      ["initialize", "half-open", "no answer within 60000 ms"],
    ],
  },
] as const;

describe.each(TRANSPORTS)(
  "a session over $name that the server no longer knows",
  ({ path, kind, statuses, failures }) => {
    const open = async (options = {}): Promise<ChannelClient> => {
      const client = await openClient(cleanup, `${chaos.origin}${path}`, { kind, ...options });
      await client.initialize();
      return client;
    };

    const countOf = async (wanted: string): Promise<number> =>
      (await chaos.seen()).requests.filter(({ method }) => method === wanted).length;

    it.each(statuses)(
      "is renewed when the server responds with %d, and the request is repeated",
      async (unknownSession) => {
        const client = await open();
        await client.callTool("echo");
        await chaos.set({ forgetSessions: true, unknownSession });
        const { answer } = await client.callTool("echo", { text: "again" });
        expect(firstText(answer)).toBe("again");
        expect(client.renewals).toBe(1);
        expect(client.lostReasons).toEqual([]);
        const { executed, requests } = await chaos.seen();
        expect(executed).toEqual({ echo: 2 });
        const [first, second] = requests.filter(({ method }) => method === "initialize");
        expect(second?.headers).not.toHaveProperty("mcp-session-id");
        expect(second?.message?.["params"]).toEqual(first?.message?.["params"]);
        // The answer to the second `initialize` is not for the client.
        expect(client.received.map(({ message }) => message["id"])).toEqual([1, 2, 3]);
      },
    );

    it("is renewed with the log level and the subscriptions that it had", async () => {
      const client = await open();
      await client.request("logging/setLevel", { level: "debug" });
      await client.request("logging/setLevel", { level: "error" });
      await client.request("resources/subscribe", { uri: "a" });
      await client.request("resources/subscribe", { uri: "b" });
      await client.request("resources/unsubscribe", { uri: "a" });
      await chaos.set({ forgetSessions: true });
      await client.callTool("echo");
      const posts = (await chaos.seen()).requests.filter(({ verb }) => verb === "POST");
      const renewal = posts.findLastIndex(({ method }) => method === "initialize");
      expect(posts.slice(renewal + 1).map(({ method }) => method)).toEqual([
        "notifications/initialized",
        "logging/setLevel",
        "resources/subscribe",
        "tools/call",
      ]);
      expect(posts[renewal + 2]?.message?.["params"]).toEqual({ level: "error" });
      expect(posts[renewal + 3]?.message?.["params"]).toEqual({ uri: "b" });
    });

    it("is renewed once for all requests that run into it", async () => {
      const client = await open();
      await chaos.set({ forgetSessions: true });
      const texts = Array.from({ length: 20 }, (_, i) => `n${i}`);
      const answers = await Promise.all(texts.map((text) => client.callTool("echo", { text })));
      expect(answers.map(({ answer }) => firstText(answer))).toEqual(texts);
      expect(client.renewals).toBe(1);
      expect((await chaos.seen()).executed).toEqual({ echo: 20 });
      expect(await countOf("initialize")).toBe(2);
    });

    it("is renewed only once for the same request", async () => {
      const client = await open();
      await chaos.set({ mode: "404" });
      const { failure } = await client.callTool("echo");
      expect(failure).toMatchObject({ code: "lostSession", mayHaveRun: false });
      expect(await countOf("tools/call")).toBe(2);
      expect(await countOf("initialize")).toBe(2);
    });

    it.each(failures)(
      "that cannot be renewed (%s: %s) ends the channel",
      async (on, mode, words) => {
        const connectMs = 60_000;
        const client = await open({ timeouts: { connectMs } });
        await chaos.set({ forgetSessions: true, mode, on });
        stopClock();
        const calls = [client.callTool("echo"), client.callTool("echo")];
        if (mode === "half-open") {
          const isTried = async (): Promise<boolean> => (await countOf("initialize")) === 2;
          await waitFor(isTried, GENEROUS_MS, "the attempt to renew it");
          await vi.advanceTimersByTimeAsync(connectMs);
        }
        let isOver = false;
        const outcomes = Promise.all(calls).finally(() => (isOver = true));
        // A stream that ended after the clock was stopped is opened again after a pause.
        const goOn = async (): Promise<boolean> => {
          await vi.advanceTimersByTimeAsync(10);
          return isOver;
        };
        await waitFor(goOn, GENEROUS_MS, "the end of the calls");
        for (const { failure } of await outcomes) {
          expect(failure?.code).toBe("noNewSession");
          expect(failure?.reason).toContain(words);
        }
        // If the second call is refused later than the attempt, the channel has ended before.
        const certain = (await outcomes).filter(({ failure }) => failure?.mayHaveRun === false);
        expect(certain.length).toBeGreaterThan(0);
        await waitFor(() => client.lostReasons.length === 1, GENEROUS_MS, "the end");
        expect((await chaos.seen()).executed).toEqual({});
      },
    );
  },
);
