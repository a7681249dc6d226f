import { expect } from "vitest";
import type { Json } from "../../support/clients/matrix-client.ts";
import { referenceOfEverything } from "./everything-reference.ts";
import { expectComplete } from "./expect-complete.ts";
import { modernProbes } from "./fixture-further.ts";
import type { Probes } from "./probe.ts";

const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";
const UNCACHED = { ttlMs: 0, cacheScope: "private" };
const WATCHED = "demo://resource/dynamic/text/9";

/** A legacy server, as clients of the modern era must see it. */
export const everythingModernProbes: Probes = {
  discover: async (subject) => {
    const result = await subject.client.request("server/discover");
    expect(result["supportedVersions"]).toContain("2026-07-28");
    expect(result["capabilities"]).toEqual(subject.client.hello.capabilities);
    const { instructions } = await referenceOfEverything();
    if (subject.plain) expect(result["instructions"]).toBe(instructions);
    else expect(result["instructions"]).toContain(subject.toolbox);
  },
  resultType: (subject) =>
    expectComplete(subject, {
      tool: ["echo", { message: "x" }],
      prompt: "simple-prompt",
      resource: "demo://resource/dynamic/text/1",
      completes: ["completable-prompt", "department"],
    }),
  cacheHints: async (subject) => {
    const { client } = subject;
    const results = [
      await client.request("server/discover"),
      await client.request("tools/list"),
      await client.request("prompts/list"),
      await client.request("resources/list"),
      await client.request("resources/templates/list"),
      await subject.read("demo://resource/dynamic/text/1"),
    ];
    // It is unknown how long a legacy server's results stay valid, and for whom.
    for (const { ttlMs, cacheScope } of results) expect({ ttlMs, cacheScope }).toEqual(UNCACHED);
  },
  listen: async (subject) => {
    const { inbox } = subject.client;
    const mark = inbox.notifications.length;
    const uri = subject.uri(WATCHED);
    const stop = await subject.client.watch({ resourceSubscriptions: [uri] });
    await subject.tool("toggle-subscriber-updates");
    await inbox.next("notifications/resources/updated", mark, (params) => params["uri"] === uri);
    await subject.tool("toggle-subscriber-updates");
    await stop();
    const received = inbox.notifications.slice(mark);
    // The server repeats the update every five seconds, and a busy machine may need that long.
    expect([...new Set(received.map(({ method }) => method))]).toEqual([
      "notifications/subscriptions/acknowledged",
      "notifications/resources/updated",
    ]);
    const ids = received.map(({ params }) => (params["_meta"] as Json)[SUBSCRIPTION]);
    expect(new Set(ids).size).toBe(1);
    expect(ids[0]).toMatch(/^r-\d+$/);
  },
  listenHonoured: async (subject) => {
    const { inbox } = subject.client;
    const mark = inbox.notifications.length;
    const wanted = {
      toolsListChanged: true,
      resourceSubscriptions: [subject.uri(WATCHED)],
    } as const;
    const stop = await subject.client.watch(wanted);
    const { notifications } = await inbox.next("notifications/subscriptions/acknowledged", mark);
    expect(notifications).toEqual(wanted);
    await stop();
  },
  ...pick("unknownVersion", "removedMethods"),
};

function pick(...features: readonly (keyof Probes)[]): Probes {
  return Object.fromEntries(features.map((feature) => [feature, modernProbes[feature]]));
}
