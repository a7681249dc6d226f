import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, describe, expect, it } from "vitest";

import { hasHandedOver } from "./hand-over.ts";

const running: ChildProcess[] = [];
afterEach(async () => {
  for (const child of running.splice(0)) {
    const ended = once(child, "exit");
    process.kill(-(child.pid as number), "SIGKILL");
    await ended;
  }
});

/** A process that says that it runs, starts another one with these pipes, and waits forever. */
const starting = (stdio: string): string => `
  const script = "console.error('runs'); setTimeout(() => {}, 600_000)";
  const child = require("node:child_process").spawn(process.execPath, ["-e", script], { stdio: ${stdio} });
  child.stderr?.pipe(process.stderr);
  setTimeout(() => {}, 600_000);`;

/** Runs a script and waits until something has been written to standard error. */
async function run(command: string, ...args: readonly string[]): Promise<number> {
  const child = spawn(command, args, { detached: true, stdio: "pipe" });
  running.push(child);
  await once(child.stderr, "data");
  return child.pid as number;
}

// Only Linux shows what the pipes of another process lead to.
describe.runIf(process.platform === "linux")("a package manager", () => {
  it("has handed over when a child has its standard input and output", async () => {
    expect(await hasHandedOver(await run(process.execPath, "-e", starting('"inherit"')))).toBe(
      true,
    );
  });

  it("has not while it runs alone, or runs an installation script", async () => {
    const alone = await run(process.execPath, "-e", "console.error(1); setTimeout(() => {}, 6e5)");
    expect(await hasHandedOver(alone)).toBe(false);
    const script = await run(process.execPath, "-e", starting('["ignore", "pipe", "pipe"]'));
    expect(await hasHandedOver(script)).toBe(false);
  });

  it("has not while the child of a shell is the package manager itself", async () => {
    const title = 'process.title = "npm exec x"; console.error(1); setTimeout(() => {}, 6e5)';
    const shell = await run("/bin/sh", "-c", `"$0" -e '${title}'; true`, process.execPath);
    expect(await hasHandedOver(shell)).toBe(false);
  });

  it("cannot be observed when it has ended", async () => {
    const child = spawn(process.execPath, ["-e", "0"]);
    const pid = child.pid as number;
    await once(child, "exit");
    expect(await hasHandedOver(pid)).toBeUndefined();
  });
});
