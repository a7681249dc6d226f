/** Clients that share a workbench: one process, each server once, and every message where it belongs. */
import { mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { failureOf, listTools, openToolbox, resultOf, textOf, useTool } from "../support/calls.ts";
import { perBlock, perTest } from "../support/disposables.ts";
import { alive, waitFor } from "../support/proc.ts";
import { GENEROUS_MS, type RawClient } from "../support/raw-client.ts";
import { runProgram } from "../support/run-program.ts";
import { dev, fixture, toolbox } from "../support/servers.ts";
import { SharedPlace, serverPid } from "../support/shared.ts";
import { runCommand } from "../support/workbench.ts";

const cleanup = perBlock();

const config = dev(
  {
    fx: fixture(),
    env: { ...fixture("--dump-env"), env: { OWN: "${OWN:-none}" } },
    own: { ...fixture(), isolation: "session" },
    exact: { ...fixture(), isolation: "capabilities" },
  },
  { shared: { idleMs: 600_000 } },
);

const accepting = (name: string) => ({
  capabilities: { elicitation: {} },
  responders: { "elicitation/create": () => ({ action: "accept", content: { name } }) },
});

const fx = (client: RawClient, tool: string, args?: unknown) =>
  useTool(client, `dev/fx/${tool}`, args);

describe("clients that share a workbench", () => {
  let shared: SharedPlace;
  let a: RawClient;
  let b: RawClient;
  let plain: RawClient;
  beforeAll(async () => {
    shared = new SharedPlace(cleanup, config);
    [a, b, plain] = await Promise.all([
      shared.client(cleanup, accepting("a")),
      shared.client(cleanup, accepting("b")),
      shared.client(cleanup),
    ]);
  });

  it("use one process and one set of servers, whatever their capabilities", async () => {
    const pids = await Promise.all([a, b, plain].map((client) => serverPid(client)));
    expect(new Set(pids).size).toBe(1);
    await shared.onlyProcess();
    expect(shared.place.witness("dev", "fx").starts).toBe(1);
    const [hello] = shared.place.witness("dev", "fx").messages("initialize");
    expect(hello?.params).toMatchObject({
      clientInfo: { name: "mcp-workbench" },
      capabilities: { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} },
    });
  });

  it("get the same bytes as without sharing", async () => {
    const response = await fx(a, "rich");
    expect(response.line).toContain('{"type":"hologram","voxels":[[0,1]],"note":');
    expect(resultOf(response)["x-result"]).toEqual({ kept: true });
    expect((await fx(a, "big", { bytes: 3_000_000 })).line.length).toBeGreaterThan(3_000_000);
  });

  it("are asked what their own calls need, and only that", async () => {
    const answer = async (client: RawClient): Promise<unknown> =>
      (JSON.parse(textOf(await fx(client, "elicit"))) as { result: unknown }).result;
    expect(await answer(a)).toEqual({ action: "accept", content: { name: "a" } });
    expect(await answer(b)).toEqual({ action: "accept", content: { name: "b" } });
    // The server has asked before, so calls that are made at once are sent one client at a time.
    const refused = fx(plain, "elicit");
    const accepted = await Promise.all([a, b, a, b].map(answer));
    expect(accepted).toEqual(
      ["a", "b", "a", "b"].map((name) => ({ action: "accept", content: { name } })),
    );
    expect(textOf(await refused)).toContain("Method not found: elicitation/create");
  });

  it("refuse what they did not declare, as they would themselves", async () => {
    for (const [tool, method] of [
      ["elicit", "elicitation/create"],
      ["sample", "sampling/createMessage"],
      ["roots", "roots/list"],
    ] as const)
      expect(JSON.parse(textOf(await fx(plain, tool)))).toEqual({
        error: { code: -32601, message: `Method not found: ${method}` },
      });
  });

  it("get progress and log messages of their own calls", async () => {
    const before = b.lines.length;
    const progress: unknown[] = [];
    a.onNotification = ({ method, params }) => progress.push([method, params?.["progressToken"]]);
    await useTool(a, "dev/fx/progress", { n: 2 }, { meta: { progressToken: "mine" } });
    await fx(a, "log");
    expect(progress).toEqual([
      ["notifications/progress", "mine"],
      ["notifications/progress", "mine"],
      ["notifications/message", undefined],
    ]);
    expect(b.lines.length).toBe(before);
  });

  it("have their own process of a server with isolation, or the one for their capabilities", async () => {
    const pids = (server: string): Promise<number[]> =>
      Promise.all([a, b, plain].map((client) => serverPid(client, `dev/${server}/status`)));
    expect(new Set(await pids("own")).size).toBe(3);
    const [first, second, third] = await pids("exact");
    expect(second).toBe(first);
    expect(third).not.toBe(first);
  });

  it("have separate servers where the environment or the folder differs", async () => {
    const elsewhere = join(shared.place.dir, "elsewhere");
    mkdirSync(elsewhere);
    const other = await shared.client(cleanup, { env: { OWN: "mine" } });
    const moved = await shared.client(cleanup, { cwd: elsewhere });
    const status = async (client: RawClient, server: string) =>
      JSON.parse(textOf(await useTool(client, `dev/${server}/status`))) as {
        pid: number;
        cwd: string;
        env?: Record<string, string>;
      };
    expect((await status(a, "env")).env?.["OWN"]).toBe("none");
    expect((await status(other, "env")).env?.["OWN"]).toBe("mine");
    expect((await status(other, "fx")).pid).toBe(await serverPid(a));
    expect((await status(moved, "fx")).cwd).toBe(elsewhere);
    expect((await status(a, "fx")).cwd).toBe(shared.place.dir);
    await shared.onlyProcess();
  });

  it("follow a changed configuration, with variables that it did not mention before", async () => {
    const client = await shared.client(cleanup, { env: { LATER: "mine" } });
    const { pid } = shared.record;
    await serverPid(client);
    shared.place.writeConfig({
      ...config,
      toolboxes: {
        ...config.toolboxes,
        more: toolbox({ fx: { ...fixture("--dump-env"), env: { LATER: "${LATER:-none}" } } }),
      },
    });
    // The shared process reads the new text before it serves a client that has seen it.
    await serverPid(await shared.client(cleanup));
    const status = async (by: RawClient) =>
      JSON.parse(textOf(await useTool(by, "more/fx/status"))) as { env: { LATER: string } };
    // Its process connects again when it has learned of the change.
    const isOwn = async () => (await status(client)).env.LATER === "mine";
    await waitFor(isOwn, GENEROUS_MS, "the client to pass on its variable");
    expect((await status(a)).env.LATER).toBe("none");
    expect(shared.record.pid).toBe(pid);
  });

  it("can see one server as it is, with their own capabilities", async () => {
    const exact = await shared.client(cleanup, {
      more: ["--server", "dev/fx"],
      capabilities: { roots: {} },
    });
    const response = await exact.request("tools/call", { name: "status", arguments: {} });
    const { clientCapabilities, clientInfo } = JSON.parse(textOf(response)) as {
      clientCapabilities: unknown;
      clientInfo: { name: string };
    };
    expect(clientCapabilities).toEqual({ roots: {} });
    expect(clientInfo.name).toBe("raw-client");
    await shared.onlyProcess();
  });

  it("cancel only their own calls", async () => {
    const release = join(shared.place.dir, "release");
    // This server has asked nothing, so it gets calls of several clients at once.
    const kept = useTool(b, "dev/exact/sleep", { until: release });
    const id = a.nextId();
    const given = useTool(a, "dev/exact/sleep", { until: release }, { id });
    given.catch(() => {});
    const witness = shared.place.witness("dev", "exact");
    await waitFor(() => witness.callsOf("sleep").length === 2, GENEROUS_MS, "both calls");
    a.notify("notifications/cancelled", { requestId: id });
    await waitFor(
      () => witness.messages("notifications/cancelled").length === 1,
      GENEROUS_MS,
      "the cancellation",
    );
    writeFileSync(release, "");
    expect(textOf(await kept)).toBe("released");
    expect(a.responsesTo(id)).toEqual([]);
    a.giveUp(id, new Error("cancelled"));
  });

  it("are listed by status, and the commands use their servers", async () => {
    const pid = await serverPid(a);
    const { command, args, env } = shared.place;
    const shown = runProgram(command, [args[0] ?? "", "status", "--json"], { env });
    const [status] = JSON.parse(shown.stdout) as [
      { shared: boolean; pid: number; toolboxes: { servers: { name: string; pid: number }[] }[] },
    ];
    expect(status).toMatchObject({ shared: true, pid: shared.record.pid });
    expect(status.toolboxes[0]?.servers.find(({ name }) => name === "fx")?.pid).toBe(pid);
    const called = runCommand(shared.place, "call", "dev/fx/status", "--json");
    expect(called.stderr).toBe("");
    expect(called.stdout).toContain(`\\"pid\\":${pid},`);
    expect(runCommand(shared.place, "search", "echo", "--json").stdout).toContain('"echo"');
    expect(shared.place.witness("dev", "fx").starts).toBeLessThanOrEqual(3);
  });

  it("meet in a private place, and strangers are not let in", async () => {
    const { socket } = shared.record;
    expect(statSync(shared.folder).mode & 0o777).toBe(0o700);
    expect(statSync(socket).mode & 0o777).toBe(0o600);
    const stranger = connect(socket);
    const received: string[] = [];
    stranger.on("data", (chunk) => received.push(String(chunk)));
    // It may be disconnected while it still writes.
    stranger.on("error", () => {});
    stranger.write(`mcp-workbench-shared/1 ${"0".repeat(32)}\n`);
    stranger.write('{"op":"stop","proof":"guess"}\n');
    await new Promise((resolve) => stranger.once("close", resolve));
    expect(received.join("")).toMatch(/^[0-9a-f]{32} [0-9a-f]{64}\n$/);
    expect(textOf(await fx(a, "echo", { text: "still here" }))).toBe("still here");
  });
});

