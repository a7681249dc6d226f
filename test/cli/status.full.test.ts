/**
 * What `status` shows of running workbenches, and of those that cannot answer. In the full suite because each case
 * starts several programs; the status itself is in test/e2e/http-access.test.ts and the torture scenarios.
 */
import { execFile, spawn } from "node:child_process";
import { createServer } from "node:net";
import { promisify } from "node:util";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { useTool } from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { MISSING_COMMAND, dev, fixture, withOptions } from "../support/servers.ts";
import { type Place, prepareWorkbench, startWorkbench } from "../support/workbench.ts";

const cleanup = perTest();

interface Status {
  readonly pid: number;
  readonly toolboxes: { servers: { name: string; problems: string[] }[] }[];
}

/** The folder in which running workbenches register themselves, once one is there. */
async function presences(place: Place): Promise<string> {
  const folder = join(place.dir, "state", "mcp-workbench", "run");
  const found = (): boolean => {
    try {
      const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
      return names.some((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) !== null);
    } catch {
      return false;
    }
  };
  await waitFor(found, GENEROUS_MS, "the workbench to register itself");
  return folder;
}

/** Runs the command; the test fails unless the exit code is 0. */
function status(place: Place, ...args: string[]): Promise<{ stdout: string; stderr: string }> {
  const [program = ""] = place.args;
  const { env, dir } = place;
  return promisify(execFile)(place.command, [program, "status", ...args], { env, cwd: dir });
}

async function command(place: Place, ...args: string[]): Promise<string> {
  const [program = ""] = place.args;
  const { env, dir: cwd } = place;
  const { stdout } = await promisify(execFile)(place.command, [program, ...args], { env, cwd });
  return stdout;
}

/** A command that runs until it is interrupted. */
function run(place: Place, ...args: string[]) {
  const [program = ""] = place.args;
  const child = spawn(place.command, [program, ...args], { env: place.env, cwd: place.dir });
  cleanup.defer(() => void child.kill("SIGKILL"));
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  const closed = new Promise<number | null>((resolve) => child.on("close", resolve));
  return {
    shows: (pattern: RegExp) =>
      waitFor(() => pattern.test(output), GENEROUS_MS, `${pattern} in the output`),
    interrupted: (): Promise<number | null> => {
      child.kill("SIGINT");
      return closed;
    },
  };
}

describe("mcp-workbench status", () => {
  it("shows why a server failed, and its last output", async () => {
    const workbench = await startWorkbench(cleanup, dev({ fx: fixture() }));
    await presences(workbench);
    const stderr = "first words\n\u001b[31mlast words";
    await useTool(workbench.client, "dev/fx/crash", { stderr });
    const { stdout } = await status(workbench);
    expect(stdout).toMatch(/last error: it exited with code \d+/);
    expect(stdout).toMatch(/\| first words\n +\| .*last words/);
    expect(stdout).not.toContain("\u001b");
  });

  it("aligns states and counts, and does not call a failed server idle", async () => {
    const workbench = await startWorkbench(cleanup, dev({ fx: fixture(), no: MISSING_COMMAND }));
    await presences(workbench);
    await useTool(workbench.client, "dev/no/x", {});
    const { stdout } = await status(workbench);
    expect(stdout).toMatch(/^ {4}fx {19}idle {7}0 calls$/m);
    expect(stdout).toMatch(/^ {4}no {19}(?:failed|backoff) {4,5}0 calls/m);
  });

  it("--watch shows changes until it is interrupted", async () => {
    const workbench = await startWorkbench(cleanup, dev({ fx: fixture() }));
    await presences(workbench);
    const child = run(workbench, "status", "--watch");
    await child.shows(/fx +idle +0 calls/);
    await useTool(workbench.client, "dev/fx/echo", { text: "hi" });
    await child.shows(/fx +ready +pid \d+, 36 tools, 1 call/);
    expect(await child.interrupted()).toBe(0);
  });

  it("shows why a server cannot be started", async () => {
    const entry = withOptions(fixture(), { env: { KEY: "${NOT_SET_ANYWHERE}" } });
    const workbench = await startWorkbench(cleanup, dev({ fx: entry }));
    await presences(workbench);
    const { stdout } = await status(workbench, "--json");
    const [{ toolboxes }] = JSON.parse(stdout) as [Status];
    expect(toolboxes[0]?.servers[0]?.problems.join()).toContain("NOT_SET_ANYWHERE");
  });

  it("reports a workbench that does not respond", async () => {
    const workbench = await startWorkbench(cleanup, dev({ fx: fixture() }));
    await presences(workbench);
    process.kill(workbench.pid, "SIGSTOP");
    const { stdout, stderr } = await status(workbench, "--json");
    process.kill(workbench.pid, "SIGCONT");
    expect(JSON.parse(stdout)).toEqual([]);
    expect(stderr).toContain(`The workbench with pid ${workbench.pid} does not respond`);
  });

  it("goes on when one workbench closes the connection", async () => {
    const workbench = await startWorkbench(cleanup, dev({ fx: fixture() }));
    const folder = await presences(workbench);
    const mute = createServer((socket) => socket.end());
    cleanup.defer(() => new Promise<void>((resolve) => void mute.close(() => resolve())));
    const socket = join(workbench.dir, "mute.sock");
    await new Promise<void>((resolve) => void mute.listen(socket, resolve));
    const file = join(folder, `${workbench.pid}.json`);
    const presence = JSON.parse(readFileSync(file, "utf8")) as object;
    writeFileSync(
      join(folder, "1.json"),
      JSON.stringify({ ...presence, pid: process.pid, socket }),
    );
    const { stdout, stderr } = await status(workbench, "--json");
    expect((JSON.parse(stdout) as Status[]).map(({ pid }) => pid)).toEqual([workbench.pid]);
    expect(stderr).toContain(`pid ${process.pid} does not respond`);
  });
});

