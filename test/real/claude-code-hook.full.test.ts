/**
 * The published Claude Code with the hook of `install --approvals`. In the full suite because it downloads
 * the client. Its model is replaced by an endpoint on this machine, which calls one tool.
 */
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, beforeAll, describe, expect, it } from "vitest";

import { type CliPlace, cliPlace, ownConfig, runCli } from "../support/cli.ts";
import { perTest } from "../support/disposables.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { Witness, dev, fixture, withOptions } from "../support/servers.ts";
import { INSTALL_ALL_MS, installAll, programOf } from "./install.ts";
import { type ToolResult, startModelEndpoint } from "./model-endpoint.ts";
import { CLAUDE_CODE } from "./packages.ts";

const disposables = perTest();
beforeAll(() => installAll([CLAUDE_CODE]), INSTALL_ALL_MS);

const POLICY = {
  rules: [
    { tools: ["fx/echo"], arguments: { text: ["prod*"] }, action: "deny", reason: "not there" },
    { tools: ["fx/echo"], arguments: { text: ["ask*"] }, action: "ask", reason: "it is risky" },
    { tools: ["fx/echo"], action: "allow" },
  ],
};
/** Nothing listens there, so a request to another machine fails at once. */
const NO_PROXY_SERVER = "http://127.0.0.1:9";

interface Session {
  readonly results: readonly ToolResult[];
  /** What the client printed about the whole run. */
  readonly report: { readonly permission_denials: readonly { readonly tool_name: string }[] };
}

/** Runs Claude Code without a terminal, in which its model calls a tool of the server `fx`. */
async function run(
  place: CliPlace,
  context: TestContext,
  name: string,
  args: object,
): Promise<Session> {
  const program = programOf(CLAUDE_CODE, context);
  const tool = { toolbox: "dev", server: "fx", name };
  const input = { tool, arguments: args };
  const { url, results } = await startModelEndpoint(disposables, "mcp__workbench__use_tool", input);
  const env = {
    ...place.env,
    PATH: [dirname(program), place.env["PATH"], "/usr/bin", "/bin"].join(":"),
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "not-a-key",
    DISABLE_AUTOUPDATER: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    HTTP_PROXY: NO_PROXY_SERVER,
    HTTPS_PROXY: NO_PROXY_SERVER,
    NO_PROXY: "127.0.0.1,localhost",
  };
  const options = { cwd: place.home, env, timeout: GENEROUS_MS, killSignal: "SIGKILL" as const };
  const output = await new Promise<string>((resolve) => {
    const words = ["-p", "Call the tool", "--output-format", "json"];
    const child = execFile(program, words, options, (_error, stdout, stderr) =>
      resolve(stdout || stderr),
    );
    child.stdin?.end();
  });
  return { results, report: JSON.parse(output) as Session["report"] };
}

describe("the published Claude Code with install --approvals", () => {
  it("asks the policy before it calls a tool, and follows its decision", async (context) => {
    const place = cliPlace(disposables);
    const file = join(place.home, "witness.jsonl");
    const witness = new Witness(file);
    const server = withOptions(fixture(), { env: { WITNESS: file } });
    writeFileSync(join(place.home, ".claude.json"), "{}");
    writeFileSync(ownConfig(place), JSON.stringify(dev({ fx: server }, { policy: POLICY })));
    const installed = await runCli(place, ["install", "claude-code", "--approvals", "--yes"]);
    expect(installed.code, installed.stderr).toBe(0);
    // The hook starts no server: it decides about tools that are known.
    expect((await runCli(place, ["list", "dev"])).code).toBe(0);
    const calls = (): number => witness.messages("tools/call").length;

    // Without a terminal, Claude Code calls no tool that was not allowed: the hook allows it.
    const allowed = await run(place, context, "echo", { text: "hello" });
    expect(allowed.results).toEqual([
      { isError: false, text: expect.stringContaining("hello") as string },
    ]);
    expect(calls()).toBe(1);

    // What no rule mentions is left to Claude Code, which refuses it.
    const unmentioned = await run(place, context, "sleep", { ms: 0 });
    expect(unmentioned.results).toMatchObject([{ isError: true }]);
    expect(unmentioned.results[0]?.text).not.toContain("policy");
    expect(unmentioned.report.permission_denials).toMatchObject([
      { tool_name: "mcp__workbench__use_tool" },
    ]);

    const denied = await run(place, context, "echo", { text: "prod-1" });
    expect(denied.results).toMatchObject([{ isError: true }]);
    expect(denied.results[0]?.text).toMatch(
      /Tool 'echo' of server 'fx' \(toolbox 'dev'\).*prod-1.*Denied by the policy: not there/,
    );

    // Its dialog needs a terminal, so the call is refused.
    const asked = await run(place, context, "echo", { text: "ask me" });
    expect(asked.results).toMatchObject([{ isError: true }]);
    expect(asked.report.permission_denials).toMatchObject([
      { tool_name: "mcp__workbench__use_tool" },
    ]);
    expect(calls()).toBe(1);
  });
});
