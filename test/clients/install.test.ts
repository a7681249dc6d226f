/** Installing the workbench in clients and uninstalling it; install.full.test.ts has every client, and what a kill does is in ../cli/crash.full.test.ts. */
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";

import { applyPlan, planInstall } from "../../src/clients/install.ts";
import { readRecords } from "../../src/clients/journal.ts";
import { readServers } from "../../src/clients/read.ts";
import { applyUninstall, planUninstall } from "../../src/clients/uninstall.ts";
import { describeInstalling } from "./describe-installing.ts";
import { rowOf, SAMPLES, TOKEN } from "./home.ts";
import type { Home } from "./home.ts";
import { installing, LAUNCH, OTHER } from "./installing.ts";

describeInstalling([rowOf("cursor")]);

const at = installing();
const { plan, install, uninstall, undo, read, addComment, namesIn } = at;

describe("installing and uninstalling", () => {
  it("undoes an update of our entry, and what was edited between two installations stays", async () => {
    await install("cursor");
    await addComment("cursor");
    const between = await read("cursor");
    await install("cursor", { launch: OTHER });
    expect(await undo("cursor")).toMatchObject({ exact: true });
    expect(await read("cursor")).toBe(between);
    await install("cursor", { launch: OTHER });
    await addComment("cursor");
    await undo("cursor");
    expect(await read("cursor")).not.toContain("other-config.json");
    expect(await namesIn("cursor")).toContain("workbench");
  });

  it("does not bring back an entry that was uninstalled by its name", async () => {
    await install("cursor");
    await install("cursor", { name: "second" });
    await uninstall("cursor", at.home.fileOf("cursor"), "workbench");
    await undo("cursor");
    expect(await read("cursor")).toBe(SAMPLES["cursor"]);
  });

  it("replaces a command with a URL and a token with none, and still goes back exactly", async () => {
    const before = await at.home.snapshot();
    const url = "http://127.0.0.1:7333/mcp";
    await install("opencode");
    await install("opencode", { launch: { url, tokenVariable: "A" } });
    expect(await namesIn("opencode")).toEqual(["context7", "workbench"]);
    await install("opencode", { launch: { url: `${url}/dev` } });
    expect(await read("opencode")).not.toContain("{env:A}");
    expect(await read("opencode")).toContain(`${url}/dev`);
    await uninstall("opencode");
    expect(await at.home.snapshot()).toEqual(before);
  });

  it("restores everything although the file was edited between two installations", async () => {
    const before = await readServers(rowOf("cursor"), await read("cursor"), {
      file: at.home.fileOf("cursor"),
      scope: "user",
    });
    const [first, second] = before.map(({ path }) => path);
    await install("cursor", { remove: [first ?? []] });
    await writeFile(at.home.fileOf("cursor"), `// changed\n${await read("cursor")}`);
    await install("cursor", { remove: [second ?? []] });
    expect(await namesIn("cursor")).toEqual(["workbench"]);
    expect(await uninstall("cursor")).toMatchObject({ exact: false });
    const names = before.map(({ name }) => name);
    expect((await namesIn("cursor")).toSorted()).toEqual(names.toSorted());
  });

  it("leaves the server of another vendor alone, although its name and URL look like ours", async () => {
    const theirs = { url: "https://vendor.example.com/mcp" };
    const text = JSON.stringify({ mcpServers: { workbench: theirs, "workbench-x": theirs } });
    await writeFile(at.home.fileOf("cursor"), text);
    await install("cursor", { launch: { url: "https://team.example.com/mcp" } });
    expect(await namesIn("cursor")).toEqual(["workbench", "workbench-x", "mcp-workbench"]);
    await writeFile(at.home.fileOf("cursor"), `// changed\n${await read("cursor")}`);
    await uninstall("cursor");
    expect(await read("cursor")).toBe(`// changed\n${text}`);
    expect(await uninstall("cursor")).toMatchObject({ changed: false });
  });

  it("keeps entries with different names side by side", async () => {
    const before = await at.home.snapshot();
    const dev = { command: "mcp-workbench", args: ["serve", "--config", "/c", "--toolbox", "dev"] };
    const prod = { ...dev, args: [...dev.args.slice(0, -1), "prod"] };
    await install("cursor", { launch: dev, name: "workbench-dev" });
    await install("cursor", { launch: prod, name: "workbench-prod" });
    expect(await namesIn("cursor")).toEqual([
      "github",
      "sentry",
      "workbench-dev",
      "workbench-prod",
    ]);
    expect((await install("cursor", { launch: prod })).changed).toBe(false);
    await expect(plan("cursor")).rejects.toThrow(
      "Cursor has several entries for the workbench: workbench-dev, workbench-prod",
    );
    await expect(plan("cursor", { name: "github" })).rejects.toThrow(
      "Cursor has a different server with the name 'github'",
    );
    const file = at.home.fileOf("cursor");
    await expect(uninstall("cursor", file, "github")).rejects.toMatchObject({
      hint: "It has workbench-dev, workbench-prod",
    });
    await uninstall("cursor", file, "workbench-dev");
    expect(await namesIn("cursor")).toEqual(["github", "sentry", "workbench-prod"]);
    expect(await uninstall("cursor", file, "workbench-prod")).toMatchObject({ exact: true });
    expect(await at.home.snapshot()).toEqual(before);
    expect(await readRecords(at.home.stateDir)).toEqual([]);
  });

  it("removes one of several entries from a file that was edited, and the rest later", async () => {
    await install("kiro", { name: "workbench-a" });
    await install("kiro", { name: "workbench-b" });
    await writeFile(at.home.fileOf("kiro"), `// mine\n${await read("kiro")}`);
    await uninstall("kiro", at.home.fileOf("kiro"), "workbench-a");
    expect(await namesIn("kiro")).toEqual(["workbench-b"]);
    expect(await uninstall("kiro")).toMatchObject({ exact: false });
    expect(await read("kiro")).toBe("// mine\n{}\n");
  });

  it("works in the folder of a project, and creates the folders it needs", async () => {
    const before = await at.home.snapshot();
    await install("claude-code", { project: at.home.project });
    await install("kiro", { project: at.home.project });
    const block = await install("continue", { project: at.home.project });
    expect(await readFile(block.file, "utf8")).toContain("schema: v1\nmcpServers:\n  - ");
    await uninstall("continue", block.file);
    const kiro = join(at.home.project, ".kiro", "settings", "mcp.json");
    expect(await readFile(kiro, "utf8")).toContain("mcp-workbench");
    await uninstall("claude-code", join(at.home.project, ".mcp.json"));
    await uninstall("kiro", kiro);
    expect(await at.home.snapshot()).toEqual(before);
  });

  it("can take entries out of a file without adding the workbench", async () => {
    const before = await at.home.snapshot();
    const remove = [["mcpServers", "memory"]];
    await install("claude-code", { launch: undefined, project: at.home.project, remove });
    const shared = join(at.home.project, ".mcp.json");
    expect(JSON.parse(await readFile(shared, "utf8"))).toEqual({ mcpServers: {} });
    await uninstall("claude-code", shared);
    expect(await at.home.snapshot()).toEqual(before);
  });

  it("writes one entry for two clients that share a file", async () => {
    const before = await at.home.snapshot();
    const shared = join(at.home.project, ".mcp.json");
    await install("claude-code", { project: at.home.project });
    await install("copilot-cli", { project: at.home.project });
    expect(JSON.parse(await readFile(shared, "utf8"))).toMatchObject({
      mcpServers: { workbench: { type: "stdio", alwaysLoad: true, deferTools: "never" } },
    });
    await uninstall("copilot-cli", shared);
    expect(await at.home.snapshot()).toEqual(before);
  });

  it("updates its own entry, keeps what was added to it, and still goes back exactly", async () => {
    const before = await at.home.snapshot();
    await install("cursor");
    const launch = { command: "mcp-workbench", args: ["serve"] };
    await install("cursor", { launch });
    expect(await namesIn("cursor")).toEqual(["github", "sentry", "workbench"]);
    expect(await read("cursor")).not.toContain(
      '"npx",\n      "args": [\n        "-y",\n        "mcp',
    );
    expect((await install("cursor", { launch })).changed).toBe(false);
    await uninstall("cursor");
    expect(await at.home.snapshot()).toEqual(before);

    await writeFile(
      at.home.fileOf("cursor"),
      '{ "mcpServers": { "mine": { "command": "npx", "args": ["mcp-workbench"], "env": { "A": "b" } } } }',
    );
    const { own } = await plan("cursor");
    expect(own).toMatchObject({ name: "mine", isUpdate: true, value: { env: { A: "b" } } });
  });

  it("removes an entry that has no record", async () => {
    await install("kiro");
    await rm(at.home.stateDir, { recursive: true });
    expect(await uninstall("kiro")).toMatchObject({ changed: true, exact: false });
    expect(JSON.parse(await read("kiro"))).toEqual({ mcpServers: {} });
    expect(await uninstall("kiro")).toMatchObject({ changed: false });
  });

  it("never removes its own entry and avoids names that are taken", async () => {
    await writeFile(
      at.home.fileOf("kiro"),
      '{ "mcpServers": { "workbench": { "command": "other" }, "x": { "command": "mcp-workbench" } } }',
    );
    const first = await plan("kiro", { remove: [["mcpServers", "x"]] });
    expect(first.own?.name).toBe("x");
    expect(first.removed).toEqual([]);
    await writeFile(
      at.home.fileOf("kiro"),
      '{ "mcpServers": { "workbench": { "command": "other" } } }',
    );
    expect((await plan("kiro")).own?.name).toBe("mcp-workbench");
  });

  it("that cannot be written leaves nothing to undo", async () => {
    await rm(at.home.fileOf("cursor"));
    await symlink(join(at.home.host.home, "missing/mcp.json"), at.home.fileOf("cursor"));
    await expect(install("cursor")).rejects.toThrow("Cannot write");
    expect(await readRecords(at.home.stateDir)).toEqual([]);
  });

  it("follows a symbolic link to a file kept elsewhere", async () => {
    const real = join(at.home.host.home, "dotfiles.json");
    await writeFile(real, await read("cursor"));
    await rm(at.home.fileOf("cursor"));
    await symlink(real, at.home.fileOf("cursor"));
    await install("cursor");
    expect(await readFile(real, "utf8")).toContain("mcp-workbench");
    await uninstall("cursor");
    expect(await readFile(real, "utf8")).toBe(SAMPLES["cursor"]);
  });
});

