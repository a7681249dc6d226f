/**
 * Short names, failed starts and what the workbench remembers. In the full suite because each case runs
 * the program several times; `use.test.ts` has each command.
 */
import { beforeEach, describe, expect, it } from "vitest";

import { type CliPlace, runCli, runJson } from "../support/cli.ts";
import { perTest } from "../support/disposables.ts";
import { Witness, fixture, toolbox } from "../support/servers.ts";
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
