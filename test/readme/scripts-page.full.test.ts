/**
 * What docs/scripts.md shows is what scripts do. In the full suite because each page test starts
 * several programs; docs.test.ts checks all pages in `npm test`.
 */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { callTool, resultOf, textOf, useTool } from "../support/calls.ts";
import { runCli } from "../support/cli.ts";
import { perBlock } from "../support/disposables.ts";
import { searchAllServers } from "../support/search.ts";
import { publicServer, toolbox } from "../support/servers.ts";
import { type RunningWorkbench, startWorkbench, temporaryFolder } from "../support/workbench.ts";
import { type Block, blocksOf, difference, readable, shownIn } from "./blocks.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const blocks = blocksOf(readFileSync(join(ROOT, "docs/scripts.md"), "utf8"));
const textIn = ({ lines }: Block): string => lines.join("\n");
/** The block that follows each block of a language. */
const pairs = (language: string): readonly (readonly [Block, Block])[] =>
  blocks.flatMap((block, i) => {
    const next = blocks[i + 1];
    return block.language === language && next ? [[block, next] as const] : [];
  });

describe("docs/scripts.md", () => {
  const shared = perBlock();
  let running: RunningWorkbench;
  beforeAll(async () => {
    const folder = temporaryFolder(shared);
    const files = join(folder, "files");
    const scripts = join(folder, "scripts");
    cpSync(join(ROOT, "examples/demo/files"), files, { recursive: true });
    mkdirSync(scripts);
    const [saved] = blocks.filter(({ language }) => language === "ts");
    writeFileSync(join(scripts, "find-harbours.ts"), saved ? textIn(saved) : "");
    const servers = { filesystem: publicServer("filesystem", files), scripts: { scripts } };
    running = await startWorkbench(shared, {
      countTokens: true,
      toolboxes: { workspace: toolbox(servers) },
    });
  });

  it("shows scripts with their results", async () => {
    const scripts = pairs("js");
    expect(scripts).toHaveLength(3);
    for (const [script, shown] of scripts) {
      const response = await callTool(running.client, "run_script", { script: textIn(script) });
      const { content } = resultOf(response);
      const printed = content.map(({ text = "" }) => text).join("\n");
      expect(difference(shown.lines, readable(printed)), printed).toBeUndefined();
    }
  });

  it("shows a line of search_tools", async () => {
    const [shown] = blocks.filter(({ language }) => language === "text");
    const found = await searchAllServers(running.client, "read_text_file", { limit: 1 });
    expect(difference(shown?.lines ?? [], [found])).toBeUndefined();
  });

  it("shows a saved script that works", async () => {
    const path = "workspace/scripts/find-harbours";
    expect(textOf(await useTool(running.client, path, { above: 10 }))).toBe(
      '["Hafnarfjord","Portree"]',
    );
  });

  it("shows commands with their output", async () => {
    await running.stop();
    const consoles = blocks.filter(({ language }) => language === "console").flatMap(shownIn);
    expect(consoles).toHaveLength(2);
    for (const { command, output } of consoles) {
      const words = command.split(/\s+/).slice(1);
      const { code, stdout, stderr } = await runCli({ ...running, cwd: ROOT }, words, {
        columns: 100,
      });
      expect(code, stderr).toBe(0);
      expect(difference(output, readable(stdout)), stdout).toBeUndefined();
    }
  });
});
