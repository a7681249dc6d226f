/**
 * The completion scripts in the shells they are for. In the full suite because each completion
 * starts a shell and the program; `npm test` has the candidates in `src/cli`.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";

import {
  type CliPlace,
  HAS_TERMINAL,
  type Turn,
  cliPlace,
  ownConfig,
  runCli,
  runInTerminal,
} from "../support/cli.ts";
import { perTest } from "../support/disposables.ts";
import { fixture, toolbox } from "../support/servers.ts";
import { PROGRAM } from "../support/workbench.ts";

const disposables = perTest();
let place: CliPlace;
let env: NodeJS.ProcessEnv = {};

// Without the shell its script cannot be tested.
const has = (shell: string): boolean => spawnSync(shell, ["--version"]).status === 0;

const CTRL_U = "\u0015";
const TAB = "\t";

/** A server with a tool name that a shell would run. */
const ODD_SERVER = `
  const tools = ["plain", "run$(touch oops)"].map((name) => ({ name, inputSchema: { type: "object" } }));
  const hello = { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "odd", version: "1" } };
  const results = { initialize: hello, "tools/list": { tools } };
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method } = JSON.parse(line);
    const answer = results[method] ? { result: results[method] } : { error: { code: -32601, message: "no" } };
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
  });`;

beforeEach(() => {
  place = cliPlace(disposables);
  const command = join(place.home, "mcp-workbench");
  writeFileSync(command, `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@"\n`);
  chmodSync(command, 0o755);
  env = {
    ...process.env,
    ...place.env,
    PATH: [place.home, place.env["PATH"], process.env["PATH"]].join(":"),
  };
  const toolboxes = {
    dev: toolbox({ files: fixture("--name", "files") }, "Work"),
    odd: toolbox({ shell: { command: process.execPath, args: ["-e", ODD_SERVER] } }),
  };
  writeFileSync(ownConfig(place), JSON.stringify({ toolboxes }));
  // For the completion of file names.
  writeFileSync(join(place.cwd, "workbench-notes.txt"), "");
});

async function writeScript(shell: string, name: string): Promise<string> {
  const file = join(place.home, name);
  writeFileSync(file, (await runCli(place, ["completion", shell])).stdout);
  return file;
}

const run = (shell: string, program: string): string[] =>
  execFileSync(shell, ["-c", program], { cwd: place.cwd, env })
    .toString()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.split("\t")[0] ?? "");

