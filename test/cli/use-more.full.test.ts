/**
 * Short names, failed starts, signals, help and what the workbench remembers. In the full suite because each case runs
 * the program several times; `use.full.test.ts` has each command.
 */
import { existsSync } from "node:fs";
import { beforeEach, describe, expect, it } from "vitest";

import { type CliPlace, cliPlace, runCli, runJson } from "../support/cli.ts";
import { perTest } from "../support/disposables.ts";
import { MARKER_VARIABLE, processesOf, waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { MISSING_COMMAND, Witness, fixture, toolbox } from "../support/servers.ts";
import { type TwoToolboxes, twoToolboxes } from "./two-toolboxes.ts";

const disposables = perTest();
let place: CliPlace;
let witness: Witness;
let configure: TwoToolboxes["configure"];

beforeEach(() => {
  ({ place, witness, configure } = twoToolboxes(disposables));
});

describe("a server that cannot be started", () => {
  it("is reported with the folder that is missing, or the command", async () => {
    const gone = { ...fixture(), cwd: "/no/such/folder" };
    configure({ ops: toolbox({ gone }) });
    const { code, stderr } = await runCli(place, ["list", "ops"]);
    expect(code).toBe(4);
    expect(stderr).toContain("folder '/no/such/folder' not found (ENOENT)");
    const checked = await runCli(place, ["doctor"]);
    expect(checked.stdout).toContain('Create the folder, or correct "cwd"');
  });
});

describe("short names", () => {
  beforeEach(() => {
    const only = (name: string, tool: string): object => ({
      ...fixture("--name", name),
      toolFilters: [tool, "status"],
    });
    configure({
      dev: toolbox({ files: only("files", "echo"), notes: only("notes", "big") } as never),
      ops: toolbox({ notes: only("notes", "rich") } as never),
    });
  });

  it("are enough to call a tool that only one server has", async () => {
    const { code, stdout, stderr } = await runCli(place, ["call", "echo", "text=hi"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "hi\n" });
    expect(stderr).toBe("dev/files/echo\n");
    expect(await runCli(place, ["call", "files/echo", "text=hi"])).toMatchObject({ code: 0 });
    expect(await runCli(place, ["call", "dev/echo", "text=hi"])).toMatchObject({ code: 0 });
  });

  it("that several servers have are refused with the candidates", async () => {
    const { code, stderr } = await runCli(place, ["call", "status"]);
    expect(code).toBe(2);
    expect(stderr).toContain("There are 3 tools called 'status'");
    expect(stderr).toContain("dev/files/status, dev/notes/status, ops/notes/status");
    const server = await runCli(place, ["list", "notes"]);
    expect(server.stderr).toContain("Write one of these: dev/notes, ops/notes");
  });

  it("that no server has are refused with what was probably meant", async () => {
    const { code, stderr } = await runCli(place, ["call", "ecoh", "text=hi"]);
    expect(code).toBe(2);
    expect(stderr).toContain("No server has a tool called 'ecoh'");
    expect(stderr).toContain("Did you mean 'dev/files/echo'?");
    const path = await runCli(place, ["call", "dev/files", "text=hi"]);
    expect(path.stderr).toContain("Its tools: mcp-workbench list dev/files");
  });

  it("show a server or a known tool, and lead from a server to its toolbox", async () => {
    const server = await runCli(place, ["list", "files"]);
    expect(server.stdout).toContain("dev/files  2 tools");
    const tool = await runCli(place, ["list", "echo"]);
    expect(tool.stdout).toContain("mcp-workbench call dev/files/echo text=…");
    const unknown = await runCli(place, ["list", "nowhere"]);
    expect(unknown.stderr).toContain("Toolbox 'nowhere' not found");
    const opened = await runCli(place, ["open", "files"]);
    expect(opened.stderr).toContain("'files' is a server in toolbox 'dev': mcp-workbench open dev");
  });
});

describe("the commands that show what the workbench knows", () => {
  it("include tokens, which compares the workbench with direct connections", async () => {
    const json = await runJson(place, ["tokens"]);
    expect(json).toMatchObject({ exit: 0, toolboxes: [{ name: "dev" }, { name: "ops" }] });
    expect(json["start"]).toBeLessThan(json["direct"] as number);
    const { stdout } = await runCli(place, ["tokens"]);
    expect(stdout).toContain("Not counted, because the connection failed: ops/broken.");
  });

  it("include refresh, which connects to every server and says what changed", async () => {
    const first = await runJson(place, ["refresh"]);
    expect(first["exit"]).toBe(4);
    expect(first["servers"]).toContainEqual(
      expect.objectContaining({ toolbox: "dev", server: "files", tools: 36, changed: true }),
    );
    const { code, stdout } = await runCli(place, ["refresh"]);
    expect(code).toBe(4);
    expect(stdout).toContain("✓ dev/files: 36 tools\n");
    expect(stdout).toMatch(/✗ ops\/broken: .*not found/);
  });

  it("include search, which does not start a server that is already known", async () => {
    await runCli(place, ["refresh"]);
    const before = witness.starts;
    const { stdout } = await runCli(place, ["search", "echo", "--toolbox", "dev"]);
    expect(stdout).toContain("dev/files/echo");
    expect(witness.starts).toBe(before);
  });

  it("include status, which says so when no workbench is running", async () => {
    expect(await runCli(place, ["status", "--json"])).toMatchObject({ code: 0, stdout: "[]\n" });
    expect((await runCli(place, ["status"])).stdout).toContain("No workbench is running.");
  });
});

describe("mcp-workbench list and call", () => {
  it.each([
    [["list", "prod"], 2, "Toolbox 'prod' not found"],
    [["list", "dev/fils"], 2, "Server 'fils' not found in toolbox 'dev'\nDid you mean 'files'?"],
    [["list", "dev/files/ecco"], 2, "Did you mean 'echo'?"],
    [["list", "ops"], 4, "command 'no-such-program-anywhere' not found"],
    [
      ["list", "--", "no-such-program-anywhere"],
      4,
      "command 'no-such-program-anywhere' not found (ENOENT)",
    ],
    [["list", "--config", "nowhere.json"], 3, "which does not exist"],
    [["lst"], 2, "Did you mean 'list'?"],
    [["list", "--cofnig", "x"], 2, "Did you mean '--config'?"],
  ])("explains the mistake in %j and ends with exit code %i", async (args, exit, message) => {
    const { code, stdout, stderr } = await runCli(place, args);
    expect({ code, stdout }).toEqual({ code: exit, stdout: "" });
    expect(stderr).toContain(message);
  });

  it.each([
    [
      ["dev/files/echo"],
      2,
      "Invalid parameters: text: Required (string)\nSee mcp-workbench list dev/files/echo",
    ],
    [["dev/files/echo", "txt=x"], 2, "txt: Unknown argument. Did you mean 'text'?"],
    [["dev/files/sleep", "ms=soon"], 2, "ms: Expected integer, got 'soon'"],
    [["dev/files/echo", "--args", "[1]"], 2, "--args takes a JSON object: it is not an object"],
    [["dev/files/echo", "--args", "{"], 2, "--args takes a JSON object"],
    [["dev/files"], 2, "Write the tool as toolbox/server/tool"],
    [["dev/files/nothing"], 2, "Tool 'nothing' not found in server 'files' (toolbox 'dev')"],
    [["ops/broken/x"], 4, "Failed to connect to server 'broken' in toolbox 'ops'"],
    [["dev/files/tool_error"], 6, "The tool reports an error:\nthe tool went wrong"],
    [["dev/files/fail", "code=-32099"], 6, "refused the call: failed as asked (code -32099)"],
    [
      ["dev/files/crash"],
      4,
      "Lost connection to server 'files' in toolbox 'dev' during tool 'crash'",
    ],
  ])("explains why %j fails and ends with exit code %i", async (args, exit, message) => {
    const { code, stdout, stderr } = await runCli(place, ["call", ...args]);
    expect({ code, stdout }).toEqual({ code: exit, stdout: "" });
    expect(stderr).toContain(message);
  });
});

describe("mcp-workbench call", () => {
  it.each(["SIGINT", "SIGTERM"] as const)(
    "cancels the call on %s and notifies the server",
    async (signal) => {
      const { code, stderr } = await runCli(place, ["call", "dev/files/sleep", "ms=60000"], {
        running: (child) =>
          void waitFor(() => witness.callsOf("sleep").length, GENEROUS_MS, "the call").then(() =>
            child.kill(signal),
          ),
      });
      expect(code).toBe(130);
      expect(stderr).toBe("Stopping…\n");
      expect(witness.messages("notifications/cancelled").length).toBe(1);
    },
  );

  it("leaves no process behind, even when it is interrupted twice", async () => {
    const marker = `cli-${process.pid}`;
    const hasRecorded = (event: string): boolean =>
      witness.rows().some((row) => row.event === event);
    const stubborn = fixture("--ignore-eof", "--ignore-term");
    const env = { [MARKER_VARIABLE]: marker, WITNESS: witness.file };
    configure({ dev: toolbox({ files: { ...stubborn, env } }) });
    await runCli(place, ["call", "dev/files/sleep", "ms=60000"], {
      running: (child) =>
        void waitFor(() => witness.callsOf("sleep").length, GENEROUS_MS, "the call")
          .then(() => child.kill("SIGINT"))
          .then(() =>
            waitFor(() => hasRecorded("eof"), GENEROUS_MS, "the end of the server to begin"),
          )
          .then(() => child.kill("SIGINT")),
    });
    await waitFor(() => processesOf(marker).length === 0, GENEROUS_MS, "the server to end");
    expect(processesOf(marker)).toEqual([]);
  });

  it("calls a tool of a server that is in no configuration", async () => {
    const { command, args = [] } = fixture();
    const run = await runCli(cliPlace(disposables), [
      "call",
      "echo",
      "text=hi",
      "--",
      command,
      ...args,
    ]);
    expect(run).toMatchObject({ code: 0, stdout: "hi\n" });
    const none = await runCli(place, ["call", "text=hi", "--", command, ...args]);
    expect(none.stderr).toContain("Name the tool to call");
    const lacking = await runCli(place, ["call", "echo", "--", command, ...args]);
    expect(lacking.stderr).toContain(`See mcp-workbench list echo -- ${command}`);
    const unknown = await runCli(place, ["call", "ecco", "--", command, ...args]);
    expect(unknown.stderr).toContain("Tool 'ecco' not found in server 'tools-server'\n");
  });
});

describe("mcp-workbench search and open", () => {
  it("needs words, and mentions servers that failed in one line", async () => {
    expect(await runCli(place, ["search", ""])).toMatchObject({ code: 2 });
    const [a, b, c, d] = [MISSING_COMMAND, MISSING_COMMAND, MISSING_COMMAND, MISSING_COMMAND];
    configure({ dev: toolbox({ files: fixture() }), ops: toolbox({ a, b, c, d } as never) });
    const { code, stderr } = await runCli(place, ["search", "echo"]);
    expect(code).toBe(0);
    expect(stderr).toBe(
      "! 4 servers could not be searched: ops/a, ops/b, ops/c and 1 more. See why: mcp-workbench doctor\n",
    );
  });

  it("name the nearest toolboxes when no tool matches", async () => {
    const { code, stdout, stderr } = await runCli(place, ["search", "zzzz", "--toolbox", "dev"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(stderr).toContain("No tool matches. Closest toolboxes: dev, ops");
  });

  it("open a toolbox as an agent would", async () => {
    const json = await runJson(place, ["open", "dev"]);
    expect(json).toMatchObject({
      toolbox: "dev",
      servers_connected: 1,
      instructions: { files: "How to use files." },
    });
    const { stdout, stderr } = await runCli(place, ["open", "dev"]);
    expect(stdout).toContain("  How to use files.\n  echo(text: string)");
    expect(stderr).toMatch(/Opening it costs an agent about [\d,]+ tokens\./);
    const names = await runCli(place, ["open", "dev", "--detail", "names"]);
    expect(names.stdout).toContain("\n  echo\n");
    expect((await runCli(place, ["open", "ops"])).code).toBe(4);
  });
});

describe("the program mcp-workbench", () => {
  it("shows its version and help", async () => {
    expect((await runCli(place, ["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    for (const args of [["--help"], ["-h"], ["help"]]) {
      const { code, stdout } = await runCli(place, args);
      expect(code).toBe(0);
      expect(stdout).toContain("Start with: mcp-workbench init");
    }
    for (const args of [
      ["help", "call"],
      ["call", "--help"],
      ["call", "x", "-h"],
    ])
      expect((await runCli(place, args)).stdout).toContain(
        "Usage: mcp-workbench call [TOOLBOX/SERVER/]TOOL",
      );
    expect((await runCli(place, ["serve", "--help"])).stdout).toContain("mcp-workbench serve");
  });

  it("serves when it is started without a command and without a terminal", async () => {
    const { code, stdout } = await runCli(place, [], {
      input: `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })}\n`,
    });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
  });

  it("writes no colours to a pipe unless FORCE_COLOR is set", async () => {
    // oxlint-disable-next-line no-control-regex -- an escape is what this looks for
    const colour = /\u001b\[/;
    expect((await runCli(place, ["list"])).stdout).not.toMatch(colour);
    expect((await runCli(place, ["list"], { env: { FORCE_COLOR: "1" } })).stdout).toMatch(colour);
    const both = await runCli(place, ["list", "--no-color"], { env: { FORCE_COLOR: "1" } });
    expect(both.stdout).not.toMatch(colour);
  });

  it("shows a demonstration with the servers of the repository", async () => {
    const json = await runJson(place, ["demo"]);
    expect(json).toMatchObject({ exit: 0, toolboxes: [{ name: "workspace" }, { name: "lab" }] });
    const { without, with: reduced } = json["tokens"] as { without: number; with: number };
    expect(reduced * 5).toBeLessThan(without);
    expect(existsSync("/tmp/mcp-workbench-demo-memory.jsonl")).toBe(false);
  });
});
