/**
 * Output in narrow and wide terminals: nothing is cut off, and progress is never mixed with it. Every
 * command runs once for each width, which takes too long for `npm test`.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";

import {
  CTRL_C,
  type CliPlace,
  HAS_TERMINAL,
  type Turn,
  cliPlace,
  ownConfig,
  runTerminal,
  shownLines,
} from "../support/cli.ts";
import { perTest } from "../support/disposables.ts";
import { MARKER_VARIABLE, processesOf, waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { MISSING_COMMAND, fixture, toolbox } from "../support/servers.ts";

const disposables = perTest();
let place: CliPlace;

beforeEach(() => {
  place = cliPlace(disposables);
  const toolboxes = {
    dev: toolbox(
      { files: fixture("--name", "files"), notes: fixture("--name", "notes") },
      "Files and notes of the team, described in a sentence that is longer than one line",
    ),
    ops: toolbox({ broken: MISSING_COMMAND }),
  };
  writeFileSync(ownConfig(place), JSON.stringify({ toolboxes }));
});

/** The lines that are too long although they could be broken at a space. */
function cutLines(lines: readonly string[], columns: number): string[] {
  return lines.filter((line) => {
    const isTooLong = line.length > columns;
    return isTooLong && line.trim().replace(/^\S /, "").includes(" ");
  });
}

describe.skipIf(!HAS_TERMINAL)("text in a terminal", () => {
  it.each([
    ["list", 60],
    ["list dev/files", 60],
    ["list dev/files", 110],
    ["list dev/files/sleep", 60],
    ["search answers with an error", 60],
    ["doctor", 60],
    ["doctor", 110],
    ["tokens", 60],
    ["tokens", 30],
    ["call dev/files/echo nope=1 other=2 third=3", 60],
    ["nonsense --with many words", 60],
    ["help", 60],
    ["help serve", 60],
  ])("of %s wraps at words in %i columns", async (line, columns) => {
    const run = await runTerminal(place, line.split(" "), [], { columns });
    expect(cutLines(shownLines(run), columns)).toEqual([]);
    expect(shownLines(run).filter((text) => text !== "").length).toBeGreaterThan(1);
  });
});

describe.skipIf(!HAS_TERMINAL).each([60, 110])("in a terminal of %i columns", (columns) => {
  it("refresh keeps progress and results apart, and counts both", async () => {
    const run = await runTerminal(place, ["refresh"], [], { columns });
    const lines = shownLines(run).map((line) => line.trimEnd());
    expect(lines.filter((line) => /refreshing/.test(line))).toEqual([]);
    expect(lines).toContain("✓ dev/files: 36 tools, changed");
    expect(lines).toContain("2 servers, 72 tools. 1 server failed.");
    expect(run.screen).toMatch(/\d\/3 refreshing /);
    expect(run.code).toBe(4);
  });
});

describe.skipIf(!HAS_TERMINAL)("Ctrl-C in a terminal", () => {
  /** A server that ignores everything, and one that works. */
  const configureHanging = (): void => {
    const env = { [MARKER_VARIABLE]: place.home };
    const code = 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000);';
    const hanging = { command: process.execPath, args: ["-e", code], env };
    const toolboxes = { dev: toolbox({ hanging, files: { ...fixture(), env } }) };
    writeFileSync(ownConfig(place), JSON.stringify({ toolboxes }));
  };

  it.each([
    ["doctor", /connecting .*dev\/hanging/],
    ["refresh", /refreshing .*dev\/hanging/],
    // Once it has found something, it ends soon.
    ["search echo", /connecting to new servers \([01] of 2/],
    ["list dev", /connecting .*dev\/hanging/],
    ["call dev/hanging/x", /connecting dev\/hanging/],
    ["call dev/hanging/x --args -", /connecting dev\/hanging/],
  ])("stops %s without reporting failures, and ends the servers", async (line, running) => {
    configureHanging();
    const run = await runTerminal(place, line.split(" "), [[running, CTRL_C]]);
    expect(run.code).toBe(130);
    const lines = shownLines(run).filter((text) => text !== "");
    expect(lines.at(-1)).toBe("Stopping…");
    expect(lines.filter((text) => /✗|fail|closed|Interrupted|connecting/i.test(text))).toEqual([]);
    await waitFor(() => processesOf(place.home).length === 0, GENEROUS_MS, "the servers to end");
  });

  it("stops init after the configuration is written, and says how to go on", async () => {
    mkdirSync(join(place.home, ".cursor"));
    const mcpServers = JSON.stringify({ mcpServers: { one: { command: "node" } } });
    writeFileSync(join(place.home, ".cursor/mcp.json"), mcpServers);
    const run = await runTerminal(
      place,
      ["init", "--no-connect", "--config", "new.json"],
      [
        ["Change something first?", "\n"],
        ["new.json? [Y/n]", "\n"],
        ["Clients:", CTRL_C],
      ],
    );
    expect(run.code).toBe(130);
    const [, end = ""] = run.screen.split("Stopping…");
    expect(end).toContain("    mcp-workbench --config new.json install --replace\n");
    expect(end).toContain("    mcp-workbench undo\n");
    expect(readFileSync(join(place.home, ".cursor/mcp.json"), "utf8")).toBe(mcpServers);
  });

  it("stops init while it tries the servers, and nothing is written", async () => {
    const code = 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000);';
    const env = { [MARKER_VARIABLE]: place.home };
    const mcpServers = { hanging: { command: process.execPath, args: ["-e", code], env } };
    mkdirSync(join(place.home, ".cursor"));
    writeFileSync(join(place.home, ".cursor/mcp.json"), JSON.stringify({ mcpServers }));
    const args = ["init", "--config", "new.json"];
    const run = await runTerminal(place, args, [
      ["Change something first?", "\n"],
      [/connecting \S*hanging/, CTRL_C],
    ]);
    expect(run.code).toBe(130);
    const lines = shownLines(run).filter((line) => line !== "");
    expect(lines.at(-1)).toBe("Stopping…");
    expect(lines.filter((line) => line.includes("✗"))).toEqual([]);
    expect(existsSync(join(place.home, "new.json"))).toBe(false);
    await waitFor(() => processesOf(place.home).length === 0, GENEROUS_MS, "the servers to end");
  });

  it("ends status --watch and logs --follow without an error", async () => {
    for (const args of [
      ["status", "--watch"],
      ["logs", "--follow"],
    ]) {
      const run = await runTerminal(place, args, [["No workbench is running", CTRL_C]]);
      expect(run.code).toBe(0);
      expect(run.screen).not.toContain("Stopping");
    }
  });
});

describe.skipIf(!HAS_TERMINAL)("serve in a terminal", () => {
  it("explains what it waits for, until Ctrl-C", async () => {
    const end: Turn = ["Press Ctrl-C to stop.", CTRL_C];
    const run = await runTerminal(place, ["serve"], [end], { columns: 60 });
    expect(cutLines(shownLines(run), 60)).toEqual([]);
    expect(run.screen).toContain("Waiting for an MCP client on standard input");
    expect(run.screen).toContain("mcp-workbench serve --http 7333");
    expect(run.screen).toContain("mcp-workbench install");
  });

  it("wraps its errors", async () => {
    const run = await runTerminal(
      place,
      ["serve", "--toolbox", "dev", "--server", "dev/files"],
      [],
      { columns: 60 },
    );
    expect(run.code).toBe(2);
    expect(cutLines(shownLines(run), 60)).toEqual([]);
  });
});
