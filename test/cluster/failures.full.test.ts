/**
 * What happens to sessions when a replica, Redis or both fail. In the full suite because of its processes; `npm test` has unit
 * tests of the keys and the link to Redis.
 */
import { beforeAll, describe, expect, it } from "vitest";

import { firstText, useToolParams } from "../support/calls.ts";
import { ClusterRig, HAS_CLUSTER, type Replica } from "../support/cluster-rig.ts";
import { perBlock } from "../support/disposables.ts";
import { closedGate } from "../support/gate.ts";
import { type HttpClient, type Message, messagesIn } from "../support/http-client.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { fixture } from "../support/servers.ts";

/** Several of the test's clients have the same session, so that ids must differ. */
let lastId = 0;

/** The text that comes back, or the error. */
async function echo(client: HttpClient, text: string): Promise<string> {
  const params = useToolParams("dev/a/echo", { text });
  const answer = await client.request("tools/call", params, { id: `echo-${++lastId}` }).done();
  const message = messagesIn(answer.text).at(-1);
  return firstText(message) ?? JSON.stringify(message);
}

describe.skipIf(!HAS_CLUSTER)("replicas that fail", () => {
  const disposables = perBlock();
  let rig: ClusterRig;
  beforeAll(async () => {
    rig = await ClusterRig.start(disposables, {
      toolboxes: { dev: { description: "Test tools.", mcpServers: { a: fixture() } } },
    });
  });

  const readiness = async ({ url }: Replica): Promise<string> => {
    const answer = await fetch(`${url}/readyz`);
    return ((await answer.json()) as { status: string }).status;
  };
  const calls = ({ witness }: Replica, tool: string): number =>
    witness("dev", "a").callsOf(tool).length;
  const all = (status: string): Promise<boolean> =>
    Promise.all(rig.replicas.map(readiness)).then((found) => found.every((is) => is === status));
  /** A client whose session one replica has, which gets its requests through the others. */
  const clientOwnedBy = async (index: number): Promise<HttpClient[]> => {
    const owner = rig.clientOf(index);
    await owner.initialize();
    return rig.replicas.map(({ index: at }) => {
      const client = rig.clientOf(at);
      client.sessionId = owner.sessionId;
      return client;
    });
  };
  const clientAt = (clients: readonly HttpClient[], index: number): HttpClient =>
    clients[index] as HttpClient;

  it("are replaced when they are killed, and calls in flight get an honest error", async () => {
    const clients = await clientOwnedBy(0);
    const [first] = rig.replicas as [Replica];
    const gate = closedGate(disposables);
    const inFlight = Array.from({ length: 20 }, (_, i) =>
      clientAt(clients, 1 + (i % 2))
        .request("tools/call", useToolParams("dev/a/sleep", { until: gate.file }), {
          id: `call-${i}`,
        })
        .done(),
    );
    await waitFor(() => calls(first, "sleep") === 20, GENEROUS_MS, "the calls to arrive");
    first.kill("SIGKILL");
    const answers = await Promise.all(inFlight);
    await first.exited;
    gate.open();
    for (const { text } of answers)
      expect(JSON.stringify(messagesIn(text).at(-1)?.error)).toMatch(
        /may or may not have taken effect/,
      );
    // Without a new `initialize`, on whichever replica.
    for (const index of [1, 2, 1])
      expect(await echo(clientAt(clients, index), `after ${index}`)).toContain(`after ${index}`);
    expect(
      rig.replicas
        .slice(1)
        .map((replica) => calls(replica, "echo"))
        .toSorted(),
    ).toEqual([0, 3]);
    await rig.startReplica(0);
  });

  it("continue a session although the killed one was started again at once, at the same address", async () => {
    const clients = await clientOwnedBy(0);
    expect(await echo(clientAt(clients, 1), "before")).toContain("before");
    const [first] = rig.replicas as [Replica];
    first.kill("SIGKILL");
    await first.exited;
    await rig.startReplica(0);
    const answers = await Promise.all(
      [0, 1, 2].map((at) => echo(clientAt(clients, at), `at ${at}`)),
    );
    expect(answers).toEqual(["at 0", "at 1", "at 2"]);
  });

  it("are degraded while Redis takes no changes", async () => {
    const clients = await clientOwnedBy(0);
    await rig.redis.command("CONFIG", "SET", "maxmemory", 1);
    await waitFor(() => all("degraded"), GENEROUS_MS, "the replicas to notice");
    expect(await echo(clientAt(clients, 1), "full")).toContain("full");
    await rig.redis.command("CONFIG", "SET", "maxmemory", 0);
    await waitFor(() => all("ready"), GENEROUS_MS, "the replicas to notice");
    expect(await echo(clientAt(clients, 2), "again")).toContain("again");
  });

  it("never serve a session together with the one that has replaced them", async () => {
    const clients = await clientOwnedBy(1);
    const paused = rig.replicas[1] as Replica;
    expect(await echo(clientAt(clients, 1), "before")).toContain("before");
    const before = calls(paused, "echo");
    paused.kill("SIGSTOP");
    disposables.defer(() => paused.kill("SIGCONT"));
    // What was sent to it before its silence was noticed may take effect when it continues.
    const lost = await clientAt(clients, 0).ask("tools/call", useToolParams("dev/a/status", {}));
    expect(JSON.stringify(lost.error)).toMatch(/may or may not have taken effect/);
    expect(await echo(clientAt(clients, 0), "in the meantime")).toContain("in the meantime");
    paused.kill("SIGCONT");
    // It passes requests on, instead of serving what it once had.
    expect(await echo(clientAt(clients, 1), "afterwards")).toContain("afterwards");
    expect(calls(paused, "echo")).toBe(before);
  });

  it("continue without Redis, and forget nothing", async () => {
    const clients = await clientOwnedBy(2);
    for (const index of [0, 1, 2])
      expect(await echo(clientAt(clients, index), `before ${index}`)).toContain(`before ${index}`);
    await rig.redis.stop();
    await waitFor(() => all("degraded"), GENEROUS_MS, "the replicas to notice");
    for (const index of [0, 1, 2])
      expect(await echo(clientAt(clients, index), `away ${index}`)).toContain(`away ${index}`);
    const fresh = await clientOwnedBy(0);
    for (const index of [0, 1, 2])
      expect(await echo(clientAt(fresh, index), `new ${index}`)).toContain(`new ${index}`);
    await rig.redis.start();
    await waitFor(() => all("ready"), GENEROUS_MS, "the replicas to notice");
    for (const each of [clients, fresh])
      for (const index of [0, 1, 2])
        expect(await echo(clientAt(each, index), `back ${index}`)).toContain(`back ${index}`);
    // Redis has lost everything, and knows the sessions again: another replica can continue them.
    const registered = async (): Promise<boolean> =>
      ((await rig.redis.command("KEYS", "*:s:*")) as string[]).length >= 2;
    await waitFor(registered, GENEROUS_MS, "the sessions to be registered");
    const owner = rig.replicas[2] as Replica;
    owner.kill("SIGKILL");
    await owner.exited;
    expect(await echo(clientAt(clients, 0), "without its owner")).toContain("without its owner");
    await rig.startReplica(2);
  });

  it("find what began at one that was started while Redis was away", async () => {
    const old = await clientOwnedBy(0);
    await rig.redis.stop();
    await waitFor(() => all("degraded"), GENEROUS_MS, "the replicas to notice");
    rig.replicas[1]?.kill("SIGKILL");
    await rig.replicas[1]?.exited;
    await rig.startReplica(1);
    const fresh = await clientOwnedBy(1);
    const everywhere = async (text: string): Promise<void> => {
      for (const clients of [old, fresh])
        for (const index of [0, 1, 2])
          expect(await echo(clientAt(clients, index), `${text} ${index}`)).toBe(`${text} ${index}`);
    };
    await everywhere("away");
    const capabilities = { elicitation: {} };
    const ask = async (index: number, params: object): Promise<Message | undefined> => {
      const sent = rig.clientOf(index).modern("tools/call", { ...params }, { capabilities });
      return messagesIn((await sent.done()).text).at(-1);
    };
    const params = useToolParams("dev/a/elicit", {});
    const { inputRequests, requestState } = (await ask(1, params))?.result ?? {};
    const [question = ""] = Object.keys(inputRequests as object);
    const inputResponses = { [question]: { action: "accept", content: { ok: true } } };
    const answer = await ask(2, { ...params, inputResponses, requestState });
    expect(firstText(answer)).toContain("accept");
    await rig.redis.start();
    await waitFor(() => all("ready"), GENEROUS_MS, "the replicas to notice");
    await everywhere("back");
  });

  it("move their sessions when Redis is back, if they have to end while it is away", async () => {
    const clients = await clientOwnedBy(0);
    const ending = rig.replicas[0] as Replica;
    await rig.redis.stop();
    await waitFor(() => all("degraded"), GENEROUS_MS, "the replicas to notice");
    ending.kill("SIGTERM");
    await waitFor(async () => (await readiness(ending)) === "draining", GENEROUS_MS, "it to drain");
    expect(await echo(clientAt(clients, 1), "while it drains")).toBe("while it drains");
    await rig.redis.start();
    expect((await ending.exited).code).toBe(0);
    for (const index of [1, 2])
      expect(await echo(clientAt(clients, index), `after ${index}`)).toBe(`after ${index}`);
    await rig.startReplica(0);
  });

  it("give their sessions away before they end", async () => {
    const clients = await clientOwnedBy(0);
    const ending = rig.replicas[0] as Replica;
    const gate = closedGate(disposables);
    const call = clientAt(clients, 1)
      .request("tools/call", useToolParams("dev/a/sleep", { until: gate.file }))
      .done();
    await waitFor(() => calls(ending, "sleep") > 0, GENEROUS_MS, "the call to arrive");
    ending.kill("SIGTERM");
    await waitFor(async () => (await readiness(ending)) === "draining", GENEROUS_MS, "it to drain");
    expect(await echo(clientAt(clients, 2), "while it drains")).toContain("while it drains");
    gate.open();
    expect(messagesIn((await call).text).at(-1)?.error).toBeUndefined();
    for (const index of [1, 2])
      expect(await echo(clientAt(clients, index), `after ${index}`)).toContain(`after ${index}`);
    expect((await ending.exited).code).toBe(0);
    expect(await echo(clientAt(clients, 1), "at the end")).toContain("at the end");
    await rig.startReplica(0);
  });
});
