/**
 * `install --toolbox`, `--server` and `--url`: what is written works, `doctor` checks it, and it
 * can be undone. In the full suite because it starts many processes; `test/clients/install.test.ts`
 * writes the same entries.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";

import { type CliPlace, cliPlace, ownConfig, runCli, runJson } from "../support/cli.ts";
import { perTest } from "../support/disposables.ts";
import { startHttpWorkbench } from "../support/http-workbench.ts";
import { dev, fixture, toolbox } from "../support/servers.ts";

const INITIALIZE = `${JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  },
})}\n`;
const BEFORE = '{\n  "mcpServers": { "mine": { "command": "x" } } // by hand\n}\n';

const disposables = perTest();
let place: CliPlace;
let config = "";
let cursor = "";

beforeEach(() => {
  place = cliPlace(disposables);
  config = ownConfig(place);
  cursor = join(place.home, ".cursor/mcp.json");
  write(cursor, BEFORE);
});

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text, { mode: 0o600 });
}

function configure(...names: string[]): void {
  const toolboxes = Object.fromEntries(
    names.map((name) => [name, toolbox({ [`${name}-tools`]: fixture() })]),
  );
  write(config, JSON.stringify({ toolboxes }));
}

interface Entry {
  readonly args: readonly string[];
}

const entries = (): Readonly<Record<string, Entry>> => {
  const text = readFileSync(cursor, "utf8").replace("// by hand", "");
  return (JSON.parse(text) as { mcpServers: Record<string, Entry> }).mcpServers;
};

const clientChecks = async (
  env: Readonly<Record<string, string>> = {},
  ...options: string[]
): Promise<readonly { status: string; message: string; fix?: string }[]> => {
  const { checks } = await runJson(place, ["doctor", ...options], { env });
  const all = checks as { area: string; status: string; message: string }[];
  return all.filter(({ area }) => area === "clients");
};

describe("install --toolbox", () => {
  it("shows a client only these toolboxes, in entries that can be side by side", async () => {
    configure("dev", "docs", "prod");
    const view = ["--toolbox", "dev", "--toolbox", "docs"];
    await runCli(place, ["install", "cursor", ...view]);
    const [, ...args] = entries()["workbench"]?.args ?? [];
    const { stdout } = await runCli(place, args, { input: INITIALIZE });
    const { instructions } = (JSON.parse(stdout) as { result: { instructions: string } }).result;
    expect(instructions).toContain("docs");
    expect(instructions).not.toContain("prod");

    const again = await runJson(place, ["install", "cursor", ...view]);
    expect(again["clients"]).toMatchObject([{ name: "workbench", changed: false }]);
    const beside = ["--server", "prod/prod-tools", "--name", "workbench-prod"];
    await runCli(place, ["install", "cursor", ...beside]);
    expect(Object.keys(entries())).toEqual(["mine", "workbench", "workbench-prod"]);
    const messages = (await clientChecks({}, "--no-connect")).map(({ message }) => message);
    expect(messages).toEqual([
      "starts the workbench as 'workbench', toolboxes dev, docs",
      "starts the workbench as 'workbench-prod', server prod/prod-tools",
    ]);

    configure("docs", "prod");
    expect(await clientChecks({}, "--no-connect")).toMatchObject([
      {
        status: "error",
        message: expect.stringContaining("Toolbox 'dev' not found") as string,
        fix: expect.stringContaining("docs, prod") as string,
      },
      { status: "ok" },
    ]);
    await runCli(place, ["uninstall", "cursor", "--name", "workbench-prod"]);
    expect(Object.keys(entries())).toEqual(["mine", "workbench"]);
    await runCli(place, ["uninstall", "cursor"]);
    expect(readFileSync(cursor, "utf8")).toBe(BEFORE);
  });

  it("refuses a toolbox that does not exist, and changes nothing", async () => {
    configure("dev");
    expect(await runJson(place, ["install", "cursor", "--toolbox", "dve"])).toMatchObject({
      exit: 2,
      error: { message: "Toolbox 'dve' not found", hint: expect.stringContaining("dev") as string },
    });
    expect(readFileSync(cursor, "utf8")).toBe(BEFORE);
  });

  it("replaces only entries that the view provides", async () => {
    const { command, args } = fixture();
    const mcpServers = { mine: { command, args } };
    write(cursor, JSON.stringify({ mcpServers }));
    write(
      config,
      JSON.stringify({
        toolboxes: { dev: toolbox({ tools: fixture() }), docs: toolbox({ wiki: fixture("--x") }) },
      }),
    );
    const removedBy = async (...options: string[]): Promise<unknown> =>
      (await runJson(place, ["install", "cursor", "--replace", "--dry-run", ...options]))[
        "clients"
      ];
    expect(await removedBy("--toolbox", "docs")).toMatchObject([{ removed: [] }]);
    expect(await removedBy("--toolbox", "dev")).toMatchObject([{ removed: ["mine"] }]);
  });
});

describe("install --url", () => {
  it("connects clients to a running workbench without its token in a file", async () => {
    const { url, token = "" } = await startHttpWorkbench(disposables, dev({ tools: fixture() }));
    const codex = join(place.home, ".codex/config.toml");
    const before = 'model = "x" # mine\n';
    write(codex, before);
    mkdirSync(join(place.home, ".config/Claude"), { recursive: true });
    const options = ["--url", `${url}/mcp`, "--token-env", "TEAM_TOKEN", "--toolbox", "dev"];
    const clients = ["cursor", "codex", "claude-desktop"];

    const dry = await runCli(place, ["install", ...clients, ...options, "--dry-run"]);
    expect(dry.stdout).toContain("Bearer ${env:TEAM_TOKEN}");
    expect(readFileSync(cursor, "utf8")).toBe(BEFORE);

    const env = { TEAM_TOKEN: token };
    const installed = await runJson(place, ["install", ...clients, ...options], { env });
    expect(installed).toMatchObject({
      exit: 2,
      clients: [
        { client: "cursor", changed: true },
        { client: "codex", changed: true },
        {
          client: "claude-desktop",
          changed: false,
          error: { hint: expect.stringContaining("--server shared/workbench") as string },
        },
      ],
    });
    for (const file of [cursor, codex]) {
      const text = readFileSync(file, "utf8");
      expect(text).toContain(`${url}/mcp/dev`);
      expect(text).not.toContain(token);
    }

    expect(await clientChecks(env)).toMatchObject([{ status: "ok" }, { status: "ok" }]);
    const wrong = await clientChecks({ TEAM_TOKEN: "wrong-token-0123456789" });
    expect(wrong).toMatchObject([
      {
        status: "error",
        message: expect.stringContaining("rejects the token in TEAM_TOKEN") as string,
      },
      { status: "error" },
    ]);
    expect(JSON.stringify(wrong)).not.toContain("wrong-token");
    expect(await clientChecks()).toMatchObject([
      { status: "error", message: expect.stringContaining("TEAM_TOKEN is not set") as string },
      { status: "error" },
    ]);
    // Without a local configuration, nothing is missing.
    const { checks } = await runJson(place, ["doctor", "--no-connect"], { env });
    expect(checks).not.toContainEqual(expect.objectContaining({ area: "config", status: "error" }));

    expect(await runJson(place, ["undo"])).toMatchObject({ undone: "install codex" });
    expect(readFileSync(codex, "utf8")).toBe(before);
    await runCli(place, ["uninstall", "cursor"]);
    expect(readFileSync(cursor, "utf8")).toBe(BEFORE);
  });
});

describe("doctor", () => {
  it("sends no variable to a workbench whose address a project chose", async () => {
    const { url, token = "" } = await startHttpWorkbench(disposables, dev({ tools: fixture() }));
    const workbench = { url: `${url}/mcp`, headers: { Authorization: "Bearer ${SECRET}" } };
    const cwd = join(place.home, "project");
    write(join(cwd, ".mcp.json"), JSON.stringify({ mcpServers: { workbench } }));
    const { checks } = await runJson(place, ["doctor"], { cwd, env: { SECRET: `not-${token}` } });
    expect(checks).toContainEqual(
      expect.objectContaining({
        area: "clients",
        status: "ok",
        message: expect.stringContaining("not checked, because a project chose") as string,
      }),
    );
  });

  it("warns of a token in plain text", async () => {
    const headers = { Authorization: "Bearer plain-token-0123456789abcdef" };
    const workbench = { url: "http://127.0.0.1:9/mcp", headers };
    write(cursor, JSON.stringify({ mcpServers: { workbench } }));
    const checks = await clientChecks({}, "--no-connect");
    expect(checks).toMatchObject([
      { status: "warning", message: expect.stringContaining("in plain text") as string },
    ]);
    expect(JSON.stringify(checks)).not.toContain("plain-token");
  });
});
