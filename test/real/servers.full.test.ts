/**
 * Published servers behind the workbench, compared with a direct connection, and all of them at once in
 * `init` and `doctor`. In the full suite because it downloads the servers; nothing in it measures time.
 */
import { execFileSync, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { type TestContext, beforeAll, describe, expect, it } from "vitest";

import { identifier } from "../support/calls.ts";
import { cliPlace, runJson } from "../support/cli.ts";
import { type Disposables, perBlock, perTest } from "../support/disposables.ts";
import { memberText } from "../support/json-text.ts";
import { RawClient } from "../support/raw-client.ts";
import { type ServerEntry, dev } from "../support/servers.ts";
import {
  type InitializeResult,
  type Place,
  initialize,
  prepareWorkbench,
  startIn,
  startWorkbench,
  temporaryFolder,
} from "../support/workbench.ts";
import { startBackend } from "./backend.ts";
import { INSTALL_ALL_MS, installAll, programOf } from "./install.ts";
import { type PublishedServer, SERVERS } from "./packages.ts";

const block = perBlock();
const disposables = perTest();
let backend = "";
let workspace = "";

beforeAll(async () => {
  await installAll(SERVERS);
  backend = await startBackend(block);
  workspace = temporaryFolder(block);
  execFileSync("git", ["init", "--quiet", workspace]);
  writeFileSync(join(workspace, "index.js"), "var answer = 42;\n");
  const config = 'export default [{ rules: { "no-var": "error" } }];\n';
  writeFileSync(join(workspace, "eslint.config.mjs"), config);
}, INSTALL_ALL_MS);

/** Replaces the placeholders in a part of the table. */
function filled<T>(value: T): T {
  const text = JSON.stringify(value);
  return JSON.parse(
    text.replaceAll("{backend}", backend).replaceAll("{workspace}", workspace),
  ) as T;
}

function entryOf(server: PublishedServer, context: TestContext): ServerEntry {
  const { args = [], env = {} } = filled({ args: server.args, env: server.env });
  return { command: programOf(server, context), args, env };
}

/** Starts a server as a client would that is connected to it directly. */
async function connectDirectly(
  { command, args = [], env }: ServerEntry,
  { env: { PATH, HOME } }: Place,
): Promise<Connected> {
  const child = spawn(command, args, {
    cwd: workspace,
    env: { PATH, HOME, ...env },
    stdio: "pipe",
  });
  const client = new RawClient(child);
  disposables.defer(async () => {
    client.kill("SIGKILL");
    await client.exited;
  });
  return { client, hello: await initialize(client) };
}

interface Connected {
  readonly client: RawClient;
  readonly hello: InitializeResult;
}

/** Everything that a client learns from a server, lists and the answer to a call as exact texts. */
async function learnedFrom(
  { client, hello }: Connected,
  call: PublishedServer["call"],
): Promise<Readonly<Record<string, unknown>>> {
  const answers: Record<string, unknown> = { initialize: hello };
  const methods = LISTS.filter(([capability]) => Object.hasOwn(hello.capabilities, capability));
  for (const [, method] of methods)
    answers[method] = outcomeText((await client.request(method, {})).line);
  answers["tools/call"] = outcomeText((await client.request("tools/call", call)).line);
  return answers;
}

const LISTS = [
  ["tools", "tools/list"],
  ["prompts", "prompts/list"],
  ["resources", "resources/list"],
  ["resources", "resources/templates/list"],
] as const;

const outcomeText = (line: string): string | undefined =>
  memberText(line, "result") ?? memberText(line, "error");

describe.each(SERVERS.map((server) => [server.package, server] as const))(
  "the published server %s",
  (_package, server) => {
    it("tells a client the same through its transparent view as directly, byte for byte", async (context) => {
      const entry = entryOf(server, context);
      const call = filled(server.call);
      const place = prepareWorkbench(disposables, dev({ [server.name]: entry }), {
        args: ["serve", "--server", `dev/${server.name}`],
      });
      const direct = await learnedFrom(await connectDirectly(entry, place), call);
      const { tools } = JSON.parse(String(direct["tools/list"])) as { tools: unknown[] };
      expect(tools).toHaveLength(server.tools);
      expect(direct["tools/call"]).toContain(server.answer);

      const workbench = await startIn(disposables, place, { cwd: workspace });
      expect(await learnedFrom(workbench, call)).toEqual(direct);
    });

    it("works through the tools of the workbench", async (context) => {
      const config = dev({ [server.name]: entryOf(server, context) });
      const { client } = await startWorkbench(disposables, config, { cwd: workspace });
      const tool = identifier(`dev/${server.name}/${server.call.name}`);
      const { line } = await client.request("tools/call", {
        name: "use_tool",
        arguments: { tool, arguments: filled(server.call.arguments) },
      });
      expect(outcomeText(line)).toContain(server.answer);
    });
  },
);

describe("all published servers at once, with every core busy", () => {
  it("come up in `init` and in `doctor`", async (context) => {
    const place = cliPlace(disposables);
    const mcpServers = Object.fromEntries(
      SERVERS.map((server) => [server.name, entryOf(server, context)]),
    );
    writeFileSync(join(place.home, ".claude.json"), JSON.stringify({ mcpServers }));
    keepCoresBusy(disposables);
    const init = await runJson(place, ["init", "--yes", "--strict", "--install", "all"]);
    const working = init["working"] as readonly { server: string; tools: number }[];
    expect(Object.fromEntries(working.map(({ server, tools }) => [server, tools]))).toEqual(
      Object.fromEntries(SERVERS.map(({ name, tools }) => [name, tools])),
    );
    expect(init).toMatchObject({ exit: 0, needsUser: [] });
    const doctor = await runJson(place, ["doctor"]);
    expect(doctor).toMatchObject({ exit: 0, ok: true });
    const checked = (doctor["checks"] as readonly { area: string; status: string }[]).filter(
      ({ area, status }) => area === "servers" && status === "ok",
    );
    expect(checked).toHaveLength(SERVERS.length);
  });
});

/** Keeps the cores busy until the end of the test, as other programs of the user may do. */
function keepCoresBusy(disposables: Disposables): void {
  // Ends with the test program, however that ends.
  const busy =
    "const parent = process.ppid; while (process.ppid === parent) for (let i = 0; i < 1e8; i++);";
  for (let core = 0; core < availableParallelism(); core++) {
    const child = spawn(process.execPath, ["-e", busy], { stdio: "ignore" });
    disposables.defer(() => child.kill("SIGKILL"));
  }
}
