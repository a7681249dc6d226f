/** What a client relies on when it connects, before any tool is used. */
import { closeSync, copyFileSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { failureOf, listTools, openToolbox, textOf, useTool } from "../support/calls.ts";
import { perBlock, perTest } from "../support/disposables.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { runProgram } from "../support/run-program.ts";
import { type Config, dev, fixture, MISSING_COMMAND, toolbox } from "../support/servers.ts";
import {
  LATEST_LEGACY,
  prepareWorkbench,
  type RunningWorkbench,
  startWorkbench,
} from "../support/workbench.ts";

const cleanup = perTest();
const block = perBlock();

const twoToolboxes: Config = {
  toolboxes: {
    dev: toolbox({ one: fixture(), two: fixture() }, "Files and notes of the project"),
    ops: toolbox({ one: fixture() }, "Deployments and incidents"),
  },
};

/** For the tests that only read; the order does not matter to them. */
let shared: RunningWorkbench;
beforeAll(async () => {
  shared = await startWorkbench(block, twoToolboxes);
});

describe("the handshake", () => {
  it("starts no server", async () => {
    const workbench = await startWorkbench(cleanup, twoToolboxes);
    await listTools(workbench.client);
    expect(workbench.servers()).toEqual([]);
    expect(workbench.witness("dev", "one").starts).toBe(0);
  });

  it("succeeds if no server can be started", async () => {
    const workbench = await startWorkbench(cleanup, dev({ broken: MISSING_COMMAND }));
    expect(await listTools(workbench.client)).not.toEqual([]);
  });

  it.each(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])(
    "accepts protocol version %s",
    async (protocolVersion) => {
      const workbench = await startWorkbench(cleanup, dev({ fx: fixture() }), { protocolVersion });
      expect(workbench.hello.protocolVersion).toBe(protocolVersion);
      expect(textOf(await useTool(workbench.client, "dev/fx/echo", { text: "hi" }))).toBe("hi");
    },
  );

  it.each(["1999-01-01", "2099-12-31", "2026-07-28", "latest"])(
    "offers the latest legacy version to a client that asks for %s",
    async (protocolVersion) => {
      const workbench = await startWorkbench(cleanup, twoToolboxes, { protocolVersion });
      expect(workbench.hello.protocolVersion).toBe(LATEST_LEGACY);
    },
  );

  it("states name, version and capabilities of the workbench", () => {
    const { hello } = shared;
    const manifest = new URL("../../package.json", import.meta.url);
    const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };
    expect(hello.serverInfo).toMatchObject({ name: "mcp-workbench", version });
    expect(hello.capabilities).toHaveProperty("tools");
  });

  it("may be followed by ping", async () => {
    const { client } = shared;
    expect((await client.request("ping")).result).toEqual({});
    expect((await client.request("ping", {}, { id: "a string" })).id).toBe("a string");
  });

  it("writes exactly one message to stdout", async () => {
    const { client, stop } = await startWorkbench(cleanup, twoToolboxes);
    await stop();
    expect(client.lines).toHaveLength(1);
    expect(client.garbage).toEqual([]);
  });
});

describe("what an agent reads first", () => {
  it("includes every toolbox, and the form of a call", () => {
    const { hello } = shared;
    const { instructions = "" } = hello;
    expect(instructions).toMatch(/\nToolboxes: dev, ops$/);
    expect(instructions).toContain("use_tool");
    const example = /\{"tool":.*\}/.exec(instructions)?.[0] ?? "{}";
    expect(JSON.parse(example)).toMatchObject({
      tool: { toolbox: "TOOLBOX", server: "SERVER", name: "TOOL" },
      arguments: {},
    });
  });

  it("includes the toolboxes in the schema of open_toolbox and their purposes beside it", async () => {
    const { client } = shared;
    const open = (await listTools(client)).find(({ name }) => name === "open_toolbox");
    expect(open?.inputSchema).toMatchObject({
      type: "object",
      properties: { toolbox: { type: "string", enum: ["dev", "ops"] } },
      required: ["toolbox"],
      additionalProperties: false,
    });
    expect(open?.description).toContain("Files and notes of the project");
    expect(open?.description).toContain("Deployments and incidents");
  });

  it("includes the structured identifier of use_tool, strict on both levels", async () => {
    const { client } = shared;
    const use = (await listTools(client)).find(({ name }) => name === "use_tool");
    expect(use?.inputSchema).toMatchObject({
      properties: {
        tool: { required: ["toolbox", "server", "name"], additionalProperties: false },
        arguments: { type: "object" },
      },
      required: ["tool"],
      additionalProperties: false,
    });
  });

  it("does not include the older spelling toolbox_name", async () => {
    const { client, hello } = shared;
    const list = await client.request("tools/list");
    expect(list.line + hello.instructions).not.toContain("toolbox_name");
  });

  it("does not change while toolboxes are opened and used", async () => {
    const { client } = await startWorkbench(cleanup, twoToolboxes);
    const before = JSON.stringify(await listTools(client));
    await openToolbox(client, "dev");
    await useTool(client, "dev/one/change_list", {});
    expect(JSON.stringify(await listTools(client))).toBe(before);
  });
});

