import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { newFolder } from "../../../test/support/new-folder.ts";
import { candidates } from "./complete.ts";
import { COMMANDS } from "../commands/commands.ts";

let cwd = "";
let env = {};
beforeAll(async () => {
  cwd = newFolder("complete");
  const server = { command: "node" };
  const toolboxes = {
    dev: { description: "Development", mcpServers: { files: server, notes: server } },
    prod: { description: "Production", mcpServers: { files: server } },
  };
  const file = join(cwd, "workbench-config.json");
  await writeFile(file, JSON.stringify({ toolboxes }));
  env = { WORKBENCH_CONFIG: file };
});
afterAll(async () => {
  await rm(cwd, { recursive: true });
});

const words = async (...typed: string[]): Promise<string[]> => {
  const lines = await candidates(typed, { env, cwd });
  return lines.map((line) => line.split("\t")[0] ?? "");
};

describe("shell completion", () => {
  it("of secret set and rm suggests the names that are stored", async () => {
    await writeFile(join(cwd, "secrets.env"), "A_TOKEN=abc\nB_TOKEN=def\n", { mode: 0o600 });
    expect(await words("secret", "rm", "")).toEqual(["A_TOKEN", "B_TOKEN"]);
    expect(await words("secret", "set", "B")).toEqual(["B_TOKEN"]);
    expect(await words("secret", "list", "")).toEqual([]);
    env = { ...env, XDG_STATE_HOME: cwd };
    await mkdir(join(cwd, "mcp-workbench"), { mode: 0o700 });
    const names = JSON.stringify({ version: 1, names: ["C_TOKEN"] });
    await writeFile(join(cwd, "mcp-workbench/keychain.json"), names, { mode: 0o600 });
    expect(await words("secret", "rm", "--keychain", "")).toEqual(["C_TOKEN"]);
  });

  it("of an empty word suggests all commands with their summaries", async () => {
    expect(await words("")).toEqual(COMMANDS.map(({ name }) => name));
    expect(await candidates(["ini"], { env, cwd })).toEqual([
      "init\tSet up the workbench from the servers your clients already use",
    ]);
  });

  it("of options suggests those of the command", async () => {
    expect(await words("doctor", "--")).toEqual(
      ["config", "fix", "secrets", "no-connect", "timeout", "json", "no-color", "help"].map(
        (o) => `--${o}`,
      ),
    );
    expect(await words("serve", "--j")).toEqual([]);
  });

  it.each([
    [
      ["install", "cl"],
      ["claude-code", "claude-desktop", "cline"],
    ],
    [["init", "--install", "cod"], ["codex"]],
    [["init", "--from=cur"], ["--from=cursor"]],
    [["init", "--from", "./x"], [":file"]],
    [["list", "--config", ""], [":file"]],
    [["call", "--output", ""], [":folder"]],
    [
      ["add", "x", "--transport", ""],
      ["http", "sse"],
    ],
    [
      ["completion", ""],
      ["bash", "zsh", "fish", "powershell"],
    ],
    [
      ["help", "un"],
      ["uninstall", "undo"],
    ],
    [
      ["search", "--toolbox", ""],
      ["dev", "prod"],
    ],
    [["list", "d"], ["dev/"]],
    [
      ["list", "dev/"],
      ["dev/files", "dev/notes"],
    ],
    [["call", "dev/f"], ["dev/files/"]],
    [["list", "dev/files", ""], []],
    [["open", "--config=workbench-config.json", "p"], ["prod"]],
    [["open", "--detail", "=", "n"], ["names"]],
    [
      ["open", "--detail", "="],
      ["full", "signatures", "names"],
    ],
    [["list", "--", "npx", ""], []],
    [["nonsense", ""], []],
  ])("of %j suggests %j", async (typed, expected) => {
    expect(await words(...typed)).toEqual(expected);
  });

  it("suggests nothing from a configuration in the current directory that is not trusted", async () => {
    const own = { HOME: cwd, API_TOKEN: "x" };
    expect(await candidates(["list", ""], { env: own, cwd })).toEqual([]);
    expect(await candidates(["search", "--toolbox", ""], { env: own, cwd })).toEqual([]);
  });

  it("suggests nothing if the configuration is broken or missing", async () => {
    expect(await words("list", "--config", "/nowhere", "")).toEqual([]);
  });
});