describe("a plan to install", () => {
  it("changes nothing and shows no secret", async () => {
    const before = await at.home.snapshot();
    const { diff } = await plan("claude-code", {
      remove: [
        ["mcpServers", "github"],
        ["projects", "/home/ada/shop", "mcpServers", "db"],
      ],
    });
    expect(await at.home.snapshot()).toEqual(before);
    expect(diff).toContain('+      "alwaysLoad": true');
    expect(diff).toContain('"GITHUB_PERSONAL_ACCESS_TOKEN": "ghp_***"');
    expect(diff).toContain("postgres://shop:***@localhost/shop");
    expect(diff).not.toContain(TOKEN);
  });

  it("is refused once the file has changed", async () => {
    const stale = await plan("cursor");
    await writeFile(at.home.fileOf("cursor"), "{}");
    const options = { stateDir: at.home.stateDir, host: at.home.host };
    await expect(applyPlan(stale, options)).rejects.toMatchObject({ code: "FILE_CHANGED" });
    expect(await read("cursor")).toBe("{}");
    const undo = await planUninstall(rowOf("cursor"), at.home.fileOf("cursor"), at.home.stateDir);
    await writeFile(at.home.fileOf("cursor"), "{} ");
    await expect(applyUninstall(undo, options)).rejects.toMatchObject({ code: "FILE_CHANGED" });
  });
});