/** Types a line and a tab for each expectation, as a user would. */
async function typed(
  shell: readonly string[],
  setUp: string,
  expected: readonly (readonly [line: string, becomes: string])[],
): Promise<string> {
  const turns: Turn[] = [[/[$%#>]/, `PS1='rea''dy> '; ${setUp}\n`]];
  let before = "ready> ";
  for (const [line, becomes] of expected) {
    turns.push([before, `${CTRL_U}mcp-workbench ${line}${TAB}`]);
    before = becomes;
  }
  turns.push([before, `${CTRL_U}exit\n`]);
  const terminal = { ...(env as Record<string, string>), PS1: "> " };
  return (await runInTerminal(place, shell, turns, { env: terminal })).screen;
}

const CASES: readonly (readonly [line: string, words: readonly string[]])[] = [
  ["unin", ["uninstall"]],
  ["doctor --f", ["--fix"]],
  ["install curs", ["cursor"]],
  ["list de", ["dev/"]],
  ["list dev/", ["dev/files"]],
  ["call dev/files/ech", ["dev/files/echo"]],
  ["call dev/files/echo te", ["text="]],
];

describe.skipIf(!has("bash"))("the completion script for bash", () => {
  async function complete(line: string): Promise<string[]> {
    const script = await writeScript("bash", "script.bash");
    // Bash treats `=` as a separate word.
    const words = `mcp-workbench ${line}`.split(/ |(=)/).filter((word) => word !== undefined);
    const list = words.map((word) => JSON.stringify(word)).join(" ");
    return run(
      "bash",
      `source ${script}; COMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _mcp_workbench; printf '%s\\n' "\${COMPREPLY[@]}"`,
    );
  }

  it("completes commands, options, clients, toolboxes, servers, tools and their arguments", async () => {
    expect((await runCli(place, ["refresh"])).code).toBe(0);
    for (const [line, words] of CASES) expect(await complete(line), line).toEqual(words);
    expect(await complete("open --detail=n")).toEqual(["names"]);
    expect(await complete("call odd/shell/")).toEqual(["odd/shell/plain"]);
  });

  it.skipIf(!HAS_TERMINAL)(
    "completes what is typed, and leaves file names to readline",
    async () => {
      const script = await writeScript("bash", "script.bash");
      const bash = ["bash", "--norc", "--noprofile", "-i"];
      const screen = await typed(bash, `source ${script}`, [
        ["unin", "uninstall "],
        ["list --config workb", "workbench-notes.txt "],
      ]);
      expect(screen).toContain("mcp-workbench uninstall ");
    },
  );
});

describe.skipIf(!has("fish"))("the completion script for fish", () => {
  it("completes the same words as the one for bash", async () => {
    const script = await writeScript("fish", "script.fish");
    expect((await runCli(place, ["refresh"])).code).toBe(0);
    const complete = (line: string): string[] =>
      run("fish", `source ${script}; complete -C 'mcp-workbench ${line}'`);
    for (const [line, words] of CASES) expect(complete(line), line).toEqual(words);
    expect(complete("open --detail=n")).toEqual(["--detail=names"]);
    expect(complete("list --config workb")).toEqual(["workbench-notes.txt"]);
  });
});

describe.skipIf(!has("zsh") || !HAS_TERMINAL)("the completion script for zsh", () => {
  it("completes the same words as the one for bash while typing", async () => {
    await writeScript("zsh", "_mcp-workbench");
    expect((await runCli(place, ["refresh"])).code).toBe(0);
    const setUp = `setopt nobeep; fpath=(${place.home} $fpath); autoload -U compinit; compinit -u -D`;
    const screen = await typed(["zsh", "-f", "-i"], setUp, [
      ...CASES.map(([line, [word = ""]]) => [line, word] as const),
      ["open --detail=n", "--detail=names"],
      ["list --config workb", "workbench-notes.txt"],
    ]);
    expect(screen).toContain("mcp-workbench uninstall");
  });
});

describe.skipIf(!has("pwsh"))("the completion script for PowerShell", () => {
  it("completes the same words as the one for bash", async () => {
    const script = await writeScript("powershell", "script.ps1");
    expect((await runCli(place, ["refresh"])).code).toBe(0);
    const complete = (line: string): string[] => {
      const whole = `mcp-workbench ${line}`;
      const matches = `(TabExpansion2 '${whole}' ${whole.length}).CompletionMatches`;
      return run("pwsh", `. ${script}; ${matches} | ForEach-Object { $_.CompletionText }`);
    };
    for (const [line, words] of CASES) expect(complete(line), line).toEqual(words);
  });
});

describe("mcp-workbench completion", () => {
  it("refuses an unknown shell and names the known ones", async () => {
    const { code, stderr } = await runCli(place, ["completion", "tcsh"]);
    expect(code).toBe(2);
    expect(stderr).toContain("Supported: bash, zsh, fish, powershell");
  });

  it("accepts the current word first, because PowerShell drops empty words at the end", async () => {
    const complete = async (...words: string[]): Promise<string[]> => {
      const { stdout } = await runCli(place, ["__complete", ...words]);
      return stdout.split("\n").map((line) => line.split("\t")[0] ?? "");
    };
    expect(await complete("--current=unin")).toEqual(["uninstall", ""]);
    expect(await complete("--current=", "list")).toEqual(["dev/", "odd/", ""]);
    expect(await complete("--current=--detail=n", "open")).toEqual(["--detail=names", ""]);
    expect(await complete("--current=", "list", "--config")).toEqual([":file", ""]);
  });
});