describe("mcp-workbench logs", () => {
  const SECRET = "s3cr3t-value-of-the-server";

  it("shows the log file and the standard error of servers, without secrets", async () => {
    const entry = withOptions(fixture(), { env: { API_TOKEN: SECRET } });
    const log = { level: "info", file: "workbench.log" };
    const workbench = await startWorkbench(cleanup, dev({ fx: entry, other: fixture() }, { log }));
    await presences(workbench);
    const stderr = `token ${SECRET}\nlast words`;
    await useTool(workbench.client, "dev/fx/crash", { stderr });
    await useTool(workbench.client, "dev/other/echo", { text: "hi" });
    const config = ["--config", workbench.configFile];
    const all = await command(workbench, "logs", ...config);
    expect(all).toMatch(/INFO +connected toolbox="dev" server="other"/);
    expect(all).toMatch(/dev\/fx {2}in the workbench with pid \d+\n {2}last error: it exited/);
    expect(all).toContain("  | token [redacted]\n  | last words\n");
    expect(all).not.toContain(SECRET);
    const one = await command(workbench, "logs", "dev/fx", ...config);
    expect(one).toContain("last words");
    expect(one).not.toContain('server="other"');
    const json = await command(workbench, "logs", "other", "--json", "-n", "1", ...config);
    expect(JSON.parse(json)).toMatchObject({
      file: join(workbench.dir, "workbench.log"),
      lines: [expect.stringContaining('server="other"')],
      servers: [{ toolbox: "dev", server: "other", state: "ready", stderr: [] }],
    });
  });

  it("--follow continues with new lines until it is interrupted", async () => {
    const log = { level: "info", file: "workbench.log" };
    const workbench = await startWorkbench(cleanup, dev({ fx: fixture() }, { log }));
    await presences(workbench);
    const child = run(workbench, "logs", "-f", "dev/fx", "--config", workbench.configFile);
    await child.shows(/The log has no such lines|The running servers/);
    await useTool(workbench.client, "dev/fx/echo", { text: "hi" });
    await child.shows(/connected toolbox="dev" server="fx"/);
    await useTool(workbench.client, "dev/fx/crash", { stderr: "famous last words" });
    await child.shows(/dev\/fx \| famous last words/);
    expect(await child.interrupted()).toBe(0);
  });

  it("refuses a server that does not exist", async () => {
    const place = prepareWorkbench(cleanup, dev({ fx: fixture() }));
    const failed = command(place, "logs", "dev/fy", "--config", place.configFile);
    await expect(failed).rejects.toThrow("Did you mean 'dev/fx'?");
  });
});

describe("audit", () => {
  it("--follow continues with new calls until it is interrupted", async () => {
    const audit = { enabled: true };
    const workbench = await startWorkbench(cleanup, dev({ fx: fixture() }, { audit }));
    await useTool(workbench.client, "dev/fx/echo", { text: "hi" });
    const child = run(workbench, "audit", "--follow");
    await child.shows(/dev\/fx\/echo/);
    await useTool(workbench.client, "dev/fx/fail", {});
    await child.shows(/dev\/fx\/fail/);
    expect(await child.interrupted()).toBe(0);
  });
});
