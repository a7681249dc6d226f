/** The commands that write files, in a home folder with the files of every client. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";

import { CLIENTS } from "../../src/clients/table.ts";
import { type Home, SAMPLES, TOKEN, makeHome } from "../clients/home.ts";
import { type CliPlace, cliPlace, runCli, runJson } from "../support/cli.ts";
import { perTest } from "../support/disposables.ts";
import { MISSING_COMMAND, fixture } from "../support/servers.ts";
import { PROGRAM } from "../support/workbench.ts";

const disposables = perTest();
let home: Home;
let place: CliPlace;
let config = "";

beforeEach(async () => {
  home = await makeHome(disposables);
  place = { ...cliPlace(disposables, { home: home.host.home }), cwd: home.project };
  config = join(home.host.home, ".config/mcp-workbench/workbench-config.json");
});

const run = (...args: string[]) => runCli(place, args);
const json = (...args: string[]) => runJson(place, args);
const read = (file: string): string => readFileSync(file, "utf8");

/** Everything in the home folder except the configuration of the workbench itself. */
async function snapshot(): Promise<ReadonlyMap<string, string>> {
  const found = new Map(await home.snapshot());
  for (const path of found.keys()) if (path.includes("mcp-workbench")) found.delete(path);
  return found;
}

describe("mcp-workbench init", () => {
  it("finds the servers of every client and writes them to toolboxes, without secrets in plain text", async () => {
    const before = await snapshot();
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
    expect(await snapshot()).toEqual(before);
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

describe("mcp-workbench import, add and remove", () => {
  const COMMENTED = `// my servers
{
  "toolboxes": {
    // everyday work
    "dev": {
      "description": "Work", // short
      "mcpServers": {
        "one": { "command": "node", "args": ["one.js"] }, // first
      },
    },
  },
}
`;
  beforeEach(() => {
    mkdirSync(dirname(config), { recursive: true, mode: 0o700 });
    writeFileSync(config, COMMENTED, { mode: 0o600 });
  });

  it("keep comments and layout, and remove restores the original", async () => {
    const added = await json(
      "add",
      "two",
      "-e",
      "A=1",
      "-e",
      "TOKEN",
      "--",
      "node",
      "./two.js",
      "../x",
    );
    expect(added).toMatchObject({ exit: 0, changed: true, toolbox: "dev", server: "two" });
    const text = read(config);
    for (const line of COMMENTED.split("\n")) expect(text).toContain(line);
    const listed = JSON.parse(text.replaceAll(/\/\/.*/g, "").replaceAll(/,(?=\s*[}\]])/g, "")) as {
      toolboxes: { dev: { mcpServers: { two: unknown } } };
    };
    expect(listed.toolboxes.dev.mcpServers.two).toEqual({
      command: "node",
      args: [join(place.cwd, "two.js"), join(place.cwd, "../x")],
      env: { A: "1", TOKEN: "${TOKEN}" },
    });
    expect(read(added["backup"] as string)).toBe(COMMENTED);
    await run("remove", "dev/two");
    expect(read(config)).toBe(COMMENTED);
  });

  it("create a toolbox, and the whole configuration if there is none", async () => {
    await run(
      "add",
      "web",
      "https://example.com/mcp",
      "--toolbox",
      "net",
      "-H",
      "X-A: ${A}",
      "--transport",
      "sse",
    );
    expect(read(config)).toContain(
      '"description": "web: browsing, fetching and searching the web"',
    );
    const fresh = cliPlace(disposables);
    const report = await runJson(fresh, ["add", "a", "--description", "Mine", "--", "node"]);
    expect(JSON.parse(read(report["file"] as string))).toEqual({
      toolboxes: { general: { description: "Mine", mcpServers: { a: { command: "node" } } } },
    });
  });

  it("warn of a secret in plain text but write it", async () => {
    const { stdout, stderr } = await run("add", "gh", "-e", `GITHUB_TOKEN=${TOKEN}`, "--", "node");
    expect(stderr).toContain("GITHUB_TOKEN is stored in plain text");
    expect(stdout + stderr).not.toContain(TOKEN);
    expect(read(config)).toContain(TOKEN);
  });

  it.each([
    [["add", "one", "--", "node"], 3, "Toolbox 'dev' already has a server 'one'"],
    [["add", "a__b", "--", "node"], 2, "'a__b' cannot be used"],
    [["add", "x"], 2, "Give a URL, or the server's command line after --"],
    [["add", "x", "node"], 2, "'node' is not a URL"],
    [
      ["add", "x", "https://e.example", "-e", "A=1"],
      2,
      "--env is only for servers that are started as a command",
    ],
    [["add", "x", "https://e.example", "--transport", "carrier-pigeon"], 2, "takes http or sse"],
    [["add", "x", "http://user:pw@e.example"], 3, "put credentials in 'headers'"],
    [["add", "x", "-y", "--", "npx"], 2, "Unknown option '-y'"],
    [["remove", "two"], 2, "No toolbox has a server 'two'"],
    [["remove", "dev/oen"], 2, "Did you mean 'one'?"],
    [["remove", "--toolbox", "prod"], 2, "Toolbox 'prod' not found"],
    [["remove"], 2, "Name a server or a toolbox to remove"],
  ])(
    "explain the mistake in %j, end with exit code %i and write nothing",
    async (args, exit, message) => {
      const { code, stderr } = await run(...args);
      expect(code).toBe(exit);
      expect(stderr).toContain(message);
      expect(read(config)).toBe(COMMENTED);
    },
  );

  it("import what is new once, under free names and variables", async () => {
    writeFileSync(
      config,
      COMMENTED.replace(
        '"one": {',
        '"github": { "command": "x", "env": { "A": "${GITHUB_PERSONAL_ACCESS_TOKEN}" } }, "one": {',
      ),
    );
    const report = await json("import", "--from", "cursor", "--toolbox", "dev");
    expect(report).toMatchObject({
      exit: 0,
      changed: true,
      added: [
        { toolbox: "dev", name: "github-cursor" },
        { toolbox: "dev", name: "sentry" },
      ],
      secrets: [{ variable: "GITHUB_PERSONAL_ACCESS_TOKEN_2" }],
    });
    expect(read(config)).toContain("// everyday work");
    const again = await json("import", "--from", "cursor", "--toolbox", "dev");
    expect(again).toMatchObject({ changed: false, added: [] });
    expect(again["skipped"]).toMatchObject([{ name: "github" }, { name: "sentry" }]);
    const { stderr } = await run("import", "--from", "cursor", "--toolbox", "dev");
    expect(stderr).toBe("Nothing new to import: 2 entries are already in the configuration.\n");
  });

  it("refuse a configuration that is broken or read-only, and do not change it", async () => {
    writeFileSync(config, "{ nonsense");
    expect((await run("add", "x", "--", "node")).code).toBe(3);
    expect(read(config)).toBe("{ nonsense");
    writeFileSync(config, COMMENTED);
    chmodSync(config, 0o444);
    const { code, stderr } = await run("add", "x", "--", "node");
    expect(code).toBe(1);
    expect(stderr).toContain("it is read-only");
    expect(read(config)).toBe(COMMENTED);
  });

  it("can be undone change by change, unless the file was edited in the meantime", async () => {
    await run("add", "two", "--", "node");
    const two = read(config);
    await run("add", "three", "--", "node");
    await run("undo");
    expect(read(config)).toBe(two);
    await run("undo", "--dry-run");
    expect(read(config)).toBe(two);
    writeFileSync(config, `${two}\n// edited\n`);
    const refused = await json("undo");
    expect(refused).toMatchObject({ exit: 1, error: { code: "FILE_CHANGED" } });
    writeFileSync(config, two);
    await run("undo");
    expect(read(config)).toBe(COMMENTED);
  });

  it("can still be undone after a dry run while the file was elsewhere", async () => {
    await run("add", "two", "--", "node");
    renameSync(config, `${config}.moved`);
    expect(await json("undo", "--dry-run")).toMatchObject({ exit: 0, changed: false });
    renameSync(`${config}.moved`, config);
    await run("undo");
    expect(read(config)).toBe(COMMENTED);
  });
});

describe("mcp-workbench install and uninstall", () => {
  /** What `init` writes: the same for every test, so it runs once. */
  let imported: string | undefined;
  beforeEach(async () => {
    if (imported === undefined) {
      await run("init", "--no-connect");
      imported = read(config);
    }
    mkdirSync(dirname(config), { recursive: true, mode: 0o700 });
    writeFileSync(config, imported, { mode: 0o600 });
  });

  it("leave every client's file byte for byte as it was", async () => {
    const before = await snapshot();
    const installed = await json("install", "--all");
    expect(installed["exit"]).toBe(0);
    const clients = installed["clients"] as { client: string; changed: boolean; file: string }[];
    expect(clients.map(({ client }) => client).toSorted()).toEqual(
      CLIENTS.map(({ id }) => id).toSorted(),
    );
    for (const { changed, file } of clients) {
      expect(changed).toBe(true);
      expect(read(file)).toContain(PROGRAM);
    }
    expect(await json("uninstall", "--all")).toMatchObject({ exit: 0 });
    expect(await snapshot()).toEqual(before);
  });

  it("configure clients that defer tools to keep the tools of the workbench loaded", async () => {
    await run("install", "claude-code", "copilot-cli");
    expect(read(home.fileOf("claude-code"))).toContain('"alwaysLoad": true');
    expect(JSON.parse(read(home.fileOf("copilot-cli")))).toMatchObject({
      mcpServers: { workbench: { deferTools: "never" } },
    });
  });

  it("remove only entries that the workbench certainly provides, and never its own", async () => {
    await run("install", "cursor");
    const args = ["install", "cursor", "--replace", "--dry-run"];
    const [first] = (await json(...args))["clients"] as object[];
    // The owner of the unset variable's token is unknown, so that entry stays.
    expect(first).toMatchObject({ removed: ["sentry"], kept: [{ name: "github" }] });
    const env = { GITHUB_PERSONAL_ACCESS_TOKEN: TOKEN };
    const second = await runJson(place, args, { env });
    expect(second["clients"]).toMatchObject([{ removed: ["github", "sentry"], kept: [] }]);
  });

  it("remove only entries whose servers connect", async () => {
    const mcpServers = { works: fixture(), broken: MISSING_COMMAND };
    const description = "For tests";
    writeFileSync(config, JSON.stringify({ toolboxes: { dev: { description, mcpServers } } }));
    for (const client of ["cursor", "windsurf"])
      writeFileSync(home.fileOf(client), JSON.stringify({ mcpServers }));
    const { clients } = await json("install", "cursor", "windsurf", "--replace");
    const outcome = {
      removed: ["works"],
      kept: [{ name: "broken", reason: expect.stringContaining("ENOENT") as string }],
    };
    expect(clients).toMatchObject([outcome, outcome]);
    expect(JSON.parse(read(home.fileOf("cursor")))).toMatchObject({
      mcpServers: { broken: MISSING_COMMAND },
    });
  });

  it("work in the folder of a project", async () => {
    const file = join(place.cwd, ".cursor/mcp.json");
    await run("install", "cursor", "--project");
    expect(read(file)).toContain("workbench");
    await run("uninstall", "cursor", "--project");
    expect(existsSync(join(place.cwd, ".cursor"))).toBe(false);
  });

  it("do nothing the second time and nothing in a dry run", async () => {
    const before = await snapshot();
    const { stdout } = await run("install", "cursor", "codex", "--dry-run");
    expect(stdout).toContain('+    "workbench": {');
    expect(stdout).toContain("+[mcp_servers.workbench]");
    expect(await snapshot()).toEqual(before);
    await run("install", "cursor");
    expect((await json("install", "cursor"))["clients"]).toMatchObject([{ changed: false }]);
    const after = await snapshot();
    await run("uninstall", "cursor", "--dry-run");
    expect(await snapshot()).toEqual(after);
    await run("uninstall", "cursor");
    const { stderr } = await run("uninstall", "cursor");
    expect(stderr).toContain("Cursor does not have the workbench");
  });

  it("skip broken and read-only files and go on with the others", async () => {
    writeFileSync(home.fileOf("cursor"), "{ broken");
    chmodSync(home.fileOf("windsurf"), 0o400);
    const before = await snapshot();
    const report = await json("install", "cursor", "windsurf", "zed");
    expect(report).toMatchObject({
      exit: 3,
      clients: [
        { client: "cursor", error: { code: "FILE_INVALID" } },
        { client: "windsurf", error: { code: "FILE_NOT_WRITABLE" } },
        { client: "zed", changed: true },
      ],
    });
    await run("uninstall", "zed");
    expect(await snapshot()).toEqual(before);
  });

  it("refuse a missing name, an unknown name, and a missing configuration", async () => {
    const unnamed = await json("install");
    expect(unnamed).toMatchObject({
      exit: 2,
      error: { code: "USAGE", hint: expect.stringContaining("claude-code") as string },
    });
    expect(await json("install", "cursr")).toMatchObject({
      exit: 2,
      error: { code: "CLIENT_UNKNOWN", hint: "Did you mean 'cursor'?" },
    });
    expect(await json("uninstall")).toMatchObject({ exit: 2 });
    writeFileSync(config, "{}");
    expect(await json("install", "cursor")).toMatchObject({
      exit: 3,
      error: { code: "CONFIG_INVALID" },
    });
  });
});
