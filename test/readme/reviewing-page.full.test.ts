/**
 * The commands of docs/reviewing-changes.md print what the page shows. In the full suite because each
 * page test starts several programs; docs.test.ts checks all pages in `npm test`.
 */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { changingServer } from "../support/changing-server.ts";
import { perTest } from "../support/disposables.ts";
import { APPROVED_NOTES, CHANGED_NOTES } from "../support/notes-server.ts";
import { dev } from "../support/servers.ts";
import { prepareWorkbench, runCommand } from "../support/workbench.ts";
import { blocksOf } from "./blocks.ts";

const cleanup = perTest();
const page = readFileSync(new URL("../../docs/reviewing-changes.md", import.meta.url), "utf8");
const runs = blocksOf(page)
  .filter(({ language }) => language === "console")
  .map(({ lines: [command = "", ...output] }) => ({
    args: command.replace("$ mcp-workbench ", "").split(" "),
    output: output.map((line) => `${line}\n`).join(""),
  }));

describe("docs/reviewing-changes.md", () => {
  it("shows what the commands print", () => {
    const server = changingServer(cleanup, APPROVED_NOTES);
    const place = prepareWorkbench(cleanup, dev({ notes: server.entry }));
    const [first, ...others] = runs;
    expect(runs.map(({ args: [name] }) => name)).toEqual(["lock", "diff", "trust"]);
    expect(runCommand(place, ...(first?.args ?? [])).stdout).toBe(first?.output);
    server.define(CHANGED_NOTES);
    for (const { args, output } of others) expect(runCommand(place, ...args).stdout).toBe(output);
  });
});
