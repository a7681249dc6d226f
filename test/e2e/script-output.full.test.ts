/**
 * What clients get of long output, and of references, if they have `run_script` and if they do not. In the full
 * suite because it starts a program for each kind of client; unit tests of src/workbench/result-limits.ts have
 * the same cases.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { callTool, textOf, toolErrorOf, useTool, useToolParams } from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import { startHttpWorkbench } from "../support/http-workbench.ts";
import { type Config, dev, fixture } from "../support/servers.ts";
import { prepareWorkbench, runCommand, startIn, temporaryFolder } from "../support/workbench.ts";

const cleanup = perTest();
const LONG = `export const description = "Returns many rows.";
export const run = () => Array.from({ length: 5000 }, (_, id) => ({ id, name: "row " + id }));
`;
const NOT_KEPT =
  /truncated: the first 20000 of \d+ characters \(setting scripts\.outputChars\)\. The rest is not kept\./;

function config(): Config {
  const folder = temporaryFolder(cleanup);
  writeFileSync(join(folder, "long.ts"), LONG);
  return dev({ fx: fixture(), saved: { scripts: folder } });
}

describe("the output of a saved script that is too long", () => {
  it("is stored for an agent, complete for a script, and cut for the command line", async () => {
    const place = prepareWorkbench(cleanup, config());
    const { client, stop } = await startIn(cleanup, place);
    const given = textOf(await useTool(client, "dev/saved/long", {}));
    expect(given).toContain("All of it is stored: another script can read results.r1");
    const script = 'return [results.r1.length, (await call("dev/saved/long")).length]';
    expect(textOf(await callTool(client, "run_script", { script }))).toBe("[5000,5000]");
    await stop();
    const { stdout } = runCommand(place, "call", "dev/saved/long");
    expect(stdout).toMatch(NOT_KEPT);
    expect(stdout).not.toContain("results.r");
  });

  it("is cut for clients over HTTP without scripts, and in the view of one server", async () => {
    const workbench = await startHttpWorkbench(cleanup, config());
    const all = workbench.client();
    await all.initialize();
    const one = workbench.client("/mcp/dev/saved");
    await one.initialize();
    const answers = [
      await all.ask("tools/call", useToolParams("dev/saved/long", {})),
      await one.ask("tools/call", { name: "long", arguments: {} }),
    ];
    for (const { result } of answers) {
      expect(JSON.stringify(result)).toMatch(NOT_KEPT);
      expect(JSON.stringify(result)).not.toContain("results.r");
    }
    // Without run_script, a reference is an argument like any other.
    const text = { $result: "r1" };
    const { result } = await all.ask("tools/call", useToolParams("dev/fx/echo", { text }));
    expect(JSON.stringify(result)).not.toContain("not found");
  });
});

describe("a reference to a result of an earlier conversation", () => {
  it("is refused, and nothing is sent", async () => {
    const { client } = await startIn(cleanup, prepareWorkbench(cleanup, config()));
    const answer = await useTool(client, "dev/fx/echo", { text: { $result: "r7" } });
    expect(toolErrorOf(answer)).toContain("Result 'r7' not found");
  });
});
