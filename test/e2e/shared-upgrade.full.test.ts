/** Clients of an older version while a newer one takes over. `npm test` has no upgrade: it starts two programs. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { textOf, useTool, useToolParams } from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import { type ProcessInfo, alive, killIfAlive, waitFor } from "../support/proc.ts";
import { GENEROUS_MS, type RawClient } from "../support/raw-client.ts";
import { dev, everything, fixture } from "../support/servers.ts";
import { SharedPlace, serverPid } from "../support/shared.ts";
import { PROGRAM, temporaryFolder } from "../support/workbench.ts";

const cleanup = perTest();
const config = dev(
  {
    one: fixture(),
    ask: fixture(),
    asked: fixture(),
    tasks: everything("modern"),
    watched: everything("legacy"),
  },
  { shared: { idleMs: 600_000 } },
);
const ONE = "dev/one/status";
const UPDATED = "notifications/resources/updated";
const NEWER = "9.9.9";
const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "raw-client", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {
    elicitation: { form: {} },
    extensions: { "io.modelcontextprotocol/tasks": {} },
  },
};

interface ModernResult {
  readonly resultType?: string;
  readonly requestState?: string;
  readonly inputRequests?: Readonly<Record<string, unknown>>;
  readonly taskId?: string;
  readonly status?: string;
  readonly content?: readonly { readonly text: string }[];
}

async function modern(client: RawClient, method: string, params: object): Promise<ModernResult> {
  const { result, line } = await client.request(method, { ...params, _meta: META });
  if (result === undefined) throw new Error(line);
  return result as ModernResult;
}

const isReplaced = (shared: SharedPlace): boolean => {
  const versions = shared.records().map(({ version }) => version);
  return versions.length > 0 && versions.every((version) => version === NEWER);
};

describe("a new version", () => {
  it("takes the clients of the old one over, without a failed call", async () => {
    const shared = new SharedPlace(cleanup, config);
    const old = await shared.client(cleanup);
    await serverPid(old, ONE);
    const former = shared.record.pid;
    const release = join(shared.place.dir, "release");
    const inProgress = useTool(old, "dev/one/sleep", { until: release });
    await waitFor(
      () => shared.place.witness("dev", "one").callsOf("sleep").length === 1,
      GENEROUS_MS,
      "the call",
    );
    const client = await newerPlace(shared).client(cleanup);
    const server = await serverPid(client, ONE);
    await waitFor(() => isReplaced(shared), GENEROUS_MS, "the old record to go");
    expect(alive(former)).toBe(true);
    writeFileSync(release, "");
    expect(textOf(await inProgress)).toBe("released");
    await waitFor(() => !alive(former), GENEROUS_MS, "the old process to end");
    expect(await serverPid(old, ONE)).toBe(server);
    expect(shared.records().map(({ version }) => version)).toEqual([NEWER]);

    // A process of the old version that was slow to start leaves the clients to the new one.
    const { command, args, env, configFile } = shared.place;
    const late = spawn(command, [args[0] ?? "", "__shared", configFile, ""], { env });
    cleanup.defer(() => void late.kill("SIGKILL"));
    expect(await once(late, "exit")).toEqual([0, null]);
    expect(shared.records().map(({ version }) => version)).toEqual([NEWER]);
  });

  it("waits for everything in progress: calls, questions, tasks, subscriptions", async () => {
    const shared = new SharedPlace(cleanup, config);
    const release = join(shared.place.dir, "release");
    const clients = await Promise.all(Array.from({ length: 6 }, () => shared.client(cleanup)));
    const [idle, subscriber, ...busy] = clients as [RawClient, RawClient, ...RawClient[]];
    let answer: (value: unknown) => void = () => {};
    const answered = new Promise((resolve) => (answer = resolve));
    const asker = await shared.client(cleanup, {
      capabilities: { elicitation: {} },
      responders: { "elicitation/create": () => answered },
    });
    const parking = await shared.client(cleanup, { initialize: false });
    const tasking = await shared.client(cleanup, { initialize: false });
    const server = await serverPid(idle, ONE);
    const former = shared.record.pid;

    // 24 calls of four clients, a question to a legacy client, one to a modern client, a task and a subscription.
    const calls = busy.flatMap((client) =>
      Array.from({ length: 6 }, () => useTool(client, "dev/one/sleep", { until: release })),
    );
    const asking = useTool(asker, "dev/ask/elicit");
    const question = useToolParams("dev/asked/elicit");
    const parked = await modern(parking, "tools/call", question);
    expect(parked.resultType).toBe("input_required");
    const computation = { seconds: 0.5, label: "mine" };
    const task = await modern(
      tasking,
      "tools/call",
      useToolParams("dev/tasks/slow_compute", computation),
    );
    expect(task.resultType).toBe("task");
    const uri = "workbench://dev/watched/test://watched-resource";
    await subscriber.request("resources/subscribe", { uri });
    const one = shared.place.witness("dev", "one");
    const isAsked = (): boolean => asker.serverRequests.length === 1;
    await waitFor(
      () => one.callsOf("sleep").length === calls.length && isAsked(),
      GENEROUS_MS,
      "all calls",
    );

    const newer = await newerPlace(shared).client(cleanup);
    const next = await serverPid(newer, ONE);
    await waitFor(() => isReplaced(shared), GENEROUS_MS, "the old record to go");
    // A client that waits for nothing changes at once, with its subscriptions.
    await waitFor(async () => (await serverPid(idle, ONE)) === next, GENEROUS_MS, "the change");
    await waitFor(
      async () => {
        await useTool(newer, "dev/watched/test_trigger_resource_update");
        return subscriber.notificationsOf(UPDATED).length > 0;
      },
      GENEROUS_MS,
      "an update from the new process",
    );
    expect(alive(former)).toBe(true);

    answer({ action: "accept", content: { name: "asker" } });
    expect(textOf(await asking)).toContain('"name":"asker"');
    const responses = Object.keys(parked.inputRequests ?? {}).map((key) => [
      key,
      { action: "accept", content: { name: "parking" } },
    ]);
    const resumed = await modern(parking, "tools/call", {
      ...question,
      requestState: parked.requestState,
      inputResponses: Object.fromEntries(responses),
    });
    expect(resumed.content?.[0]?.text).toContain('"name":"parking"');
    const get = () => modern(tasking, "tasks/get", { taskId: task.taskId });
    await waitFor(async () => (await get()).status === "completed", GENEROUS_MS, "the task's end");
    writeFileSync(release, "");
    expect((await Promise.all(calls)).map(textOf)).toEqual(calls.map(() => "released"));

    // All of them are at the new process now, except for the one whose task the old one has.
    for (const client of [...busy, asker])
      await waitFor(async () => (await serverPid(client, ONE)) === next, GENEROUS_MS, "a change");
    expect(await get()).toMatchObject({ status: "completed" });
    await shared.leave(tasking);
    await waitFor(() => !alive(former) && !alive(server), GENEROUS_MS, "the old process to end");
    expect(textOf(await useTool(parking, ONE, undefined, { meta: META }))).toContain(`${next}`);

    // Nothing ran twice.
    expect(one.callsOf("sleep")).toHaveLength(calls.length);
    for (const name of ["ask", "asked"])
      expect(shared.place.witness("dev", name).callsOf("elicit")).toHaveLength(1);
    expect([asker.serverRequests.length, one.starts]).toEqual([1, 2]);
  });

  it("leaves nothing if everything is killed while clients move, and the next ones start", async () => {
    const shared = new SharedPlace(cleanup, config);
    const old = await shared.client(cleanup);
    await serverPid(old, ONE);
    const waiting = useTool(old, "dev/one/sleep", { until: join(shared.place.dir, "never") });
    waiting.catch(() => {});
    await waitFor(
      () => shared.place.witness("dev", "one").callsOf("sleep").length === 1,
      GENEROUS_MS,
      "the call",
    );
    const newerOnes = newerPlace(shared);
    const newer = await newerOnes.client(cleanup);
    await serverPid(newer, ONE);
    await waitFor(() => isReplaced(shared), GENEROUS_MS, "the old record to go");
    const servers = shared.place.servers().map(({ pid }) => pid);
    const both = (): readonly ProcessInfo[] | false => {
      const found = shared.processes();
      return found.length === 2 && found;
    };
    for (const { pid } of await waitFor(both, GENEROUS_MS, "one process of each version"))
      killIfAlive(pid);
    for (const client of [old, newer]) client.kill("SIGKILL");
    await waitFor(() => !servers.some(alive), GENEROUS_MS, "the servers to end");
    // Clients of both versions, in the order in which the old one is passed on again.
    const clients = [await shared.client(cleanup), await newerOnes.client(cleanup)] as const;
    await serverPid(clients[0], ONE);
    const next = await serverPid(clients[1], ONE);
    await waitFor(
      async () => (await serverPid(clients[0], ONE)) === next && shared.processes().length === 1,
      GENEROUS_MS,
      "one process for both",
    );
    for (const client of clients) expect(client.stderr).not.toContain("not shared");
  });
});

/** The same place for clients of a newer version. */
function newerPlace(shared: SharedPlace): SharedPlace {
  const place = { ...shared.place, args: [newerProgram(), "serve", "--shared"] };
  const { folder } = shared;
  return Object.assign(Object.create(SharedPlace.prototype) as SharedPlace, { place, folder });
}

/** A copy of the built program that says it is a later version. */
function newerProgram(): string {
  const folder = temporaryFolder(cleanup);
  cpSync(dirname(PROGRAM), folder, { recursive: true });
  for (const name of [
    "program.cjs",
    ...readdirSync(join(folder, "chunks")).map((it) => `chunks/${it}`),
  ])
    if (name.endsWith(".cjs")) {
      const file = join(folder, name);
      writeFileSync(file, readFileSync(file, "utf8").replaceAll('"0.1.0"', `"${NEWER}"`));
    }
  return join(folder, "bin.cjs");
}
