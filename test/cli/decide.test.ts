/** `mcp-workbench decide`: what Claude Code gets from the hook before it calls `use_tool`. */
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type CliRun, cliPlace, ownConfig, runCli } from "../support/cli.ts";
import { perTest } from "../support/disposables.ts";
import { dev, fixture } from "../support/servers.ts";

const cleanup = perTest();
const SECRET = "hunter2-hunter2-hunter2";

describe("mcp-workbench decide --hook claude-code", () => {
  it("answers what the policy says, and nothing if it says nothing", async () => {
    const at = cliPlace(cleanup);
    const rules = [
      { tools: ["fx/echo"], arguments: { text: ["main"] }, action: "deny", reason: "not there" },
      { tools: ["fx/echo"], arguments: { text: ["ask*"] }, action: "ask", reason: "to be sure" },
      { tools: ["fx/echo"], arguments: { text: ["ok"] }, action: "allow" },
      { tools: ["fx/add"], action: "deny" },
    ];
    // Only a server that is started leaves this file.
    const marker = join(at.home, "started");
    const script = `import { writeFileSync } from "node:fs"; writeFileSync(process.env.MARKER, "")`;
    const { args = [] } = fixture();
    const fx = {
      command: process.execPath,
      args: ["--import", `data:text/javascript,${script}`, ...args],
      env: { MARKER: marker, SOME_TOKEN: SECRET },
    };
    const config = { ...dev({ fx }), policy: { rules } };
    writeFileSync(ownConfig(at), JSON.stringify(config));
    const decide = (args: object, name = "echo", tool = "use_tool"): Promise<CliRun> => {
      const tool_input = { tool: { toolbox: "dev", server: "fx", name }, arguments: args };
      const tool_name = `mcp__workbench__${tool}`;
      const input = JSON.stringify({ hook_event_name: "PreToolUse", tool_name, tool_input });
      return runCli(at, ["decide", "--hook", "claude-code"], { input });
    };
    const nothing = { code: 0, stdout: "", stderr: "" };
    // What the server offers is not known yet.
    expect(await decide({ text: "main" })).toMatchObject(nothing);
    expect((await runCli(at, ["refresh"])).code).toBe(0);
    expect(existsSync(marker)).toBe(true);
    rmSync(marker);

    const answer = async (...call: Parameters<typeof decide>): Promise<unknown> => {
      const { code, stdout, stderr } = await decide(...call);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      return JSON.parse(stdout) as unknown;
    };
    const expected = (permissionDecision: string, reason: string): object => ({
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision,
        permissionDecisionReason: `Tool 'echo' of server 'fx' (toolbox 'dev')\n${reason}`,
      },
    });
    expect(await answer({ text: "main" })).toEqual(
      expected("deny", "text: main\nDenied by the policy: not there"),
    );
    const asked = { text: `ask\u001b ${SECRET}`, password: "x" };
    expect(await answer(asked)).toEqual(
      expected(
        "ask",
        "text: ask\\u{1b} [redacted]\npassword: (hidden)\nWhy you are asked: to be sure",
      ),
    );
    expect(await answer({ text: "ok" })).toMatchObject(
      expected(
        "allow",
        "text: ok\nAllowed by the policy: see policy.rules[2] in the configuration",
      ),
    );
    expect(await answer({ text: "ok" }, "echo", "read_tool")).toMatchObject({
      hookSpecificOutput: { permissionDecision: "deny" },
    });
    // No rule, a hidden tool, an unknown tool, another meta-tool.
    expect(await decide({ text: "other" })).toMatchObject(nothing);
    expect(await decide({}, "add")).toMatchObject(nothing);
    expect(await decide({}, "no_such_tool")).toMatchObject(nothing);
    expect(await decide({}, "echo", "open_toolbox")).toMatchObject(nothing);
    expect(existsSync(marker)).toBe(false);

    writeFileSync(ownConfig(at), "{");
    expect(await decide({ text: "main" })).toMatchObject(nothing);
    const wrong = await runCli(at, ["decide", "--hook", "other"], { input: "" });
    expect(wrong.stderr).toContain("--hook requires the name of a client");
  });
});
