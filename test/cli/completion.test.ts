/** The completion scripts in the shells they are for. */
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";

import { type CliPlace, cliPlace, runCli } from "../support/cli.ts";
import { perTest } from "../support/disposables.ts";
import { PROGRAM } from "../support/workbench.ts";

const disposables = perTest();
let place: CliPlace;
let command = "";

const has = (shell: string): boolean => spawnSync(shell, ["--version"]).status === 0;

beforeEach(() => {
  place = cliPlace(disposables);
  command = join(place.home, "mcp-workbench");
  writeFileSync(command, `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@"\n`);
  chmodSync(command, 0o755);
  const mcpServers = { files: { command: "node" } };
  const toolboxes = { dev: { description: "Work", mcpServers } };
  writeFileSync(join(place.cwd, "workbench-config.json"), JSON.stringify({ toolboxes }));
});

// A shell that is not installed cannot show whether it understands its script.
describe.skipIf(!has("bash"))("bash", () => {
  async function complete(...words: string[]): Promise<string[]> {
    const { stdout } = await runCli(place, ["completion", "bash"]);
    const list = [command, ...words].map((word) => JSON.stringify(word)).join(" ");
    const program = `${stdout}\nCOMP_WORDS=(${list})\nCOMP_CWORD=${words.length}\n_mcp_workbench\nprintf '%s\\n' "\${COMPREPLY[@]}"`;
    const env = {
      ...process.env,
      ...place.env,
      PATH: `${place.env["PATH"]}:${process.env["PATH"]}`,
    };
    const output = execFileSync("bash", ["-c", program], { cwd: place.cwd, env });
    return output
      .toString()
      .split("\n")
      .filter((line) => line !== "");
  }

  it("completes commands, options, clients and toolboxes", async () => {
    expect(await complete("unin")).toEqual(["uninstall"]);
    expect(await complete("doctor", "--f")).toEqual(["--fix"]);
    expect(await complete("install", "curs")).toEqual(["cursor"]);
    expect(await complete("list", "dev/")).toEqual(["dev/files"]);
  });

  it("leaves files to the shell", async () => {
    expect(await complete("list", "--config", "workb")).toEqual(["workbench-config.json"]);
  });
});

describe.each(["zsh", "fish"])("%s", (shell) => {
  // See above.
  it.skipIf(!has(shell))("understands its script", async () => {
    const { stdout } = await runCli(place, ["completion", shell]);
    const file = join(place.home, "script");
    writeFileSync(file, stdout);
    expect(spawnSync(shell, ["-n", file]).status).toBe(0);
  });

  it("is told the same by the program", async () => {
    const { stdout } = await runCli(place, ["completion", shell]);
    expect(stdout).toContain("__complete");
    const words = await runCli(place, ["__complete", "help", "comp"]);
    expect(words.stdout).toBe("completion\tPrint a completion script for your shell\n");
  });
});

describe("another shell", () => {
  it("is refused with the ones there are", async () => {
    const { code, stderr } = await runCli(place, ["completion", "tcsh"]);
    expect(code).toBe(2);
    expect(stderr).toContain("Known are: bash, zsh, fish");
  });
});
