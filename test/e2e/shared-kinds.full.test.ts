/** Clients of both eras and of both official SDKs that share a workbench, at the same time. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { useToolParams } from "../support/calls.ts";
import { connect } from "../support/clients/connect.ts";
import { CLIENTS, type FidelityClient, type Json } from "../support/clients/matrix-client.ts";
import { perTest } from "../support/disposables.ts";
import { alive, waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { dev, everything, fixture } from "../support/servers.ts";
import { SharedPlace } from "../support/shared.ts";

const cleanup = perTest();
const config = dev(
  { fx: fixture(), every: everything("legacy"), modern: everything("modern") },
  { shared: { idleMs: 600_000 } },
);
const WATCHED = "test://watched-resource";
const UPDATED = "notifications/resources/updated";
const MESSAGE = "notifications/message";
const CANCELLED = "notifications/cancelled";

/** One client of each kind. */
async function allKinds(shared: SharedPlace, ...more: string[]): Promise<FidelityClient[]> {
  const { command, args, dir: cwd } = shared.place;
  // The SDKs add those of the test itself.
  const env = { ...shared.place.env, LOGNAME: "ada", USER: "ada", SHELL: "/bin/sh", TERM: "dumb" };
  const endpoint = { transport: "stdio" as const, command, args: [...args, ...more], env, cwd };
  const clients = await Promise.all(CLIENTS.map((kind) => connect(kind, endpoint)));
  for (const client of clients) cleanup.defer(() => client.close());
  return clients;
}

const textIn = ({ content }: Json): string => (content as { text: string }[])[0]?.text ?? "";

describe("clients of all kinds that share a workbench", () => {
  it("cancel their own calls, and get their own progress and log messages", async () => {
    const shared = new SharedPlace(cleanup, config);
    const clients = await allKinds(shared);
    const use = async (client: FidelityClient, path: string, args = {}, options = {}) =>
      textIn(await client.request("tools/call", useToolParams(path, args), options));

    // Every second client cancels its call.
    const witness = shared.place.witness("dev", "fx");
    const release = (index: number): string => join(shared.place.dir, `release ${index}`);
    const giveUps = clients.map(() => new AbortController());
    const calls = clients.map((client, index) =>
      use(
        client,
        "dev/fx/sleep",
        { until: release(index) },
        { signal: giveUps[index]?.signal },
      ).catch(() => "cancelled"),
    );
    const sent = () => witness.callsOf("sleep");
    await waitFor(() => sent().length === clients.length, GENEROUS_MS, "all calls");
    const isCancelled = (index: number): boolean => index % 2 === 0;
    for (const [index, giveUp] of giveUps.entries()) if (isCancelled(index)) giveUp.abort();
    const cancelled = () => witness.messages(CANCELLED);
    await waitFor(() => cancelled().length === 3, GENEROUS_MS, "the cancellations");
    const idOf = (index: number): unknown =>
      sent().find(({ raw }) => raw.includes(`release ${index}`))?.id;
    const wanted = clients.flatMap((_, index) => (isCancelled(index) ? [idOf(index)] : []));
    expect(new Set(cancelled().map(({ params }) => params?.["requestId"]))).toEqual(
      new Set(wanted),
    );
    for (const index of clients.keys()) writeFileSync(release(index), "");
    expect(await Promise.all(calls)).toEqual(
      clients.map((_, index) => (isCancelled(index) ? "cancelled" : "released")),
    );
    expect(cancelled()).toHaveLength(3);

    // Progress of calls at the same time.
    for (const server of ["every", "modern"]) {
      const reports = await Promise.all(
        clients.map(async (client) => {
          const mark = client.inbox.progress.length;
          const onProgress = (): void => {};
          await use(client, `dev/${server}/test_tool_with_progress`, {}, { onProgress });
          return client.inbox.progress.slice(mark).map(({ progress }) => progress);
        }),
      );
      expect(reports).toEqual(clients.map(() => [0, 50, 100]));
    }

    // Log messages reach the caller, if it wants them.
    const legacy = clients.filter(({ era }) => era === "legacy");
    for (const client of legacy) await client.request("logging/setLevel", { level: "info" });
    const [caller, quiet] = legacy as [FidelityClient, FidelityClient];
    await quiet.request("logging/setLevel", { level: "error" });
    const logged = () =>
      clients.map(({ inbox }) => inbox.notifications.filter((it) => it.method === MESSAGE).length);
    const before = logged();
    const added = () => logged().map((count, index) => count - (before[index] ?? 0));
    await use(caller, "dev/every/test_tool_with_logging");
    await use(quiet, "dev/every/test_tool_with_logging");
    expect(added()).toEqual(clients.map((client) => (client === caller ? 3 : 0)));
    expect(witness.starts).toBe(1);
  });

  it("get the updates that they have subscribed to, and the list changes", async () => {
    const shared = new SharedPlace(cleanup, config);
    const clients = await allKinds(shared);
    const subscribed = clients.filter(({ kind }) => !kind.startsWith("sdk-v2"));
    const uri = `workbench://dev/every/${WATCHED}`;
    for (const client of subscribed) await client.watch({ resourceSubscriptions: [uri] });
    const other = clients.find((client) => !subscribed.includes(client));
    const trigger = useToolParams("dev/every/test_trigger_resource_update", {});
    await other?.request("tools/call", trigger);
    await Promise.all(subscribed.map(({ inbox }) => inbox.next(UPDATED, 0)));
    for (const client of clients) await client.request("tools/list");
    for (const client of clients)
      expect(updatesOf(client), client.kind).toEqual(subscribed.includes(client) ? [uri] : []);
    // A process that was killed had the subscriptions, so clients continue them with the next one.
    await shared.kill();
    await waitFor(() => shared.records().some(({ pid }) => alive(pid)), GENEROUS_MS, "the next");
    const marks = clients.map(({ inbox }) => inbox.notifications.length);
    const updated = (client: FidelityClient, index: number): boolean =>
      updatesOf(client, marks[index]).length > 0;
    await waitFor(
      async () => {
        await other?.request("tools/call", trigger);
        return clients.every((it, index) => updated(it, index) === subscribed.includes(it));
      },
      GENEROUS_MS,
      "the updates of the next process",
    );
  });

  it("see one server as it is", async () => {
    const shared = new SharedPlace(cleanup, config);
    const clients = await allKinds(shared, "--server", "dev/every");
    await Promise.all(
      clients.map(async (client) => {
        const stop = await client.watch({ resourceSubscriptions: [WATCHED] });
        const call = (name: string): Promise<Json> =>
          client.request("tools/call", { name, arguments: {} });
        await call("test_trigger_resource_update");
        await client.inbox.next(UPDATED, 0, (params) => params["uri"] === WATCHED);
        await stop();
      }),
    );
    const asking = { name: "test_roots", arguments: {} };
    for (const client of clients)
      expect(textIn(await client.request("tools/call", asking))).toContain("/home/ada/project");
    expect(new Set(clients.map(({ hello }) => hello.serverInfo?.["name"]))).toEqual(
      new Set(["everything-fixture"]),
    );
  });
});

function updatesOf({ inbox }: FidelityClient, mark = 0): unknown[] {
  const updates = inbox.notifications.slice(mark).filter(({ method }) => method === UPDATED);
  return updates.map(({ params }) => params["uri"]);
}
