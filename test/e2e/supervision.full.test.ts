/**
 * Faults of servers that leave the process alive, and calls to a server that is starting. In the full
 * suite because its servers are killed and started again and again.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  failureOf,
  fixtureStatus,
  identifier,
  openToolbox,
  textOf,
  useTool,
} from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import { closedGate } from "../support/gate.ts";
import { alive, processesOf, processesWith, waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { scriptServer } from "../support/script-server.ts";
import { dev, fixture, type ServerEntry, withOptions } from "../support/servers.ts";
import {
  prepareWorkbench,
  startIn,
  startWorkbench,
  temporaryFolder,
} from "../support/workbench.ts";

const cleanup = perTest();

/** A shell script as a server; its tool closes one of its pipes, once, and keeps running. */
function closing(how: "exec 0<&-" | "exec 1>&-"): ServerEntry {
  const done = join(temporaryFolder(cleanup), "done");
  const answer = (result: object): string =>
    `printf '{"jsonrpc":"2.0","id":%s,"result":%s}\\n' "$id" '${JSON.stringify(result)}'`;
  const script = `
    while read -r line; do
      id="\${line#*\\"id\\":}"; id="\${id%%,*}"
      case "$line" in
        *'"initialize"'*) ${answer({ protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "script", version: "1" } })} ;;
        *'"tools/list"'*) ${answer({ tools: [{ name: "hello", inputSchema: { type: "object" } }] })} ;;
        *'"tools/call"'*)
          if mkdir "${done}" 2>/dev/null; then ${how}; sleep 60; fi
          ${answer({ content: [{ type: "text", text: "well again" }] })} ;;
      esac
    done`;
  const file = join(temporaryFolder(cleanup), "server.sh");
  writeFileSync(file, script);
  return { command: "/bin/sh", args: [file] };
}

describe("a server that closes a pipe but keeps running", () => {
  it("is ended when it closes its output, and comes back with the next call", async () => {
    const workbench = await startWorkbench(cleanup, dev({ fx: closing("exec 1>&-") }));
    const failure = failureOf(await useTool(workbench.client, "dev/fx/hello", {}));
    expect(failure).toContain("closed its standard output");
    expect(textOf(await useTool(workbench.client, "dev/fx/hello", {}))).toBe("well again");
    await waitFor(() => workbench.servers().length === 1, GENEROUS_MS, "the first one to end");
  });

  it("is ended when it has closed its input and the next call cannot be sent", async () => {
    const workbench = await startWorkbench(cleanup, dev({ fx: closing("exec 0<&-") }));
    const { client } = workbench;
    const first = useTool(client, "dev/fx/hello", {});
    await waitFor(
      () => processesOf(workbench.marker).some(({ command }) => command.startsWith("sleep")),
      GENEROUS_MS,
      "the pipe to be closed",
    );
    const second = useTool(client, "dev/fx/hello", {});
    for (const call of [first, second])
      expect(failureOf(await call)).toContain("closed its standard input");
    expect(textOf(await useTool(client, "dev/fx/hello", {}))).toBe("well again");
  });
});

describe("a workbench with a low limit of open files", () => {
  it("keeps the servers it has, and explains why it cannot start more", async () => {
    const names = Array.from({ length: 25 }, (_, i) => `s${i}`);
    const config = dev(Object.fromEntries(names.map((name) => [name, fixture()])));
    const place = prepareWorkbench(cleanup, config);
    const limited = ["-c", 'ulimit -n 64; exec "$0" "$@"', place.command, ...place.args];
    const { client } = await startIn(cleanup, { ...place, command: "/bin/sh", args: limited });
    const answers = [];
    for (const name of names)
      answers.push((await useTool(client, `dev/${name}/echo`, { text: name })).line);
    expect(answers[0]).toContain('"s0"');
    expect(answers.at(-1)).toMatch(/too many files are open \(EMFILE\).*ulimit -n/);
    expect(textOf(await useTool(client, "dev/s0/echo", { text: "still here" }))).toBe("still here");
  });
});

describe("a server that is still starting", () => {
  it("refuses calls beyond its concurrency and queue limits", async () => {
    const limited = { limits: { concurrency: 1, queue: 2 }, timeouts: { connectMs: 600_000 } };
    const slow = withOptions(fixture("--wait-for", closedGate(cleanup).file), limited);
    const { client } = await startWorkbench(cleanup, dev({ slow }));
    const waiting = Array.from({ length: 3 }, () =>
      useTool(client, "dev/slow/echo", { text: "x" }).catch(() => {}),
    );
    const failure = failureOf(await useTool(client, "dev/slow/echo", { text: "x" }));
    expect(failure).toMatch(/Too many concurrent calls.*3 calls are waiting for it to connect/);
    client.kill("SIGKILL");
    await Promise.all(waiting);
  });

  it("does not keep a call waiting for longer than totalMs", async () => {
    const timeouts = { connectMs: 600_000, callMs: 500, totalMs: 500, shutdownMs: 200 };
    const slow = withOptions(fixture("--wait-for", closedGate(cleanup).file), { timeouts });
    const workbench = await startWorkbench(cleanup, dev({ slow }));
    const failure = failureOf(await useTool(workbench.client, "dev/slow/echo", { text: "x" }));
    expect(failure).toMatch(/no result within 500 ms in total.*the call had no effect/);
    expect(workbench.witness("dev", "slow").callsOf("echo")).toEqual([]);
  });
});