describe("an installation is refused, and changes nothing, for", () => {
  const refusal = async (id: string): Promise<unknown> => {
    const before = await at.home.snapshot();
    const error = await install(id).catch((reason: unknown) => reason);
    expect(await at.home.snapshot()).toEqual(before);
    return error;
  };

  it.each(["claude-desktop", "zed", "cline", "antigravity"])(
    "a URL with a token in %s, which would need the token in its file",
    async (id) => {
      const launch = { url: "https://team.example.com/mcp", tokenVariable: "TEAM_TOKEN" };
      await expect(plan(id, { launch })).rejects.toMatchObject({
        code: "USAGE",
        hint: expect.stringContaining(`mcp-workbench install ${id} --server shared/workbench`),
      });
    },
  );

  it("a client that is not on this machine", async () => {
    await rm(dirname(at.home.fileOf("cursor")), { recursive: true });
    expect(await refusal("cursor")).toMatchObject({
      code: "CLIENT_NOT_INSTALLED",
      message: `Cursor was not found on this machine: ${dirname(at.home.fileOf("cursor"))} does not exist`,
    });
  });

  it.each([
    ["cursor", "{\n  oops\n", /:2:3: not valid JSON/],
    ["codex", "a = \n", /:1:5: not valid TOML/],
    ["goose", "a: [\nb", /: not valid YAML/],
  ])("a broken file of %s", async (id, text, message) => {
    await writeFile(at.home.fileOf(id), text);
    expect(await refusal(id)).toMatchObject({
      code: "FILE_INVALID",
      message: expect.stringMatching(message),
    });
    await expect(uninstall(id)).rejects.toMatchObject({ code: "FILE_INVALID" });
    expect(await read(id)).toBe(text);
  });

  it.each([
    ["cursor", '{ "mcpServers": [] }', "'mcpServers' is not an object"],
    ["codex", 'mcp_servers = { a = { command = "x" } }\n', "[mcp_servers.workbench]"],
    ["goose", "extensions: {a: {cmd: x}}\n", "cmd: npx"],
  ])("a layout of the file of %s that only a person can edit", async (id, text, expected) => {
    await writeFile(at.home.fileOf(id), text);
    expect(await refusal(id)).toMatchObject({
      code: "FILE_NOT_EDITABLE",
      text: expect.stringContaining(expected),
    });
  });

  it("a read-only file, even for the superuser", async () => {
    await install("kiro");
    const installed = await read("kiro");
    await chmod(at.home.fileOf("kiro"), 0o444);
    await chmod(at.home.fileOf("cursor"), 0o444);
    expect(await refusal("cursor")).toMatchObject({ code: "FILE_NOT_WRITABLE" });
    await expect(uninstall("kiro")).rejects.toMatchObject({ code: "FILE_NOT_WRITABLE" });
    expect(await read("kiro")).toBe(installed);
  });

  it("a project that does not exist, or a client without projects", async () => {
    await expect(plan("windsurf", { project: at.home.project })).rejects.toThrow(
      "Windsurf has no configuration per project",
    );
    await expect(plan("cursor", { project: join(at.home.project, "no") })).rejects.toMatchObject({
      code: "FILE_NOT_WRITABLE",
    });
  });
});

