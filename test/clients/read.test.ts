import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";

import { moveSecrets } from "../../src/clients/move-secrets.ts";
import { proposeToolboxes } from "../../src/clients/propose.ts";
import { findServers, readClientFile, rowForFile } from "../../src/clients/read.ts";
import type { FoundServer } from "../../src/clients/read.ts";
import { maskEntry } from "../../src/secrets/in-entry.ts";
import { perTest } from "../support/disposables.ts";
import { makeHome, rowOf, SAMPLES, TOKEN } from "./home.ts";
import type { Home } from "./home.ts";

const disposables = perTest();
let home: Home;
beforeEach(async () => {
  home = await makeHome(disposables);
});

const everything = async (): Promise<readonly FoundServer[]> =>
  (await findServers({ host: home.host, project: home.project })).flatMap((file) => file.servers);

describe("findServers", () => {
  it("finds the configuration files of every client", async () => {
    const files = await findServers({ host: home.host });
    expect(files.map(({ client }) => client)).toEqual(Object.keys(SAMPLES));
    expect(files.every(({ problem }) => problem === undefined)).toBe(true);
  });

  it("returns servers with their scope, in the spelling of the workbench", async () => {
    const servers = await everything();
    const summary = servers.map((s) => `${s.client} ${s.scope} ${s.name}`);
    expect(summary).toEqual([
      "claude-code user github",
      "claude-code user docs",
      "claude-code local db",
      "claude-code project memory",
      "claude-desktop user filesystem",
      "cursor user github",
      "cursor user sentry",
      "vscode user linear",
      "vscode user local",
      "vscode project here",
      "copilot-cli user playwright",
      "windsurf user figma",
      "zed user postgres-context-server",
      "zed user brave",
      "codex user github",
      "codex user linear",
      "gemini-cli user maps",
      "qwen-code user search",
      "opencode user context7",
      "antigravity user gdrive",
      "goose user fetch",
      "amazon-q user aws-docs",
      "continue user Wiki",
      "continue user sqlite",
    ]);
    const entryOf = (line: string): unknown => servers[summary.indexOf(line)]?.entry;
    expect(entryOf("vscode user linear")).toEqual({
      type: "http",
      url: "https://mcp.linear.app/mcp",
      headers: { Authorization: "Bearer ${LINEAR_KEY}" },
    });
    expect(entryOf("vscode project here")).toEqual({
      command: "node",
      args: [`${home.project}/x.js`],
    });
    expect(entryOf("claude-desktop user filesystem")).toMatchObject({
      args: ["-y", "@modelcontextprotocol/server-filesystem", "/home/ada/$${literal}"],
    });
    expect(entryOf("codex user github")).toEqual({
      command: "docker",
      args: ["run", "-i", "--rm", "ghcr.io/github/github-mcp-server"],
      env: { GITHUB_TOKEN: "${GITHUB_TOKEN}", LOG: "debug" },
    });
    expect(entryOf("gemini-cli user maps")).toMatchObject({
      headers: { "X-Api-Key": "${MAPS_KEY}" },
    });
    expect(entryOf("qwen-code user search")).toEqual({
      type: "http",
      url: "https://search.example.com/mcp",
      headers: { "X-Api-Key": "${SEARCH_KEY}" },
    });
    expect(entryOf("continue user Wiki")).toEqual({
      type: "http",
      url: "https://wiki.example.com/mcp",
      headers: { Authorization: "Bearer ${WIKI_TOKEN}" },
    });
    expect(entryOf("continue user sqlite")).toEqual({
      command: "npx",
      args: ["-y", "mcp-sqlite"],
      env: { MODE: "ro" },
    });
    expect(entryOf("opencode user context7")).toEqual({
      command: "npx",
      args: ["-y", "@upstash/context7-mcp"],
      env: { KEY: "${CONTEXT7_KEY}" },
    });
    expect(entryOf("goose user fetch")).toEqual({
      command: "uvx",
      args: ["mcp-server-fetch"],
      env: { PROXY: "http://localhost:1" },
    });
  });

  it("marks what is disabled, what is broken and what belongs to a project", async () => {
    const servers = await everything();
    const of = (name: string, client: string): FoundServer | undefined =>
      servers.find((s) => s.name === name && s.client === client);
    expect(of("figma", "windsurf")?.disabled).toBe(true);
    expect(of("db", "claude-code")).toMatchObject({
      project: "/home/ada/shop",
      path: ["projects", "/home/ada/shop", "mcpServers", "db"],
    });
    expect(of("postgres-context-server", "zed")).toMatchObject({
      entry: undefined,
      problems: ["it has neither a command nor a url"],
    });
    expect(of("local", "vscode")?.problems).toEqual([
      "${workspaceFolder} has no equivalent here; replace it with a fixed value",
    ]);
    expect(of("linear", "vscode")?.notes).toEqual([
      "the client asks for 'linear-key'; set the variable LINEAR_KEY instead",
    ]);
  });

  it("reports the position of the error in a broken file, and reads the others", async () => {
    await writeFile(home.fileOf("cursor"), '{\n  "mcpServers": {\n    "a": {]\n');
    const files = await findServers({ host: home.host });
    const broken = files.find(({ client }) => client === "cursor");
    expect(broken?.problem).toMatch(/^Cannot read .*mcp\.json:3:\d+: not valid JSON/);
    expect(files).toHaveLength(Object.keys(SAMPLES).length);
  });

  it("reports a file that is not text, and a folder in its place", async () => {
    await writeFile(home.fileOf("cursor"), Buffer.from([0xff, 0xfe, 0x7b, 0x00]));
    const [read] = await findServers({ host: home.host, clients: [rowOf("cursor")] });
    expect(read?.problem).toContain("not a UTF-8 text file");
    const folder = dirname(home.fileOf("cursor"));
    expect((await readClientFile(rowOf("cursor"), folder))?.problem).toContain("it is a folder");
  });

  it("reads the profiles of VS Code and both keys of OpenCode", async () => {
    const profile = join(dirname(home.fileOf("vscode")), "profiles", "a1b2", "mcp.json");
    await mkdir(dirname(profile), { recursive: true });
    await writeFile(profile, '{ "servers": { "work": { "url": "https://w/mcp" } } }');
    await writeFile(home.fileOf("opencode"), '{ "mcp": { "servers": { "new": { "url": "u" } } } }');
    const files = await findServers({
      host: home.host,
      clients: [rowOf("vscode"), rowOf("opencode")],
    });
    expect(files.map(({ servers }) => servers.map(({ name }) => name))).toEqual([
      ["linear", "local"],
      ["work"],
      ["new"],
    ]);
  });

  it("recognises entries of the workbench itself", async () => {
    const entries = {
      wb: { command: "npx", args: ["-y", "mcp-workbench", "serve"] },
      nested: { transport: { type: "stdio", command: "mcp-workbench" } },
      "workbench-dev": { url: "http://127.0.0.1:7333/mcp/dev" },
      other: { url: "http://127.0.0.1:7333/mcp/dev" },
      workbench: { url: "https://example.com/api" },
    };
    await writeFile(home.fileOf("kiro"), JSON.stringify({ mcpServers: entries }));
    const [file] = await findServers({ host: home.host, clients: [rowOf("kiro")] });
    const own = file?.servers.filter(({ isWorkbench }) => isWorkbench).map(({ name }) => name);
    expect(own).toEqual(["wb", "nested", "workbench-dev"]);
  });

  it("reads the blocks of Continue in the user's folder and in a project", async () => {
    const block = (name: string): string =>
      `name: b\nversion: 1.0.0\nschema: v1\nmcpServers:\n- name: ${name}\n  command: x\n`;
    const mine = join(dirname(home.fileOf("continue")), "mcpServers", "mine.yaml");
    const shared = join(home.project, ".continue", "mcpServers", "shared.yaml");
    for (const [file, name] of [
      [mine, "mine"],
      [shared, "shared"],
    ] as const) {
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, block(name));
    }
    const files = await findServers({
      host: home.host,
      project: home.project,
      clients: [rowOf("continue")],
    });
    expect(files.map(({ scope, servers }) => [scope, servers.map(({ name }) => name)])).toEqual([
      ["user", ["Wiki", "sqlite"]],
      ["user", ["mine"]],
      ["project", ["shared"]],
    ]);
  });

  it("reads any file that the user names", async () => {
    const file = join(home.host.home, "some.json");
    await writeFile(file, '{ "mcpServers": { "a": { "url": "https://a/mcp" } } } // pasted');
    const read = await readClientFile(rowForFile(file), file);
    expect(read?.servers.map(({ name, client }) => [name, client])).toEqual([["a", "file"]]);
    const list = await readClientFile(rowForFile("x.yaml"), home.fileOf("continue"));
    expect(list?.servers.map(({ name }) => name)).toEqual(["Wiki", "sqlite"]);
    const toml = await readClientFile(rowForFile("config.toml"), home.fileOf("codex"));
    expect(toml?.servers.map(({ name }) => name)).toEqual(["github", "linear"]);
    expect(
      await readClientFile(rowForFile("none.json"), join(home.host.home, "none")),
    ).toBeUndefined();
  });
});

