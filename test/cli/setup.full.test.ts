/** The commands that write files, in a home folder with the files of every client. In the full suite because each case runs the program. */
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";

import { type Home, SAMPLES, TOKEN } from "../clients/home.ts";
import { type CliPlace, cliPlace, runCli, runJson } from "../support/cli.ts";
import { perTest } from "../support/disposables.ts";
import { allClients, clientFiles } from "./all-clients.ts";

const disposables = perTest();
let home: Home;
let place: CliPlace;
let config = "";

beforeEach(async () => {
  ({ home, place, config } = await allClients(disposables));
});

const run = (...args: string[]) => runCli(place, args);
const json = (...args: string[]) => runJson(place, args);
const read = (file: string): string => readFileSync(file, "utf8");

describe("mcp-workbench init", () => {
  it("finds the servers of every client and writes them to toolboxes, without secrets in plain text", async () => {
    const before = await clientFiles(home);
    const report = await json("init", "--yes", "--no-connect");
    expect(report).toMatchObject({
      exit: 0,
      config: { file: config, written: true },
      tokens: null,
    });
    const found = report["found"] as { client: string; file: string }[];
    const withServers = Object.keys(SAMPLES).filter(
      (id) => !["cline", "roo-code", "kiro"].includes(id),
    );
    expect([...new Set(found.map(({ client }) => client))]).toEqual(
      expect.arrayContaining(withServers),
    );
    expect(report["secrets"]).toEqual(
      expect.arrayContaining([
        {
          variable: "GITHUB_PERSONAL_ACCESS_TOKEN",
          uses: ["github: env GITHUB_PERSONAL_ACCESS_TOKEN"],
          place: "env-file",
        },
        { variable: "DB_PASSWORD", uses: ["db: argument password"], place: "env-file" },
      ]),
    );
    const written = read(config);
    for (const secret of [TOKEN, "s3cr3t", "BSA0000"]) expect(written).not.toContain(secret);
    const secrets = join(dirname(config), "secrets.env");
    expect(read(secrets)).toContain(`GITHUB_PERSONAL_ACCESS_TOKEN=${TOKEN}`);
    expect(statSync(secrets).mode & 0o777).toBe(0o600);
    expect(statSync(config).mode & 0o777).toBe(0o600);
    expect(await clientFiles(home)).toEqual(before);
    const listed = await json("list");
    expect(listed["toolboxes"]).toMatchObject([
      { name: "code" },
      { name: "data" },
      { name: "ops" },
      { name: "knowledge" },
      { name: "web" },
      { name: "general" },
    ]);
  });

  it("keeps servers of different accounts apart and merges duplicates", async () => {
    await json(
      "init",
      "--yes",
      "--no-connect",
      "--from",
      "claude-code",
      "--from",
      "cursor",
      "--from",
      "codex",
    );
    const { toolboxes } = JSON.parse(read(config)) as {
      toolboxes: Record<string, { mcpServers: Record<string, unknown> }>;
    };
    expect(Object.keys(toolboxes["code"]?.mcpServers ?? {})).toEqual([
      "github",
      "github-codex",
      "linear",
    ]);
  });

  it("writes nothing in a dry run, and says what it would", async () => {
    const before = await home.snapshot();
    const { code, stdout, stderr } = await run(
      "init",
      "--dry-run",
      "--no-connect",
      "--keep-secrets",
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toHaveProperty("toolboxes");
    expect(stdout + stderr).not.toContain(TOKEN);
    expect(await home.snapshot()).toEqual(before);
  });

  it("copies secrets with --keep-secrets", async () => {
    await run("init", "--yes", "--no-connect", "--keep-secrets");
    expect(read(config)).toContain(TOKEN);
  });

  it("imports from one file only, into one toolbox", async () => {
    const report = await json(
      "init",
      "--no-connect",
      "--from",
      ".mcp.json",
      "--toolbox",
      "mine",
      "--here",
    );
    expect(report["toolboxes"]).toMatchObject([{ name: "mine", servers: [{ name: "memory" }] }]);
    expect(report).toMatchObject({ config: { file: join(place.cwd, "workbench-config.json") } });
  });

  it("says how to go on if it cannot install into a client", async () => {
    chmodSync(home.fileOf("windsurf"), 0o400);
    const args = ["init", "--no-connect", "--install", "windsurf", "--config", "other.json"];
    const { code, stderr } = await runCli(place, args);
    expect(code).toBe(1);
    expect(stderr).toContain("mcp-workbench --config other.json install windsurf --replace");
  });

  it("changes a configuration only with --force, keeps its servers and a backup", async () => {
    await run("init", "--no-connect", "--from", "goose");
    const first = read(config).replace("{\n", "{\n  // mine\n");
    writeFileSync(config, first);
    expect(await json("init", "--no-connect")).toMatchObject({
      exit: 3,
      error: {
        code: "CONFIG_EXISTS",
        hint: expect.stringContaining("mcp-workbench import") as string,
      },
    });
    const { stderr } = await run("init", "--no-connect", "--force", "--from", "cursor");
    expect(stderr).toMatch(/The configuration keeps its \d+ servers?\./);
    const [, backup = ""] = /Backup of the previous file: (.+)/.exec(stderr) ?? [];
    expect(read(backup)).toBe(first);
    expect(read(config)).toContain("// mine");
    expect(read(config)).toContain("mcp.sentry.dev");
    for (const line of first.match(/"command": .*/g) ?? []) expect(read(config)).toContain(line);
    await run("undo");
    expect(read(config)).toBe(first);
  });

  it("writes a commented starter configuration when there is nothing to import", async () => {
    const empty = cliPlace(disposables);
    const { code, stdout, stderr } = await runCli(empty, ["init"]);
    expect(code).toBe(0);
    expect(stderr).toContain("a starter configuration will be written");
    const file = stdout.trim();
    expect(read(file)).toContain("// A toolbox is a named group of servers.");
    // It may use one new folder, not the home directory.
    const folder = join(dirname(file), "workbench-files");
    expect(read(file)).toContain(`, ${JSON.stringify(folder)}]`);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const list = await runJson(empty, ["list"]);
    expect(list).toMatchObject({ exit: 0, toolboxes: [{ name: "files" }, { name: "notes" }] });
    const doctor = await runJson(empty, ["doctor", "--no-connect"]);
    expect(doctor).toMatchObject({ exit: 0, ok: true });
  });

  it("connects to each server and counts its tools and their tokens", async () => {
    const small = cliPlace(disposables);
    mkdirSync(join(small.home, ".cursor"));
    const server = new URL("../fixtures/tools-server.mjs", import.meta.url).pathname;
    const mcpServers = {
      tools: { command: process.execPath, args: [server] },
      gone: { command: "no-such-program-anywhere" },
      mute: { command: process.execPath, args: [server, "--name", "mute", "--die", "before-init"] },
      wrong: { url: "https://user:password@example.com/mcp" },
    };
    writeFileSync(join(small.home, ".cursor/mcp.json"), JSON.stringify({ mcpServers }));
    const report = await runJson(small, ["init", "--yes", "--timeout", "60"]);
    expect(report).toMatchObject({
      exit: 0,
      toolboxes: [
        {
          servers: [
            { name: "gone", error: expect.stringContaining("ENOENT") as string },
            {
              name: "mute",
              error: "it exited with code 3",
              lastOutput: expect.arrayContaining([
                "mute: cannot start, reason 30 of 30",
              ]) as string[],
            },
            { name: "tools", tools: 36, error: null },
          ],
        },
      ],
      skipped: [{ name: "wrong", reason: expect.stringContaining("credentials") as string }],
    });
    const { before, after } = report["tokens"] as { before: number; after: number };
    expect(after).toBeLessThan(before);
  });

  it("removes an entry from a client only if its server connected", async () => {
    const small = cliPlace(disposables);
    mkdirSync(join(small.home, ".cursor"));
    const file = join(small.home, ".cursor/mcp.json");
    const server = new URL("../fixtures/tools-server.mjs", import.meta.url).pathname;
    const mcpServers = {
      tools: { command: process.execPath, args: [server], env: { GITHUB_TOKEN: TOKEN } },
      gone: { command: "no-such-program-anywhere" },
    };
    writeFileSync(file, JSON.stringify({ mcpServers }));
    const args = ["init", "--yes", "--install", "cursor"];
    const untouched = await runJson(small, [...args, "--no-replace"]);
    expect(untouched).toMatchObject({ exit: 0, installed: [{ changed: true, removed: [] }] });
    await runJson(small, ["uninstall", "cursor"]);
    const report = await runJson(small, [...args, "--force", "--strict"]);
    expect(report).toMatchObject({
      exit: 4,
      working: [{ toolbox: "general", server: "tools", tools: 36 }],
      needsUser: [
        {
          toolbox: "general",
          server: "gone",
          reason: expect.stringContaining("ENOENT") as string,
          command: "mcp-workbench list general/gone",
        },
      ],
      tokens: { counted: 1, servers: 2 },
      installed: [{ client: "cursor", removed: ["tools"], kept: [{ name: "gone" }] }],
    });
    expect(read(file)).toContain("no-such-program-anywhere");
    expect(read(file)).not.toContain(TOKEN);
  });

  it("run again with --force keeps the servers that no client has any longer", async () => {
    const small = cliPlace(disposables);
    mkdirSync(join(small.home, ".cursor"));
    const file = join(small.home, ".cursor/mcp.json");
    const server = new URL("../fixtures/tools-server.mjs", import.meta.url).pathname;
    const entry = (name: string, token = TOKEN): object => ({
      command: process.execPath,
      args: [server, "--name", name],
      env: { GITHUB_TOKEN: token },
    });
    const write = (mcpServers: object): void => writeFileSync(file, JSON.stringify({ mcpServers }));
    write({ one: entry("one"), gone: { command: "no-such-program-anywhere" } });
    const args = ["init", "--yes", "--install", "cursor"];
    await runJson(small, args);
    const first = read(file);
    const again = await runJson(small, [...args, "--force"]);
    expect(again).toMatchObject({
      exit: 0,
      toolboxes: [],
      working: [{ server: "one", tools: 36 }],
      needsUser: [{ server: "gone" }],
      tokens: { counted: 1, servers: 2 },
    });
    expect(read(file)).toBe(first);
    // A new account of a server that the configuration has, under a name that is taken.
    const { mcpServers } = JSON.parse(first) as { mcpServers: object };
    write({ ...mcpServers, one: entry("one", `${TOKEN}x`) });
    expect(await runJson(small, [...args, "--force"])).toMatchObject({
      exit: 0,
      working: [{ server: "one" }, { server: "one-cursor" }],
      needsUser: [{ server: "gone" }],
      installed: [{ removed: ["one"], kept: [{ name: "gone" }] }],
    });
    expect(await runJson(small, ["call", "general/one-cursor/echo", "text=hi"])).toMatchObject({
      exit: 0,
    });
    expect(await runJson(small, ["call", "general/one/echo", "text=hi"])).toMatchObject({
      exit: 0,
    });
  });

  it("removes no entry with --no-connect, and refuses what contradicts itself", async () => {
    const before = read(home.fileOf("cursor"));
    const report = await json("init", "--yes", "--no-connect", "--install", "cursor");
    expect(report).toMatchObject({ exit: 0, working: [], installed: [{ removed: [] }] });
    await run("uninstall", "cursor");
    expect(read(home.fileOf("cursor"))).toBe(before);
    expect(await json("init", "--no-connect", "--replace")).toMatchObject({
      exit: 2,
      error: { message: "--replace and --no-connect cannot be combined" },
    });
    expect(await json("init", "--no-connect", "--force", "--install", "cursr")).toMatchObject({
      exit: 2,
      error: { code: "CLIENT_UNKNOWN" },
    });
  });

  it.each([
    [["--from", "nonsense"], 2, "Unknown client 'nonsense'"],
    [["--from", "./nowhere.json"], 2, "which does not exist"],
    [["--here", "--config", "x"], 2, "cannot be combined"],
    [["--timeout", "soon"], 2, "--timeout takes a number of seconds"],
    [["--from", "empty.json"], 2, "which has no MCP servers"],
    [["--from", "broken.json"], 2, "broken.json:1:2: not valid JSON"],
    [["--secrets", "elsewhere"], 2, "--secrets must be env-file"],
    [["--toolbox", "two words"], 2, "'two words' cannot be used"],
  ])("explains the mistake in %j and ends with exit code %i", async (args, exit, message) => {
    writeFileSync(join(place.cwd, "empty.json"), "{}");
    writeFileSync(join(place.cwd, "broken.json"), "{");
    const { code, stdout, stderr } = await run("init", ...args);
    expect(code).toBe(exit);
    expect(stdout + stderr).toMatch(/^mcp-workbench: /);
    expect(stderr).toContain(message);
  });

  it("reports a broken file and does not change it", async () => {
    writeFileSync(home.fileOf("cursor"), '{ "mcpServers": { ');
    const report = await json("init", "--yes", "--no-connect");
    expect(report["found"]).toContainEqual(
      expect.objectContaining({
        client: "cursor",
        servers: [],
        problem: expect.stringMatching(/mcp\.json:1:\d+: not valid JSON/) as string,
      }),
    );
    expect(read(home.fileOf("cursor"))).toBe('{ "mcpServers": { ');
  });
});
