/**
 * The commands that use servers, without a terminal: what scripts rely on. More is in use-
 * more.full.test.ts. In the full suite because each case starts the program with its servers.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";

import { type CliPlace, cliPlace, ownConfig, runCli, runJson } from "../support/cli.ts";
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

describe("mcp-workbench list", () => {
  it("shows the configuration without starting anything", async () => {
    const { code, stdout, stderr } = await runCli(place, ["list"]);
    expect(code).toBe(0);
    expect(stdout).toContain("dev  For tests\n  files  ");
    expect(stderr).toContain("mcp-workbench list dev");
    expect(witness.starts).toBe(0);
    expect(await runJson(place, ["list"])).toEqual({
      exit: 0,
      config: ownConfig(place),
      toolboxes: [
        {
          name: "dev",
          description: "For tests",
          servers: [{ name: "files", transport: "stdio", disabled: false }],
        },
        {
          name: "ops",
          description: "Tools for tests",
          servers: [{ name: "broken", transport: "stdio", disabled: false }],
        },
      ],
    });
  });

  it("shows the tools of a toolbox, of a server, and how to call one", async () => {
    const box = await runCli(place, ["list", "dev"]);
    expect(box.stdout).toContain(
      "dev/files  36 tools\n  echo(text: string) — Returns the given text",
    );
    const tool = await runCli(place, ["list", "dev/files/echo"]);
    expect(tool.stdout).toContain("Arguments\n  text  string  required");
    expect(tool.stdout).toContain("mcp-workbench call dev/files/echo text=…");
    const json = await runJson(place, ["list", "dev/files/a/b"]);
    expect(json).toMatchObject({ exit: 0, name: "a/b", toolbox: "dev", server: "files" });
  });

  it("lists the tools of a server that is in no configuration", async () => {
    const { command, args = [] } = fixture("--name", "other");
    const elsewhere = cliPlace(disposables);
    const { code, stdout } = await runCli(elsewhere, ["list", "--", command, ...args]);
    expect(code).toBe(0);
    expect(stdout).toContain("tools-server  36 tools");
    const tool = await runCli(elsewhere, ["list", "echo", "--", command, ...args]);
    expect(tool.stdout).toContain(`mcp-workbench call echo text=… -- ${command}`);
  });

  it("explains a mistake and ends with exit code 2", async () => {
    const { code, stdout, stderr } = await runCli(place, ["list", "dev/files/ecco"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("Did you mean 'echo'?");
  });

  it("reports an error as one JSON document with --json", async () => {
    expect(await runJson(place, ["list", "dev/fils"])).toEqual({
      exit: 2,
      error: {
        code: "SERVER_NOT_FOUND",
        message: "Server 'fils' not found in toolbox 'dev'",
        hint: "Did you mean 'files'?",
      },
    });
  });
});

describe("mcp-workbench call", () => {
  const call = (...args: string[]) => runCli(place, ["call", ...args]);

  it("prints the text of the result and nothing else", async () => {
    expect(await call("dev/files/echo", "text=good day")).toEqual({
      code: 0,
      stdout: "good day\n",
      stderr: "",
    });
  });

  it("passes JSON on as it is written, from the command line or standard input", async () => {
    const json = '{"text": "a", "big": 12345678901234567890}';
    await call("dev/files/echo", "--args", json);
    const { stdout } = await runCli(place, ["call", "dev/files/echo", "--args", "-"], {
      input: json,
    });
    expect(stdout).toBe("a\n");
    for (const { raw } of witness.callsOf("echo")) expect(raw).toContain(`"arguments":${json}`);
    expect(witness.callsOf("echo").length).toBe(2);
  });

  it("prints the result verbatim with --json", async () => {
    const result = '{"content":[],"x":1.0,"structuredContent":{"n":12345678901234567890}}';
    const { stdout } = await call("dev/files/raw", `json=${result}`, "--json");
    expect(stdout).toBe(`${result}\n`);
  });

  it("saves content that is not text and prints the name of each file", async () => {
    const { code, stdout, stderr } = await call("dev/files/rich", "-o", "saved");
    expect(code).toBe(0);
    const image = stdout.split("\n").find((line) => line.endsWith(".png"));
    expect(image).toBe("saved/rich-1.png");
    expect(
      readFileSync(join(place.cwd, image ?? ""))
        .subarray(1, 4)
        .toString(),
    ).toBe("PNG");
    expect(stderr).toContain("Saved image/png");
  });

  it("prints progress to standard error", async () => {
    const { stdout, stderr } = await call("dev/files/progress", "n=3");
    expect(stdout).not.toContain("step");
    expect(stderr).toContain("1/3 step 1 of 3");
  });

  it("explains why a call fails and ends with exit code 2", async () => {
    const { code, stdout, stderr } = await call("dev/files/echo", "txt=x");
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("txt: Unknown argument. Did you mean 'text'?");
  });

  it("ends with exit code 7 when the call times out", async () => {
    // The list of tools has to arrive within this time as well.
    configure({ dev: toolbox({ files: fixture() }) }, { timeouts: { callMs: 4000 } });
    const { code, stderr } = await call("dev/files/sleep", "ms=60000");
    expect(code).toBe(7);
    expect(stderr).toContain("no answer and no progress within 4000 ms");
  });

  it("ends with exit code 6 and prints the result verbatim when the tool reports an error", async () => {
    const { code, stdout } = await call("dev/files/tool_error", "--json");
    expect(code).toBe(6);
    expect(JSON.parse(stdout)).toMatchObject({ isError: true });
  });

  it("refuses the questions of a server when there is no terminal", async () => {
    const { stdout } = await call("dev/files/elicit");
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: -32601 } });
    expect(witness.messages("initialize")[0]?.params).toMatchObject({ capabilities: {} });
  });
});

describe("mcp-workbench search", () => {
  it("finds tools by what they do, and names the servers that could not be searched", async () => {
    const { stdout, stderr } = await runCli(place, ["search", "return", "the", "given", "text"]);
    expect(stdout.split("\n")[0]).toBe("dev/files/echo(text: string) — Returns the given text");
    expect(stderr).toContain("ops/broken was not searched");
    const json = await runJson(place, ["search", "echo", "--limit", "1", "--toolbox", "dev"]);
    expect(json).toMatchObject({
      query: "echo",
      hits: [{ toolbox: "dev", server: "files", name: "echo", signature: "text: string" }],
      failed: [],
    });
    expect((await runCli(place, ["search", "x", "--limit", "99"])).code).toBe(2);
  });
});