it("the servers that are found become a proposal without secrets", async () => {
  const { toolboxes, skipped } = proposeToolboxes(await everything());
  expect(toolboxes.map(({ name, servers }) => [name, servers.map((s) => s.name)])).toEqual([
    ["code", ["context7", "github", "github-codex", "linear", "linear-codex"]],
    ["data", ["db", "sqlite"]],
    ["ops", ["aws-docs", "sentry"]],
    ["knowledge", ["Wiki", "docs", "filesystem", "gdrive", "memory"]],
    ["web", ["brave", "fetch", "maps", "playwright", "search"]],
    ["general", ["here", "local"]],
  ]);
  expect(toolboxes[0]?.servers[1]?.from.map(({ client }) => client)).toEqual([
    "claude-code",
    "cursor",
  ]);
  expect(skipped.map(({ server }) => server.name)).toEqual(["figma", "postgres-context-server"]);

  const { servers, moved } = moveSecrets(toolboxes.flatMap((toolbox) => toolbox.servers));
  const written = JSON.stringify(servers.map(({ name, entry }) => ({ name, entry })));
  expect(moved.map(({ variable }) => variable)).toEqual([
    "GITHUB_PERSONAL_ACCESS_TOKEN",
    "DB_PASSWORD",
    "BRAVE_API_KEY",
  ]);
  for (const secret of [TOKEN, "s3cr3t", "BSA0000000000000000000000001"]) {
    expect(written).not.toContain(secret);
    expect(
      JSON.stringify(toolboxes.flatMap((t) => t.servers.map((s) => maskEntry(s.entry)))),
    ).not.toContain(secret);
  }
});