describe("a shared workbench that ends", () => {
  const disposables = perTest();

  it("by a crash costs its clients the calls in flight, and the next ones work", async () => {
    const shared = new SharedPlace(disposables, config);
    const client = await shared.client(disposables, accepting("a"));
    const other = await shared.client(disposables);
    const before = await serverPid(client);
    const inFlight = [client, other].map((one) => fx(one, "sleep", { ms: 600_000 }));
    const witness = shared.place.witness("dev", "fx");
    await waitFor(() => witness.callsOf("sleep").length === 2, GENEROUS_MS, "the calls");
    await shared.kill();
    for (const response of await Promise.all(inFlight))
      expect(failureOf(response)).toContain("may or may not have taken effect");
    const [after, same] = await Promise.all([serverPid(client), serverPid(other)]);
    expect(after).not.toBe(before);
    expect(same).toBe(after);
    expect(textOf(await fx(client, "elicit"))).toContain('"name":"a"');
    await waitFor(() => !alive(before), GENEROUS_MS, "the server of the former process to end");
  });

  it("by stop is started again by the next call only", async () => {
    const shared = new SharedPlace(disposables, config);
    const client = await shared.client(disposables);
    const before = await serverPid(client);
    const { pid } = shared.record;
    expect(runCommand(shared.place, "stop", "--json")).toMatchObject({ code: 0, stderr: "" });
    expect([alive(pid), alive(before), shared.records()]).toEqual([false, false, []]);
    expect(shared.processes()).toEqual([]);
    expect(await serverPid(client)).not.toBe(before);
    expect(shared.record.pid).not.toBe(pid);
  });

  it("because no client is left takes its servers with it", async () => {
    const shared = new SharedPlace(disposables, { ...config, shared: { idleMs: 1 } });
    const client = await shared.client(disposables);
    const server = await serverPid(client);
    const { pid } = shared.record;
    await shared.leave(client);
    await waitFor(() => !alive(pid) && !alive(server), GENEROUS_MS, "both to end");
    expect(shared.records()).toEqual([]);
  });
});

