import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { afterEach, describe, expect, it } from "vitest";

import { GENEROUS_MS } from "../../../../test/support/clients/json-rpc.ts";
import { ProcessTree } from "./process-tree.ts";

const POSIX = process.platform !== "win32";
const started: ProcessTree[] = [];

afterEach(() => {
  for (const tree of started.splice(0)) tree.signal("SIGKILL");
});

/** A shell that leads a group of its own, with its script under way. */
async function start(script: string): Promise<{ tree: ProcessTree; child: ChildProcess }> {
  const child = spawn("/bin/sh", ["-c", `${script}`], {
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const tree = new ProcessTree(child.pid as number);
  started.push(tree);
  await once(child.stdout as Readable, "data");
  return { tree, child };
}

// Windows has neither process groups nor this shell.
describe.runIf(POSIX)("ProcessTree", () => {
  it("is alive as long as one of its processes is", async () => {
    // The leader ends at once; a grandchild keeps running.
    const { tree, child } = await start("(sleep 300 & echo started) & wait");
    if (child.exitCode === null) await once(child, "exit");
    expect(tree.alive).toBe(true);
    expect(await tree.ended(0)).toBe(false);
    tree.signal("SIGTERM");
    expect(await tree.ended(GENEROUS_MS)).toBe(true);
    expect(await tree.look()).toBe(false);
  });

  it("ends every process with SIGTERM", async () => {
    const { tree } = await start("sleep 300 & sleep 300 & echo started; wait");
    await tree.terminate(GENEROUS_MS);
    expect(await tree.look()).toBe(false);
  });

  it("ends a process that ignores SIGTERM with SIGKILL", async () => {
    const { tree, child } = await start("trap '' TERM; sleep 300 & echo started; wait");
    const exited = once(child, "exit");
    await tree.terminate(100);
    expect(await exited).toEqual([null, "SIGKILL"]);
    expect(await tree.ended(GENEROUS_MS)).toBe(true);
  });

  it("does nothing to a tree that has exited", async () => {
    const { tree, child } = await start("echo started");
    if (child.exitCode === null) await once(child, "exit");
    expect(tree.alive).toBe(false);
    await tree.terminate(GENEROUS_MS);
    tree.signal("SIGKILL");
    expect(await tree.ended(0)).toBe(true);
  });

  it("includes processes that started their own session, even after the leader was killed", async () => {
    const detached = `require("child_process").spawn("sleep", ["300"], { detached: true, stdio: "ignore" }).unref()`;
    const { tree, child } = await start(
      `"${process.execPath}" -e '${detached}; console.log("started"); setInterval(() => {}, 1000)'`,
    );
    await tree.look();
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(tree.alive).toBe(true);
    await tree.terminate(GENEROUS_MS);
    expect(await tree.look()).toBe(false);
  });
});
