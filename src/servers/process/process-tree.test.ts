import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { afterEach, describe, expect, it } from "vitest";

import { signalTree, terminateTree, treeAlive, treeEnded } from "./process-tree.ts";

const POSIX = process.platform !== "win32";
const started: number[] = [];

afterEach(() => {
  for (const pid of started.splice(0)) signalTree(pid, "SIGKILL");
});

/** A shell that leads a group of its own, with its script under way. */
async function start(script: string): Promise<{ pid: number; child: ChildProcess }> {
  const child = spawn("/bin/sh", ["-c", `${script}`], {
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const pid = child.pid as number;
  started.push(pid);
  await once(child.stdout as Readable, "data");
  return { pid, child };
}

// Windows has neither process groups nor this shell.
describe.runIf(POSIX)("a process tree", () => {
  it("is alive as long as one of its processes is", async () => {
    // The leader ends at once; a grandchild goes on.
    const { pid, child } = await start("(sleep 30 & echo started) & wait");
    if (child.exitCode === null) await once(child, "exit");
    expect(treeAlive(pid)).toBe(true);
    expect(await treeEnded(pid, 0)).toBe(false);
    signalTree(pid, "SIGTERM");
    expect(await treeEnded(pid, 5000)).toBe(true);
    expect(treeAlive(pid)).toBe(false);
  });

  it("ends by SIGTERM with everything in it", async () => {
    const { pid } = await start("sleep 30 & sleep 30 & echo started; wait");
    await terminateTree(pid, 10_000);
    expect(treeAlive(pid)).toBe(false);
  });

  it("ends by SIGKILL if it ignores SIGTERM", async () => {
    const { pid, child } = await start("trap '' TERM; sleep 30 & echo started; wait");
    const exited = once(child, "exit");
    await terminateTree(pid, 100);
    expect(await exited).toEqual([null, "SIGKILL"]);
    expect(await treeEnded(pid, 5000)).toBe(true);
  });

  it("that has ended is left alone", async () => {
    const { pid, child } = await start("echo started");
    if (child.exitCode === null) await once(child, "exit");
    expect(treeAlive(pid)).toBe(false);
    await terminateTree(pid, 10_000);
    signalTree(pid, "SIGKILL");
    expect(await treeEnded(pid, 0)).toBe(true);
  });
});
