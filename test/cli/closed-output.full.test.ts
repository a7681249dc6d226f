/**
 * Commands whose reader is gone, as in `mcp-workbench list | head -1`. Every command is started, which takes too
 * long for `npm test`.
 */
import { spawn } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";

import { type CliPlace, cliPlace, ownConfig, runCli } from "../support/cli.ts";
import { perTest } from "../support/disposables.ts";
import { MARKER_VARIABLE, processesOf, waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { MISSING_COMMAND, fixture, toolbox } from "../support/servers.ts";
import { PROGRAM } from "../support/workbench.ts";

const disposables = perTest();
let place: CliPlace;

beforeEach(() => {
  place = cliPlace(disposables);
  const files = { ...fixture("--name", "files"), env: { [MARKER_VARIABLE]: place.home } };
  const toolboxes = { dev: toolbox({ files }), ops: toolbox({ broken: MISSING_COMMAND }) };
  writeFileSync(ownConfig(place), JSON.stringify({ toolboxes }));
});

interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stderr: string;
}

/** Runs the program with standard output closed at the other end, and standard error if asked for. */
async function runUnread(args: readonly string[], closesStderr = false): Promise<Ended> {
  const child = spawn(process.execPath, [PROGRAM, ...args], { env: place.env, cwd: place.cwd });
  let stderr = "";
  child.stdin.end();
  child.stdout.destroy();
  if (closesStderr) child.stderr.destroy();
  else child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const [code, signal] = await new Promise<[number | null, string | null]>((done) =>
    child.on("close", (...ended) => done(ended)),
  );
  return { code, signal, stderr };
}

const COMMANDS: readonly (readonly [string, number])[] = [
  ["version", 0],
  ["help", 0],
  ["list", 0],
  ["list dev", 0],
  ["list dev/files/echo --json", 0],
  ["open dev", 0],
  ["search echo", 0],
  ["call dev/files/big bytes=1000000", 0],
  ["tokens", 0],
  ["completion bash", 0],
  ["status", 0],
  ["logs", 0],
  ["demo", 0],
  // Its outcome is known when the reader turns out to be gone.
  ["doctor --no-connect", 0],
  ["doctor", 4],
];

describe("a command whose output is not read", () => {
  it.each(COMMANDS)("%s ends quietly, with exit code %i", async (line, expected) => {
    const { code, stderr } = await runUnread(line.split(" "));
    expect(stderr).not.toMatch(/EPIPE|Unhandled|^\s+at /m);
    expect(code).toBe(expected);
    await waitFor(() => processesOf(place.home).length === 0, GENEROUS_MS, "the servers to end");
  });

  it("ends quietly if standard error is closed as well", async () => {
    for (const args of [["list", "dev"], ["refresh"], ["nonsense"], ["serve", "--nonsense"]]) {
      const { code, signal } = await runUnread(args, true);
      expect([signal, args, code]).toEqual([null, args, expect.any(Number)]);
      expect(code).not.toBe(1);
    }
    await waitFor(() => processesOf(place.home).length === 0, GENEROUS_MS, "the servers to end");
  });

  it("stops the remaining work, because no one would see it", async () => {
    const { code, stderr } = await runUnread(["refresh"]);
    expect(code).toBeOneOf([0, 4]);
    expect(stderr).not.toContain("EPIPE");
  });

  it.skipIf(!existsSync("/dev/full"))("reports a full disk", async () => {
    const script = join(place.home, "full.sh");
    writeFileSync(script, `'${process.execPath}' '${PROGRAM}' list > /dev/full\n`);
    const child = spawn("/bin/sh", [script], { env: place.env, cwd: place.cwd });
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    const code = await new Promise((done) => child.on("close", done));
    expect(stderr).toContain("The output cannot be written: ENOSPC");
    expect(code).toBe(1);
  });
});

describe("options before the command", () => {
  it("are read as if they followed it", async () => {
    const file = join(place.home, "other.json");
    writeFileSync(file, JSON.stringify({ toolboxes: { other: toolbox({}) } }));
    const { code, stdout } = await runCli(place, ["--config", file, "--json", "list"]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ config: file, toolboxes: [{ name: "other" }] });
    const inline = await runCli(place, [`--config=${file}`, "--no-color", "list"]);
    expect(inline.stdout).toContain("other  ");
  });

  it("that need a value point to the help of the command", async () => {
    const { code, stderr } = await runCli(place, ["serve", "--http"]);
    expect(code).toBe(2);
    expect(stderr).toContain("--http needs a value: --http [HOST:]PORT");
    expect(stderr).toContain("See mcp-workbench serve --help");
  });

  it("version and unknown commands lead somewhere", async () => {
    const { stdout } = await runCli(place, ["version"]);
    expect(stdout).toBe((await runCli(place, ["--version"])).stdout);
    expect((await runCli(place, ["ls"])).stderr).toContain("Did you mean 'list'?");
  });

  it("--toolbox and --server are refused together", async () => {
    const both = ["serve", "--toolbox", "dev", "--server", "dev/files"];
    const { code, stderr } = await runCli(place, both);
    expect(code).toBe(2);
    expect(stderr).toContain("--toolbox and --server cannot be combined");
  });
});
