/**
 * `install --approvals`: the hook in Claude Code's settings, and how it is removed again. In the full suite
 * because each case runs several commands.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { type CliPlace, cliPlace, ownConfig, runCli } from "../support/cli.ts";
import { perTest } from "../support/disposables.ts";
import { dev, fixture } from "../support/servers.ts";

const cleanup = perTest();
/** Spaces and line breaks that no program would write. */
const SETTINGS = `{
  "env": {"API_TOKEN": "hunter2-hunter2-hunter2"},
  "hooks":   {
    "PreToolUse": [
      { "matcher": "Bash",   "hooks": [{"type":"command", "command": "true"}] }
    ],
    "Stop": []
  }
}`;
const ENTRIES = '{ "mcpServers": {} }';

let at: CliPlace;
let settings = "";
beforeEach(() => {
  at = cliPlace(cleanup);
  settings = join(at.home, ".claude/settings.json");
  mkdirSync(join(at.home, ".claude"));
  writeFileSync(join(at.home, ".claude.json"), ENTRIES);
  writeFileSync(ownConfig(at), JSON.stringify(dev({ fx: fixture() })));
});

interface Hook {
  readonly matcher: string;
  readonly hooks: readonly { readonly command: string }[];
}
const read = (): string => readFileSync(settings, "utf8");
const hooks = (): readonly Hook[] =>
  (JSON.parse(read()) as { hooks: { PreToolUse: Hook[] } }).hooks.PreToolUse;
const INSTALL = ["install", "claude-code", "--approvals"];

describe("install --approvals", () => {
  it("adds a hook and keeps everything else; uninstall restores the original bytes", async () => {
    writeFileSync(settings, SETTINGS);
    const installed = await runCli(at, INSTALL);
    expect(installed.code).toBe(0);
    expect(installed.stderr).not.toContain("hunter2");
    const [bash, own, ...others] = hooks();
    expect(others).toEqual([]);
    expect(bash?.matcher).toBe("Bash");
    expect(own?.matcher).toBe("mcp__workbench__use_tool|mcp__workbench__read_tool");
    const command = own?.hooks[0]?.command ?? "";
    expect(command).toMatch(/decide --hook claude-code --name workbench --config \S+\.json$/);
    expect(read()).toContain(
      '{ "matcher": "Bash",   "hooks": [{"type":"command", "command": "true"}] }',
    );

    const once = read();
    const again = await runCli(at, [...INSTALL, "--json"]);
    expect(JSON.parse(again.stdout)).toMatchObject({
      clients: [{ changed: false, hook: { changed: false } }],
    });
    expect(read()).toBe(once);
    const checked = await runCli(at, ["doctor", "--no-connect"]);
    expect(checked.stdout).toContain("asks the policy before calls of 'workbench'");

    expect((await runCli(at, ["uninstall", "claude-code"])).code).toBe(0);
    expect(read()).toBe(SETTINGS);
    expect(readFileSync(join(at.home, ".claude.json"), "utf8")).toBe(ENTRIES);
  });

  it("is undone step by step, and removed from a file that was edited since", async () => {
    await runCli(at, [...INSTALL, "--name", "my.tools"]);
    expect(hooks()[0]?.matcher).toContain("mcp__my_tools__use_tool");
    expect((await runCli(at, ["undo"])).stderr).toContain("install claude-code --approvals");
    expect(existsSync(settings)).toBe(false);
    expect((await runCli(at, ["undo"])).code).toBe(0);
    expect(readFileSync(join(at.home, ".claude.json"), "utf8")).toBe(ENTRIES);

    writeFileSync(settings, SETTINGS);
    await runCli(at, INSTALL);
    writeFileSync(settings, `${read()}\n`);
    rmSync(ownConfig(at));
    const checked = await runCli(at, ["doctor", "--no-connect"]);
    expect(checked.stdout).toMatch(/its hook names \S+, which does not exist/);
    expect((await runCli(at, ["uninstall", "--all"])).code).toBe(0);
    expect(read()).not.toContain("decide");
    expect(JSON.parse(read())).toEqual(JSON.parse(SETTINGS));
  });

  it("is refused where no hook can ask, before anything is changed", async () => {
    mkdirSync(join(at.home, ".cursor"));
    const cursor = await runCli(at, ["install", "cursor", "--approvals"]);
    expect(cursor.stderr).toContain("--approvals is for Claude Code");
    expect(existsSync(join(at.home, ".cursor/mcp.json"))).toBe(false);
    const url = await runCli(at, [...INSTALL, "--url", "http://127.0.0.1:7333/mcp"]);
    expect(url.stderr).toContain("--approvals and --url cannot be combined");
    expect([cursor.code, url.code]).toEqual([2, 2]);
    expect(existsSync(settings)).toBe(false);
  });
});
