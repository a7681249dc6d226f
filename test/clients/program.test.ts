import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";

import { applyPlan, planInstall } from "../../src/clients/install.ts";
import type { InstallRequest } from "../../src/clients/install.ts";
import type { Plan } from "../../src/clients/plan.ts";
import { findProgram, runProgram } from "../../src/clients/program.ts";
import { applyUninstall, planUninstall } from "../../src/clients/uninstall.ts";
import { perTest } from "../support/disposables.ts";
import { makeHome, rowOf } from "./home.ts";
import type { Home } from "./home.ts";

const LAUNCH = { command: "npx", args: ["-y", "mcp-workbench", "serve", "--config", "/c.json"] };

const TEAM_URL = "https://team.example.com/mcp";

const disposables = perTest();
let home: Home;
beforeEach(async () => {
  home = await makeHome(disposables);
});

const plan = async (id: string, more: Partial<InstallRequest> = {}): Promise<Plan> =>
  await planInstall({
    row: rowOf(id),
    host: home.host,
    stateDir: home.stateDir,
    launch: LAUNCH,
    ...more,
  });
const read = async (id: string): Promise<string> => await readFile(home.fileOf(id), "utf8");

describe("the command-line program of a client", () => {
  /** Replaces a client's program: records its arguments and runs the script. */
  const fakeProgram = async (name: string, script: string): Promise<Home["host"]> => {
    const folder = join(home.host.home, ".local", "bin");
    await mkdir(folder, { recursive: true });
    const text = `#!${process.execPath}\nconst fs = require("node:fs");\nconst args = process.argv.slice(2);
fs.appendFileSync(${JSON.stringify(join(folder, "log"))}, JSON.stringify(args) + "\\n");\n${script}\n`;
    await writeFile(join(folder, name), text, { mode: 0o755 });
    return { ...home.host, env: { ...home.host.env, PATH: folder } };
  };
  const called = async (): Promise<readonly (readonly string[])[]> =>
    (await readFile(join(home.host.home, ".local", "bin", "log"), "utf8"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as string[]);
  const claude = (): string => `
const file = ${JSON.stringify(home.fileOf("claude-code"))};
const config = JSON.parse(fs.readFileSync(file, "utf8"));
if (args[1] === "remove") delete config.mcpServers[args[4]];
else { const { alwaysLoad, ...entry } = JSON.parse(args[5]); config.mcpServers[args[4]] = entry; }
fs.writeFileSync(file, JSON.stringify(config, null, 4));`;

  it("adds the entry of the workbench, which an edit completes and uninstalling removes exactly", async () => {
    const host = await fakeProgram("claude", claude());
    const before = await home.snapshot();
    const options = { stateDir: home.stateDir, host };
    expect(await applyPlan(await plan("claude-code", { host }), options)).toMatchObject({
      via: "program",
      notes: [],
    });
    const [args] = await called();
    expect(args?.slice(0, 5)).toEqual(["mcp", "add-json", "--scope", "user", "workbench"]);
    expect(JSON.parse(await read("claude-code"))).toMatchObject({
      mcpServers: { workbench: { command: "npx", alwaysLoad: true } },
    });
    const undo = await planUninstall(
      rowOf("claude-code"),
      home.fileOf("claude-code"),
      home.stateDir,
    );
    expect(await applyUninstall(undo, options)).toMatchObject({ exact: true });
    expect(await home.snapshot()).toEqual(before);
  });

  it("removes the entry of the workbench from a file that has changed", async () => {
    const host = await fakeProgram("claude", claude());
    const options = { stateDir: home.stateDir, host };
    const before = JSON.parse(await read("claude-code")) as unknown;
    const remove = [["mcpServers", "github"]];
    await applyPlan(await plan("claude-code", { host, remove }), options);
    await writeFile(home.fileOf("claude-code"), `${await read("claude-code")}\n`);
    const undo = await planUninstall(
      rowOf("claude-code"),
      home.fileOf("claude-code"),
      home.stateDir,
    );
    await applyUninstall(undo, options);
    expect((await called()).at(-1)).toEqual(["mcp", "remove", "--scope", "user", "workbench"]);
    expect(JSON.parse(await read("claude-code"))).toEqual(before);
  });

  it("is replaced by an edit of the file when it fails, which is reported", async () => {
    const host = await fakeProgram("codex", 'console.error("no such command"); process.exit(2);');
    const options = { stateDir: home.stateDir, host };
    expect(await applyPlan(await plan("codex", { host }), options)).toMatchObject({
      via: "file",
      notes: [
        "codex did not add the entry: no such command",
        "Codex was configured by editing its file",
      ],
    });
    expect(await called()).toEqual([["mcp", "add", "workbench", "--", "npx", ...LAUNCH.args]]);
    expect(await read("codex")).toContain("[mcp_servers.workbench]");
  });

  it.each([
    ["codex", ["--url", TEAM_URL, "--bearer-token-env-var", "TEAM"]],
    ["gemini", [TEAM_URL, "--header", "Authorization: Bearer ${TEAM}"]],
  ])("gets the URL and the variable with the token: %s", async (binary, expected) => {
    const id = binary === "codex" ? binary : "gemini-cli";
    const host = await fakeProgram(binary, "");
    const launch = { url: TEAM_URL, tokenVariable: "TEAM" };
    await applyPlan(await plan(id, { host, launch }), { stateDir: home.stateDir, host });
    const [args] = await called();
    expect(args?.slice(0, 2)).toEqual(["mcp", "add"]);
    expect(args?.slice(-expected.length)).toEqual(expected);
    await applyPlan(await plan(id, { host, launch: { url: `${TEAM_URL}/dev` } }), {
      stateDir: home.stateDir,
      host,
    });
    expect(await called()).toHaveLength(1);
  });

  it("is not run when the caller asks so, in projects, and for updates", async () => {
    const host = await fakeProgram("claude", claude());
    const options = { stateDir: home.stateDir, host };
    await applyPlan(await plan("claude-code", { host }), { ...options, byFile: true });
    await applyPlan(await plan("claude-code", { host, project: home.project }), options);
    const launch = { command: "mcp-workbench", args: [] };
    await applyPlan(await plan("claude-code", { host, launch }), options);
    await expect(called()).rejects.toThrow("ENOENT");
  });

  it("is found on the PATH only, and is killed when it does not end", async () => {
    const host = await fakeProgram("gemini", "setInterval(() => {}, 1000);");
    const path = findProgram("gemini", host);
    expect(path).toBe(join(host.env["PATH"] ?? "", "gemini"));
    expect(findProgram("claude", host)).toBeUndefined();
    expect(findProgram("gemini", { ...host, env: { PATH: "relative" } })).toBeUndefined();
    expect(await runProgram(path ?? "", [], host, 50)).toBe("it ended with SIGKILL");
    expect(await runProgram(`${path}-none`, [], host)).toContain("ENOENT");
  });
});