describe("a request of a server that exceeds messageBytes", () => {
  it("is answered with an error, so that the server does not wait", async () => {
    const received = join(temporaryFolder(cleanup), "received");
    const asking = scriptServer(
      cleanup,
      `import { writeFileSync } from "node:fs";
       const call = () => {
         const text = "x".repeat(200_000);
         const messages = [{ role: "user", content: { type: "text", text } }];
         send({ id: "mine", method: "sampling/createMessage", params: { messages, maxTokens: 1 } });
       };
       process.stdin.on("data", (data) => {
         if (!String(data).includes('"mine"')) return;
         writeFileSync(${JSON.stringify(received)}, data);
         send({ id: ids.pop(), result: { content: [{ type: "text", text: "refused" }] } });
       });
       const ids = [];
       process.stdin.prependListener("data", (data) => {
         const { id, method } = JSON.parse(String(data).trim().split("\\n").pop());
         if (method === "tools/call") ids.push(id);
       });
       serve({ ...legacy({ tools: {} }), "tools/call": call });`,
    );
    const limited = withOptions(asking, { limits: { messageBytes: 100_000 } });
    const { client } = await startWorkbench(cleanup, dev({ fx: limited }), {
      capabilities: { sampling: {} },
    });
    expect(textOf(await useTool(client, "dev/fx/hello", {}))).toBe("refused");
    expect(existsSync(received)).toBe(true);
    expect(readFileSync(received, "utf8")).toMatch(
      /"id":"mine","error".*exceeds the limit of 100000/,
    );
  });
});

describe("an idle server", () => {
  it("keeps running while it works on a task", async () => {
    const gate = closedGate(cleanup);
    const program = `
      const task = { taskId: "t1", ttl: null, createdAt: "2026-01-01T00:00:00Z" };
      const status = () => (existsSync(${JSON.stringify(gate.file)}) ? "completed" : "working");
      serve({
        ...legacy({ tools: {}, tasks: { requests: { tools: { call: {} } } } }),
        "tools/call": () => ({ task: { ...task, status: status() } }),
        "tasks/get": () => ({ ...task, status: status() }),
      });`;
    const brief = { timeouts: { idleMs: 300 } };
    const working = withOptions(scriptServer(cleanup, program), brief);
    const workbench = await startWorkbench(
      cleanup,
      dev({ working, other: withOptions(fixture(), brief) }),
    );
    const { client } = workbench;
    await client.request("tools/call", {
      name: "use_tool",
      arguments: { tool: identifier("dev/working/hello"), arguments: {} },
      task: { ttl: 60_000 },
    });
    const [server] = workbench.servers();
    const pid = server?.pid ?? 0;
    expect(alive(pid)).toBe(true);
    // Used later and just as idle: when it has exited twice, the first one would have exited long
    // ago.
    for (let round = 0; round < 2; round++) {
      const other = await fixtureStatus(client, "dev/other");
      await waitFor(() => !alive(other.pid), GENEROUS_MS, "the end of the other server");
    }
    expect(alive(pid)).toBe(true);
    gate.open();
    const statusOf = async (): Promise<unknown> =>
      ((await client.request("tasks/get", { taskId: "t1" })).result as { status?: string }).status;
    expect(await statusOf()).toBe("completed");
    await waitFor(() => !alive(pid), GENEROUS_MS, "the idle server to end");
  });
});

describe("the guard process", () => {
  it("is replaced when it is killed, and still ends the servers", async () => {
    const stubborn = fixture("--ignore-eof", "--ignore-term");
    const workbench = await startWorkbench(cleanup, dev({ fx: stubborn }));
    await openToolbox(workbench.client, "dev");
    const guards = (): number[] =>
      childrenOf(workbench.pid).filter((pid) => !workbench.servers().some((s) => s.pid === pid));
    const [first] = guards();
    expect(first).toBeDefined();
    process.kill(first ?? 0, "SIGKILL");
    await waitFor(() => guards().some((pid) => pid !== first), GENEROUS_MS, "another guard");
    workbench.client.kill("SIGKILL");
    await waitFor(() => workbench.servers().length === 0, GENEROUS_MS, "the servers to end");
  });
});

/** The processes that run and were started by this one. */
function childrenOf(parent: number): number[] {
  return processesWith("PATH", process.env["PATH"] ?? "")
    .filter(({ ppid, state }) => ppid === parent && state !== "Z")
    .map(({ pid }) => pid);
}

describe("a server that dies while its list of tools is being read", () => {
  it("is started again by a later call", async () => {
    const alive = join(temporaryFolder(cleanup), "alive");
    // The list is so long that its end is usually noticed before all of it has been read.
    const fx = scriptServer(
      cleanup,
      `const tools = Array.from({ length: 20_000 }, (_, i) =>
         ({ name: "tool-" + i, description: "x".repeat(200), inputSchema: { type: "object" } }));
       const list = legacy({ tools: {} })["tools/list"];
       serve({ ...legacy({ tools: {} }), "tools/list": (params, id) => {
         if (existsSync(${JSON.stringify(alive)})) return list();
         const line = JSON.stringify({ jsonrpc: "2.0", id, result: { tools } }) + "\\n";
         process.stdout.write(line, () => process.exit(4));
       } });`,
    );
    const { client } = await startWorkbench(cleanup, dev({ fx }));
    const failure = failureOf(await useTool(client, "dev/fx/hello", {}));
    // Read to its end first, the list does not have the tool.
    expect(failure).toMatch(/it exited with code 4|^Tool 'hello' not found/);
    writeFileSync(alive, "");
    const works = async (): Promise<boolean> =>
      (await useTool(client, "dev/fx/hello", {})).line.includes('"text":"hello"');
    await waitFor(works, GENEROUS_MS, "the server to be started again");
  });
});
