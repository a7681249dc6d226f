/**
 * Published clients with the workbench: installed by `install`, started and checked by the client's own
 * command line, and removed by `uninstall`. In the full suite because it downloads the clients. None of them
 * needs an account for this, and none of them reaches anything but this machine.
 */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { type TestContext, beforeAll, describe, expect, it } from "vitest";

import { type CliPlace, cliPlace, ownConfig, runCli, runJson } from "../support/cli.ts";
import { perBlock, perTest } from "../support/disposables.ts";
import { startHttpWorkbench } from "../support/http-workbench.ts";
import { killIfAlive, processesWith, waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { dev, fixture } from "../support/servers.ts";
import { INSTALL_ALL_MS, type PublishedPackage, installAll, programOf } from "./install.ts";
import { CLAUDE_CODE, CODEX, GEMINI_CLI, OPENCODE } from "./packages.ts";

interface RealClient {
  readonly id: string;
  readonly published: PublishedPackage;
  /** In the home folder. */
  readonly file: string;
  /** What the user has in it before; the client completes it with `add`. */
  readonly content?: string;
  /** How the client itself adds a server. */
  readonly add?: readonly string[];
  /** The line of `mcp list` about the workbench if all is well. */
  readonly isListed: RegExp;
  /** False for a client that lists its servers without connecting to them. */
  readonly connects: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

const { command: NODE, args: [FIXTURE = ""] = [] } = fixture();
const OWN_SERVER = "notes";

const CLIENTS: readonly RealClient[] = [
  {
    id: "claude-code",
    published: CLAUDE_CODE,
    file: ".claude.json",
    add: ["mcp", "add", "--scope", "user", OWN_SERVER, "--", NODE, FIXTURE],
    isListed: /^workbench: .* - ✔ Connected$/m,
    connects: true,
    env: { DISABLE_AUTOUPDATER: "1", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" },
  },
  {
    id: "codex",
    published: CODEX,
    file: ".codex/config.toml",
    content: "check_for_update_on_startup = false # mine\n\n[analytics]\nenabled = false\n",
    add: ["mcp", "add", OWN_SERVER, "--", NODE, FIXTURE],
    isListed: /^workbench .* enabled +(?:Unsupported|Bearer token)/m,
    connects: false,
  },
  {
    id: "gemini-cli",
    published: GEMINI_CLI,
    file: ".gemini/settings.json",
    content: '{"privacy":{"usageStatisticsEnabled":false},"general":{"enableAutoUpdate":false}}',
    add: ["mcp", "add", "--scope", "user", OWN_SERVER, NODE, "--", FIXTURE],
    isListed: /^✓ workbench: .* - Connected$/m,
    connects: true,
    // It connects in folders that the user trusts. Otherwise it starts a second time with more memory.
    env: { GEMINI_CLI_TRUST_WORKSPACE: "true", GEMINI_CLI_NO_RELAUNCH: "true" },
  },
  {
    id: "opencode",
    published: OPENCODE,
    file: ".config/opencode/opencode.json",
    // Its `mcp add` asks questions in a terminal. Without `$schema` it would add one.
    content: `{
  "$schema": "https://opencode.ai/config.json",
  "share": "disabled", // mine
  "mcp": { "${OWN_SERVER}": { "type": "local", "command": ["${NODE}", "${FIXTURE}"] } },
}
`,
    isListed: /^.*✓ workbench connected$/m,
    connects: true,
    env: { OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" },
  },
];

/** Nothing listens there, so a request to another machine fails at once. */
const NO_PROXY_SERVER = "http://127.0.0.1:9";
const LOOPBACK_ONLY = {
  HTTP_PROXY: NO_PROXY_SERVER,
  HTTPS_PROXY: NO_PROXY_SERVER,
  NO_PROXY: "127.0.0.1,localhost",
  npm_config_offline: "true",
};
/** The name of our entry. After a slash it may be part of a path. */
const NAMED = /^[^/\n]*\bworkbench\b/m;
const TOKEN_VARIABLE = "WORKBENCH_TOKEN";

const block = perBlock();
const disposables = perTest();
beforeAll(() => installAll(CLIENTS.map(({ published }) => published)), INSTALL_ALL_MS);

interface Machine {
  readonly place: CliPlace;
  /** Runs the client; returns what it printed. */
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<string>;
  /** The client's file. */
  text(): string;
}

const machines = new Map<string, Promise<Machine>>();

/**
 * A home folder in which the client has one server of its own and has run before. The tests of a client
 * share it, because each of them leaves the client's file as it was.
 */
async function machineOf(client: RealClient, context: TestContext): Promise<Machine> {
  const program = programOf(client.published, context);
  const prepared = machines.get(client.id) ?? prepareMachine(client, program);
  machines.set(client.id, prepared);
  const machine = await prepared;
  const { home } = machine.place;
  disposables.defer(async () => {
    const left = () => processesWith("HOME", home);
    await waitFor(() => left().length === 0, GENEROUS_MS, "every process to end").catch((error) => {
      for (const { pid } of left()) killIfAlive(pid);
      throw error;
    });
  });
  return machine;
}

async function prepareMachine(client: RealClient, program: string): Promise<Machine> {
  const bare = cliPlace(block);
  const path = [dirname(program), bare.env["PATH"], "/usr/bin", "/bin"].join(":");
  const place: CliPlace = {
    ...bare,
    env: { ...bare.env, ...LOOPBACK_ONLY, ...client.env, PATH: path },
  };
  const file = join(place.home, client.file);
  mkdirSync(dirname(file), { recursive: true });
  if (client.content !== undefined) writeFileSync(file, client.content);
  // The process that clients share ends with the last of them.
  const config = dev({ fx: fixture() }, { shared: { idleMs: 1 } });
  writeFileSync(ownConfig(place), JSON.stringify(config), { mode: 0o600 });
  const run: Machine["run"] = async (args, env = {}) => {
    const { code, output } = await runClient(program, args, place, env);
    expect(code, output).toBe(0);
    return output;
  };
  if (client.add !== undefined) await run(client.add);
  // The first run writes more into the file, such as an id of the machine.
  expect(await run(["mcp", "list"])).toContain(OWN_SERVER);
  return { place, run, text: () => (existsSync(file) ? readFileSync(file, "utf8") : "") };
}

async function runClient(
  program: string,
  args: readonly string[],
  { home, env }: CliPlace,
  more: Readonly<Record<string, string>>,
): Promise<{ code: number | null; output: string }> {
  return await new Promise((done) => {
    const options = {
      cwd: home,
      env: { ...env, ...more },
      timeout: GENEROUS_MS,
      killSignal: "SIGKILL" as const,
    };
    const child = execFile(program, args, options, (_error, stdout, stderr) =>
      done({ code: child.exitCode, output: stripVTControlCharacters(`${stdout}\n${stderr}`) }),
    );
    child.stdin?.end();
  });
}

describe.each(CLIENTS.map((client) => [client.published.package, client] as const))(
  "the published client %s",
  (_package, client) => {
    it("accepts the workbench, connects to it, and has its exact file back afterwards", async (context) => {
      const { place, run, text } = await machineOf(client, context);
      const before = text();
      const installed = await runCli(place, ["install", client.id, "--yes"]);
      expect(installed.code, installed.stderr).toBe(0);
      expect(text()).not.toBe(before);

      const list = await run(["mcp", "list"]);
      expect(list).toMatch(client.isListed);
      expect(list).toContain(OWN_SERVER);

      const { exit, checks } = await runJson(place, ["doctor"]);
      expect(exit, JSON.stringify(checks)).toBe(0);

      const removed = await runCli(place, ["uninstall", client.id, "--yes"]);
      expect(removed.code, removed.stderr).toBe(0);
      expect(text()).toBe(before);
      expect(await run(["mcp", "list"])).not.toMatch(NAMED);
    });

    it("connects to a shared workbench with the token of a variable", async (context) => {
      const { place, run, text } = await machineOf(client, context);
      const before = text();
      const workbench = await startHttpWorkbench(disposables, dev({ fx: fixture() }));
      const token = { [TOKEN_VARIABLE]: workbench.token ?? "" };
      const options = ["--url", `${workbench.url}/mcp`, "--token-env", TOKEN_VARIABLE, "--yes"];
      const installed = await runCli(place, ["install", client.id, ...options], { env: token });
      expect(installed.code, installed.stderr).toBe(0);
      expect(text()).not.toContain(workbench.token);

      expect(await run(["mcp", "list"], token)).toMatch(client.isListed);
      const rejected = await run(["mcp", "list"], { [TOKEN_VARIABLE]: "wrong" });
      expect(client.isListed.test(rejected), rejected).toBe(!client.connects);

      const removed = await runCli(place, ["uninstall", client.id, "--yes"]);
      expect(removed.code, removed.stderr).toBe(0);
      expect(text()).toBe(before);
    });
  },
);
