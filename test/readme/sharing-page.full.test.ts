/**
 * Runs the commands of docs/sharing.md, as they are written there, against a running workbench. In the
 * full suite because each page test starts several programs; docs.test.ts checks all pages in `npm
 * test`.
 */
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";

import { useToolParams } from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import { HttpClient } from "../support/http-client.ts";
import { startHttpWorkbench } from "../support/http-workbench.ts";
import { fixture, toolbox } from "../support/servers.ts";
import { PROGRAM } from "../support/workbench.ts";
import { blocksOf } from "./blocks.ts";

const PAGE = readFileSync(new URL("../../docs/sharing.md", import.meta.url), "utf8");
const disposables = perTest();

it("docs/sharing.md: tokens with limits, from the first use to the last", async () => {
  const workbench = await startHttpWorkbench(disposables, {
    toolboxes: {
      dev: toolbox({ github: fixture(), shell: fixture() }),
      docs: toolbox({ search: fixture() }),
    },
  });
  const bin = join(workbench.dir, "bin");
  mkdirSync(bin);
  symlinkSync(PROGRAM, join(bin, "mcp-workbench"));
  const env = {
    ...workbench.env,
    PATH: `${bin}:${dirname(process.execPath)}:/usr/bin:/bin`,
    XDG_CONFIG_HOME: join(workbench.dir, "config"),
  };
  const config = join(env.XDG_CONFIG_HOME, "mcp-workbench");
  mkdirSync(config, { recursive: true });
  symlinkSync(workbench.configFile, join(config, "workbench-config.json"));
  const run = (line: string): Promise<{ code: number | null; stdout: string }> =>
    new Promise((resolve) => {
      const child = spawn("/bin/sh", ["-c", line], { cwd: workbench.home, env });
      let stdout = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
      child.on("close", (code) => resolve({ code, stdout }));
    });
  const tokenFrom = async (line: string): Promise<string> => {
    const { code, stdout } = await run(line);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^mwb_\S+\n$/);
    return stdout.trim();
  };
  const client = async (token: string): Promise<HttpClient> => {
    const created = new HttpClient(`${workbench.url}/mcp`, token);
    expect((await created.initialize()).status).toBe(200);
    return created;
  };
  const works = async (by: HttpClient, tool: string): Promise<boolean> => {
    const { result } = await by.ask("tools/call", useToolParams(tool, { text: "x" }));
    return (result as { isError?: boolean }).isError !== true;
  };
  const lines = blocksOf(PAGE)
    .filter(({ language }) => language === "sh")
    .flatMap((block) => block.lines);
  const [ci = "", alice = "", list = "", script = "", install = "", ...more] = lines;
  const [reports = "", rotate = "", revoke = ""] = more;
  expect(lines).toHaveLength(8);

  const ofCi = await client(await tokenFrom(ci));
  const ofAlice = await client(await tokenFrom(alice));
  expect([await works(ofCi, "dev/shell/echo"), await works(ofCi, "docs/search/echo")]).toEqual([
    true,
    false,
  ]);
  expect([await works(ofAlice, "dev/github/echo"), await works(ofAlice, "dev/shell/echo")]).toEqual(
    [true, false],
  );
  const { stdout: listed } = await run(list);
  expect(listed).toMatch(
    /^ci +expires .* dev\nalice +does not expire .* dev\/github, docs\/search\n$/,
  );

  const ofAgent = await client(await tokenFrom(`${script}; echo "$TOKEN"`));
  expect(await works(ofAgent, "docs/search/echo")).toBe(true);
  // Nothing is known about the tools of these servers.
  const ofReports = await client(await tokenFrom(reports));
  expect(await works(ofReports, "dev/shell/echo")).toBe(false);
  expect(install).toMatch(/^mcp-workbench install claude-code --url /);

  await client(await tokenFrom(rotate));
  expect((await ofCi.request("ping").done()).status).toBe(401);
  expect((await run(revoke)).code).toBe(0);
  expect((await ofAlice.request("ping").done()).status).toBe(401);
  expect(await works(ofAgent, "docs/search/echo")).toBe(true);
});