describe("the file of Cline", () => {
  const onlyProgram = async (): Promise<Home["host"]> => {
    await rm(dirname(dirname(at.home.fileOf("cline"))), { recursive: true });
    const folder = join(at.home.host.home, ".local", "bin");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "cline"), "", { mode: 0o755 });
    return { ...at.home.host, env: { ...at.home.host.env, PATH: folder } };
  };

  it("is created for its command-line program if that is all there is", async () => {
    await expect(
      planInstall({
        row: rowOf("cline"),
        host: await onlyProgram(),
        stateDir: at.home.stateDir,
        launch: LAUNCH,
      }),
    ).resolves.toMatchObject({
      file: join(at.home.host.home, ".cline", "data", "settings", "cline_mcp_settings.json"),
    });
    await expect(plan("cline")).rejects.toThrow("'cline' is not on the PATH");
  });

  it("is the one of the extension if that is installed", async () => {
    await rm(at.home.fileOf("cline"));
    expect((await plan("cline")).file).toBe(at.home.fileOf("cline"));
  });
});

it("records and backups of installations are readable only by their owner", async () => {
  await install("cursor");
  for (const folder of ["clients", "backups"]) {
    const path = join(at.home.stateDir, folder);
    expect((await stat(path)).mode & 0o777).toBe(0o700);
    for (const name of await readdir(path)) {
      expect((await stat(join(path, name))).mode & 0o777).toBe(0o600);
    }
  }
});