describe("a client that cannot share a workbench", () => {
  const disposables = perTest();

  it("is served by its own process", async () => {
    const shared = new SharedPlace(disposables, config);
    // A folder that is a file: nothing can be shared there.
    mkdirSync(join(shared.place.dir, "state", "mcp-workbench"), { recursive: true });
    writeFileSync(shared.folder, "");
    const client = await shared.client(disposables);
    const { ppid } = JSON.parse(textOf(await fx(client, "status"))) as { ppid: number };
    expect(ppid).toBe(client.pid);
    await shared.leave(client);
  });

  it("any longer is served by its own process, which continues its session", async () => {
    const shared = new SharedPlace(disposables, { ...config, toolMode: "dynamic" });
    const client = await shared.client(disposables);
    const call = async (tool: string) =>
      textOf(await client.request("tools/call", { name: `dev__fx__${tool}`, arguments: {} }));
    await openToolbox(client, "dev");
    const sleep = { name: "dev__fx__sleep", arguments: { ms: 1e6 } };
    const waiting = client.request("tools/call", sleep);
    const witness = shared.place.witness("dev", "fx");
    await waitFor(() => witness.callsOf("sleep").length === 1, GENEROUS_MS, "the call");
    const { pid } = shared.record;
    rmSync(shared.folder, { recursive: true });
    writeFileSync(shared.folder, "");
    process.kill(pid, "SIGKILL");
    expect(failureOf(await waiting)).toContain("may or may not have taken effect");
    // It opens the toolbox again, however long the server takes to start.
    const isListed = async (): Promise<boolean> =>
      (await listTools(client)).some(({ name }) => name === "dev__fx__status");
    await waitFor(isListed, GENEROUS_MS, "the tools of the server");
    expect(JSON.parse(await call("status"))).toMatchObject({ ppid: client.pid });
    await client.when(() => client.stderr.includes("mcp-workbench: not shared: "), "the reason");
    await shared.leave(client);
  });

  it("because it does not want to is served as without the option", async () => {
    const shared = new SharedPlace(disposables, config, { env: { MCP_WORKBENCH_SHARED: "0" } });
    const client = await shared.client(disposables);
    const { ppid } = JSON.parse(textOf(await fx(client, "status"))) as { ppid: number };
    expect(ppid).toBe(client.pid);
    expect(shared.processes()).toEqual([]);
    await shared.leave(client);
  });
});