describe("the command serve", () => {
  it("is the default when stdin is not a terminal", async () => {
    const workbench = await startWorkbench(cleanup, dev({ fx: fixture() }), { args: [] });
    expect(textOf(await useTool(workbench.client, "dev/fx/echo", { text: "bare" }))).toBe("bare");
  });

  it("shows and calls only the toolboxes named by --toolbox", async () => {
    const place = prepareWorkbench(cleanup, twoToolboxes);
    const args = ["serve", "--config", place.configFile, "--toolbox", "ops"];
    const { client, hello } = await startWorkbench(cleanup, twoToolboxes, { args });
    const list = await client.request("tools/list");
    expect(list.line + hello.instructions).toContain("Deployments and incidents");
    expect(list.line + hello.instructions).not.toContain("Files and notes of the project");
    expect(failureOf(await useTool(client, "dev/one/echo", { text: "x" }))).toMatch(
      /^Toolbox 'dev' not found/,
    );
    expect((await openToolbox(client, "ops")).servers_connected).toBe(1);
  });

  it("refuses an unknown --toolbox and an unknown option", () => {
    for (const extra of [["--toolbox", "nope"], ["--no-such-option"]]) {
      const place = prepareWorkbench(cleanup, twoToolboxes);
      const run = runProgram(place.command, [...place.args, ...extra], {
        env: place.env,
        input: "",
      });
      expect(run.status).toBe(2);
      expect(run.stdout).toBe("");
      expect(run.stderr).toMatch(/nope|no-such-option/);
      expect(run.stderr).not.toMatch(/^\s+at /m);
    }
  });

  it.each<[string, string, Record<string, string>]>([
    ["$WORKBENCH_CONFIG", "elsewhere.json", { WORKBENCH_CONFIG: "elsewhere.json" }],
    ["$XDG_CONFIG_HOME", "xdg/mcp-workbench/workbench-config.json", { XDG_CONFIG_HOME: "xdg" }],
  ])("finds its configuration at %s", (_how, file, env) => {
    const place = prepareWorkbench(cleanup, twoToolboxes);
    const cwd = join(place.dir, "home");
    mkdirSync(join(cwd, "xdg/mcp-workbench"), { recursive: true });
    copyFileSync(place.configFile, join(cwd, file));
    const absolute = Object.entries(env).map(([key, value]) => [key, join(cwd, value)]);
    const { stdout } = runProgram(place.command, [place.args[0] ?? "", "serve"], {
      cwd,
      env: { ...place.env, ...Object.fromEntries(absolute) },
      input: `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}\n`,
    });
    expect(stdout).toContain("Toolboxes: dev, ops");
  });

  it("answers requests that came before the end of stdin", async () => {
    const { client } = await startWorkbench(cleanup, dev({ fx: fixture() }), { initialize: false });
    const answers = [
      client.request("initialize", {
        protocolVersion: LATEST_LEGACY,
        capabilities: {},
        clientInfo: { name: "pipe", version: "1" },
      }),
      client.request("tools/list"),
    ];
    client.child.stdin.end();
    for (const answer of await Promise.all(answers)) expect(answer.error).toBeUndefined();
    expect(await client.ended()).toEqual({ code: 0, signal: null });
  });

  const HELLO = {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: {
      protocolVersion: LATEST_LEGACY,
      capabilities: {},
      clientInfo: { name: "file", version: "1" },
    },
  };
  const LIST = { jsonrpc: "2.0", id: 2, method: "tools/list" };
  const lines = (...messages: object[]): string =>
    messages.map((message) => JSON.stringify(message)).join("\n");

  it.each([[[]], [["--shared"]]])("ends without a client: serve %j", (extra) => {
    const { command, args, env } = prepareWorkbench(cleanup, twoToolboxes);
    const run = runProgram(command, [...args, ...extra], {
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    expect([run.error, run.status, run.stdout]).toEqual([undefined, 0, ""]);
  });

  // Only Linux shows which system call a process waits in.
  it.skipIf(process.platform !== "linux")(
    "never opens the debugger of Node, also not while it waits for a client",
    async () => {
      const { client } = await startWorkbench(cleanup, twoToolboxes, { initialize: false });
      const READ_STANDARD_INPUT = /^0 0x0 /;
      const isWaiting = (): boolean =>
        READ_STANDARD_INPUT.test(readFileSync(`/proc/${client.pid}/syscall`, "utf8"));
      await waitFor(isWaiting, GENEROUS_MS, "the program to wait");
      client.kill("SIGUSR1");
      await client.request(HELLO.method, HELLO.params);
      await client.request("tools/list");
      client.child.stdin.end();
      await client.ended();
      expect(client.stderr).not.toContain("Debugger");
    },
  );

  it.each([
    ["one message without a line break", lines(HELLO), [1]],
    ["two messages, the last without a line break", lines(HELLO, LIST), [1, 2]],
    ["an empty line first", `\n${lines(HELLO, LIST)}\n`, [1, 2]],
    ["a message above 64 KB first", `"${"x".repeat(200_000)}"\n${lines(HELLO)}\n`, [null, 1]],
    ["another message first", `${lines(LIST, HELLO)}\n`, [2, 1]],
    ["nothing", "", []],
  ])("answers everything in a file, and in a pipe: %s", (_what, input, ids) => {
    const { command, args, env, dir } = prepareWorkbench(cleanup, twoToolboxes);
    const file = join(dir, "input.jsonl");
    writeFileSync(file, input);
    const fd = openSync(file, "r");
    cleanup.defer(() => closeSync(fd));
    for (const run of [
      runProgram(command, args, { env, stdio: [fd, "pipe", "pipe"] }),
      runProgram(command, args, { env, input }),
    ]) {
      const answers = run.stdout.split("\n").filter((line) => line !== "");
      const answered = answers.map((line) => (JSON.parse(line) as { id: unknown }).id);
      expect(new Set(answered)).toEqual(new Set(ids));
      expect(answered).toHaveLength(ids.length);
      expect(run.status).toBe(0);
    }
  });
});
