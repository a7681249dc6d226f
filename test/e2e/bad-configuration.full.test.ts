/**
 * Starting with a configuration that cannot be used. In the full suite because each case starts a program;
 * `npm test` has `src/config` and the mistakes of test/mistakes.
 */
import { describe, expect, it } from "vitest";
import { failureOf, openToolbox, textOf, useTool } from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import type { RawClient } from "../support/raw-client.ts";
import { runProgram } from "../support/run-program.ts";
import { dev, fixture, withOptions } from "../support/servers.ts";
import { prepareWorkbench, startWorkbench } from "../support/workbench.ts";

async function stillWorks(client: RawClient): Promise<void> {
  expect(textOf(await useTool(client, "dev/fx/echo", { text: "still fine" }))).toBe("still fine");
}

describe("a configuration that cannot be used", () => {
  const cleanup = perTest();
  const EXIT_CONFIG = 3;

  function serve(config: string, args?: readonly string[]) {
    const place = prepareWorkbench(cleanup, config, args === undefined ? {} : { args });
    const run = runProgram(place.command, place.args, {
      cwd: place.home,
      env: place.env,
      input: "",
    });
    return { ...run, file: place.configFile };
  }

  it.each<[string, string, RegExp[]]>([
    ["a syntax error", '{\n  "toolboxes": {\n    "dev": oops\n  }\n}', [/3:12/]],
    ["an empty file", "", []],
    ["a list", "[]", []],
    ["no toolboxes", "{}", [/toolboxes/]],
    [
      "a misspelt key",
      '{ "toolboxes": { "dev": { "description": "x", "mcpServer": {} } } }',
      [/mcpServer/, /mcpServers/],
    ],
    [
      "a dangerous name",
      '{ "toolboxes": { "a__b": { "description": "x", "mcpServers": {} } } }',
      [/a__b/],
    ],
    [
      "several faults at once",
      '{\n "toolMode": "magic",\n "toolboxes": { "dev": { "description": 5, "mcpServers": { "fs": { "args": "x", "command": "node" } } } } }',
      [/toolMode/, /description/, /args/],
    ],
  ])("is refused with the place of each fault: %s", (_what, config, faults) => {
    const { status, stdout, stderr, file } = serve(config);
    expect(status).toBe(EXIT_CONFIG);
    expect(stdout).toBe("");
    expect(stderr).toContain(file);
    for (const fault of faults) expect(stderr).toMatch(fault);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  it("is refused when it does not exist, with the places that were searched", () => {
    const named = serve("{}", ["serve", "--config", "/nowhere/at-all.json"]);
    expect(named.status).toBe(EXIT_CONFIG);
    expect(named.stderr).toContain("/nowhere/at-all.json");
    const searched = serve("{}", ["serve"]);
    expect(searched.status).toBe(EXIT_CONFIG);
    expect(searched.stderr).toContain("workbench-config.json");
    expect(named.stdout + searched.stdout).toBe("");
  });

  it("stops only the server whose variable is missing", async () => {
    const needy = withOptions(fixture(), { env: { TOKEN: "${NO_SUCH_VARIABLE}" } });
    const workbench = await startWorkbench(cleanup, dev({ fx: fixture(), needy }));
    const opened = await openToolbox(workbench.client, "dev");
    expect(opened.servers_failed).toEqual([
      { server: "needy", reason: expect.stringContaining("NO_SUCH_VARIABLE") },
    ]);
    expect(failureOf(await useTool(workbench.client, "dev/needy/echo", {}))).toMatch(
      /^Failed to connect to server 'needy' in toolbox 'dev': .*NO_SUCH_VARIABLE/,
    );
    await stillWorks(workbench.client);
  });
});
