/**
 * A server with `"placement": "one"` runs on one of three replicas, with a real Redis. In the full suite because of its
 * processes; the lease itself is tested in src/cluster/server-lease.test.ts.
 */
import { beforeAll, describe, expect, it } from "vitest";

import { firstText, useToolParams } from "../support/calls.ts";
import { runCli } from "../support/cli.ts";
import { ClusterRig, HAS_CLUSTER, type Replica } from "../support/cluster-rig.ts";
import { perBlock } from "../support/disposables.ts";
import { HttpClient, messagesIn } from "../support/http-client.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { everything, fixture } from "../support/servers.ts";

type Params = Readonly<Record<string, unknown>>;

interface Status {
  readonly pid: number;
  readonly calls: number;
  /** The calls that were cancelled. */
  readonly cancelled: readonly unknown[];
}

describe.skipIf(!HAS_CLUSTER)("a server that only one replica runs", () => {
  const disposables = perBlock();
  let rig: ClusterRig;
  beforeAll(async () => {
    const once = { ...fixture(), placement: "one", overrides: { echo: { name: "say" } } };
    rig = await ClusterRig.start(disposables, {
      toolboxes: {
        dev: {
          description: "Test tools.",
          mcpServers: {
            once: once as never,
            tasks: { ...everything("modern"), placement: "one" } as never,
          },
        },
      },
    });
  });

  /** A client of one replica with a session. */
  async function clientOf(index: number, capabilities = {}): Promise<HttpClient> {
    const client = rig.clientOf(index);
    await client.initialize(undefined, capabilities);
    return client;
  }
  const call = (client: HttpClient, tool: string, args = {}) =>
    client.ask("tools/call", useToolParams(`dev/once/${tool}`, args));
  const statusBy = async (client: HttpClient): Promise<Status> =>
    JSON.parse(firstText(await call(client, "status")) ?? "") as Status;
  const processes = () => rig.replicas.flatMap((replica) => replica.servers());
  const holderOf = ({ pid }: Status): number =>
    rig.replicas.findIndex((replica) => replica.servers().some((one) => one.pid === pid));

  it("has one process for all replicas, clients and eras, and keeps its state", async () => {
    const statuses: Status[] = [];
    for (const index of [0, 1, 2]) {
      const client = await clientOf(index, index === 1 ? { elicitation: {} } : {});
      statuses.push(await statusBy(client));
      const { text } = await rig
        .clientOf(index)
        .modern("tools/call", useToolParams("dev/once/status", {}))
        .done();
      const answer = messagesIn(text).at(-1);
      statuses.push(JSON.parse(firstText(answer) ?? "") as Status);
    }
    expect(new Set(statuses.map(({ pid }) => pid)).size).toBe(1);
    expect(statuses.map(({ calls }) => calls)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(processes()).toHaveLength(1);
  });

  it("is used by commands where it runs; they start no other process", async () => {
    const before = await statusBy(await clientOf(0));
    const { home, dir: cwd, env, configFile } = rig.replicas[1] as Replica;
    const command = (...args: string[]) =>
      runCli({ home, cwd, env }, [...args, "--config", configFile]);
    const called = await command("call", "dev/once/status");
    expect(JSON.parse(called.stdout), called.stderr).toMatchObject({
      pid: before.pid,
      calls: before.calls + 1,
    });
    expect((await command("list", "dev/once")).stdout).toContain("say");
    expect((await command("doctor")).stdout).toMatch(/dev\/once.*tools/);
    expect((await statusBy(await clientOf(2))).calls).toBe(before.calls + 2);
  });

  it("is used with the names and questions of the configuration on every replica", async () => {
    for (const index of [0, 1, 2]) {
      const client = await clientOf(index, { elicitation: {} });
      expect(firstText(await call(client, "say", { text: "hello" }))).toBe("hello");
      const begun = client.request("tools/call", useToolParams("dev/once/elicit", {}));
      const question = await begun.when(
        (messages) => messages.find(({ method }) => method === "elicitation/create"),
        "question",
      );
      await client.respond(question["id"], { action: "accept", content: { ok: true } });
      const { text } = await begun.done();
      expect(JSON.stringify(messagesIn(text).at(-1)?.result)).toContain("accept");
    }
  });

  it("asks modern clients, whose answers and requests about tasks reach any replica", async () => {
    const modern = async (index: number, params: Params, capabilities: Params) => {
      const answer = rig.clientOf(index).modern("tools/call", params, { capabilities });
      return messagesIn((await answer.done()).text).at(-1);
    };
    const elicit = useToolParams("dev/once/elicit", {});
    for (const asked of [0, 1, 2])
      for (const answering of [0, 1, 2]) {
        const { result } = (await modern(asked, elicit, { elicitation: {} })) ?? {};
        expect(result).toMatchObject({ resultType: "input_required" });
        const [key = ""] = Object.keys(result?.["inputRequests"] as object);
        const inputResponses = { [key]: { action: "accept", content: { ok: true } } };
        const again = { ...elicit, inputResponses, requestState: result?.["requestState"] };
        const answer = await modern(answering, again, { elicitation: {} });
        expect(JSON.stringify(answer), `${asked} ${answering}`).toContain("accept");
      }
    const tasks = { extensions: { "io.modelcontextprotocol/tasks": {} } };
    const start = useToolParams("dev/tasks/slow_compute", { seconds: 600, label: "mine" });
    for (const started of [0, 1, 2]) {
      const { result } = (await modern(started, start, tasks)) ?? {};
      for (const index of [0, 1, 2]) {
        const params = { taskId: result?.["taskId"] };
        const got = rig.clientOf(index).modern("tasks/get", params, { capabilities: tasks });
        expect((await got.done()).text, `${started} ${index}`).toContain('"working"');
      }
    }
  });

  it("learns that a client has disconnected, through the load balancer and any replica", async () => {
    const watching = await clientOf(0);
    for (const _ of rig.replicas) {
      let last = await statusBy(watching);
      const { length } = last.cancelled;
      const begun = rig
        .client()
        .modern("tools/call", useToolParams("dev/once/sleep", { ms: 600_000 }));
      // Each question about the status is a call, too.
      const hasArrived = async (): Promise<boolean> => {
        const { calls } = last;
        last = await statusBy(watching);
        return last.calls > calls + 1;
      };
      await waitFor(hasArrived, GENEROUS_MS, "the call to arrive");
      begun.hangUp();
      const cancelled = await waitFor(
        async () => (await statusBy(watching)).cancelled.slice(length)[0],
        GENEROUS_MS,
        "the cancellation",
      );
      expect(cancelled).toBeDefined();
    }
  });

  it("is not reached with tokens that no replica has made", async () => {
    for (const token of ["mwbr_", `mwbr_${rig.key}`]) {
      const client = new HttpClient(`${rig.replicas[0]?.url}/mcp/dev/once`, token);
      expect((await client.initialize()).status).toBe(401);
    }
  });

  it("is started by another replica when its own is killed; calls in flight get an error", async () => {
    const before = await statusBy(await clientOf(0));
    const holder = holderOf(before);
    const others = [0, 1, 2].filter((index) => index !== holder);
    const clients = await Promise.all(others.map((index) => clientOf(index)));
    const waiting = clients.map((client) => call(client, "sleep", { ms: 600_000 }));
    const [first = clients[0]] = clients;
    await waitFor(
      async () => (await statusBy(first as HttpClient)).calls >= before.calls + 3,
      GENEROUS_MS,
      "the calls to arrive",
    );
    rig.replicas[holder]?.kill("SIGKILL");
    for (const lost of await Promise.all(waiting))
      expect(JSON.stringify(lost)).toContain("The call may or may not have taken effect");
    // Until then, calls get errors: each of the others learns of it a little later.
    const [after, ...same] = await Promise.all(
      clients.map((client) =>
        waitFor(async () => statusBy(client).catch(() => undefined), GENEROUS_MS, "an answer"),
      ),
    );
    expect(after?.pid).not.toBe(before.pid);
    expect(same.map(({ pid }) => pid)).toEqual([after?.pid]);
    // The server of the replica that was killed ends a little later than that.
    await waitFor(() => processes().length === 1, GENEROUS_MS, "the former process to end");
    expect(processes().map(({ pid }) => pid)).toEqual([after?.pid]);
  });

  it("stops while Redis is away, because another replica might start it, and works again afterwards", async () => {
    const index = rig.replicas.findIndex((replica) => replica.servers().length > 0);
    const client = await clientOf(index);
    const { pid } = await statusBy(client);
    await rig.redis.stop();
    await waitFor(() => processes().length === 0, GENEROUS_MS, "the server to stop");
    await waitFor(
      async () => firstText(await call(client, "status"))?.includes("Redis is not reachable"),
      GENEROUS_MS,
      "the reason",
    );
    await rig.redis.start();
    const after = await waitFor(
      async () => statusBy(client).catch(() => undefined),
      GENEROUS_MS,
      "the server to work again",
    );
    expect(after.pid).not.toBe(pid);
    expect(processes()).toHaveLength(1);
  });
});
