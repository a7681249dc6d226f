/**
 * What typical mistakes cost an agent, and the table in `docs/discovery.md`. With `WORKBENCH_0_1_0`,
 * the path of that release's program, `release-0.1.0.json` is checked or, with `--update`, written.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { perTest } from "../support/disposables.ts";
import { searchAllServers } from "../support/search.ts";
import { type Config, toolbox } from "../support/servers.ts";
import { startWorkbench } from "../support/workbench.ts";
import { MISTAKES } from "./mistakes.ts";
import { pageWith } from "./page.ts";
import { type Run, runMistake } from "./scripted-agent.ts";

const SERVER = fileURLToPath(new URL("office-server.mjs", import.meta.url));
const office = (name: string) => ({ command: process.execPath, args: [SERVER, name] });
const CONFIG: Config = {
  toolboxes: {
    code: toolbox({ github: office("github"), jira: office("jira") }, "Source code and issues"),
    knowledge: toolbox({ notion: office("notion") }, "Pages and notes"),
  },
};

const EARLIER = new URL("release-0.1.0.json", import.meta.url);
const earlierProgram = process.env["WORKBENCH_0_1_0"];
const cleanup = perTest();

async function runAll(program?: string): Promise<Run[]> {
  const options = program === undefined ? {} : { program };
  const { client } = await startWorkbench(cleanup, CONFIG, options);
  // The agent has found the tool.
  expect(await searchAllServers(client, "create an issue", { limit: 1 })).toMatch(
    /^code\/github\/create_issue\(/,
  );
  const runs: Run[] = [];
  for (const mistake of MISTAKES) runs.push(await runMistake(client, mistake));
  return runs;
}

describe("an agent that makes a typical mistake", () => {
  it("succeeds with its second call", async () => {
    const runs = await runAll();
    expect(runs.map(({ calls }) => calls)).toEqual(MISTAKES.map(() => 2));
    const before = JSON.parse(readFileSync(EARLIER, "utf8")) as Run[];
    // `npm run mistakes` writes the table.
    await expect(pageWith(before, runs)).toMatchFileSnapshot("../../docs/discovery.md");
  });

  it.runIf(earlierProgram)("needed more in release 0.1.0", async () => {
    const runs = await runAll(earlierProgram);
    const rows = runs.map(({ calls, tokens }) => `  { "calls": ${calls}, "tokens": ${tokens} }`);
    const text = `[\n${rows.join(",\n")}\n]\n`;
    await expect(text).toMatchFileSnapshot(fileURLToPath(EARLIER));
  });
});
