/**
 * `import`, `add`, `remove`, `install` and `uninstall` in a home folder with the files of every client. In
 * the full suite because each case runs the program several times; setup.full.test.ts has `init`; `npm test` has
 * parts in test/clients/install.test.ts.
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";

import { CLIENTS } from "../../src/clients/table.ts";
import { type Home, TOKEN } from "../clients/home.ts";
import { type CliPlace, cliPlace, runCli, runJson } from "../support/cli.ts";
import { perTest } from "../support/disposables.ts";
import { MISSING_COMMAND, fixture } from "../support/servers.ts";
import { PROGRAM } from "../support/workbench.ts";
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
    [["add", "x"], 2, "Give a URL, the server's command line after --, a name of a registry"],
    [["add", "x", "node"], 2, "'node' is not a URL"],
    [
      ["add", "x", "https://e.example", "-e", "A=1"],
      2,
      "--env is only for servers that are started as a command",
    ],
    [["add", "x", "https://e.example", "--transport", "carrier-pigeon"], 2, "takes http or sse"],
    [["add", "x", "http://user:pw@e.example"], 3, "put credentials in 'headers'"],
    [["add", "x", "-q", "--", "npx"], 2, "Unknown option '-q'"],
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
    const before = await clientFiles(home);
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
    expect(await clientFiles(home)).toEqual(before);
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
    const before = await clientFiles(home);
    const { stdout } = await run("install", "cursor", "codex", "--dry-run");
    expect(stdout).toContain('+    "workbench": {');
    expect(stdout).toContain("+[mcp_servers.workbench]");
    expect(await clientFiles(home)).toEqual(before);
    await run("install", "cursor");
    expect((await json("install", "cursor"))["clients"]).toMatchObject([{ changed: false }]);
    const after = await clientFiles(home);
    await run("uninstall", "cursor", "--dry-run");
    expect(await clientFiles(home)).toEqual(after);
    await run("uninstall", "cursor");
    const { stderr } = await run("uninstall", "cursor");
    expect(stderr).toContain("Cursor does not have the workbench");
  });

  it("skip broken and read-only files and go on with the others", async () => {
    writeFileSync(home.fileOf("cursor"), "{ broken");
    chmodSync(home.fileOf("windsurf"), 0o400);
    const before = await clientFiles(home);
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
    expect(await clientFiles(home)).toEqual(before);
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
