/** What `status` shows of running workbenches, and of those that cannot answer. */
import { execFile } from "node:child_process";
import { createServer } from "node:net";
import { promisify } from "node:util";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { useTool } from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { dev, fixture, withOptions } from "../support/servers.ts";
import { type Place, startWorkbench } from "../support/workbench.ts";

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
