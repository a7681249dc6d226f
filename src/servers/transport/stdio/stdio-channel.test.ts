import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { newFolder } from "../../../../test/support/new-folder.ts";
import { settingsWith } from "../../../../test/support/fake-connection.ts";
import type { Channel, ChannelEvents } from "../channel.ts";
import { Guard } from "./guard.ts";
import { openStdioChannel } from "./stdio-channel.ts";

const IGNORES_END_OF_INPUT = `process.stdin.resume(); setInterval(() => {}, 60_000); console.log("{}")`;

/** A package manager that is in the middle of a download and does not want to stop. */
const STUBBORN_NPX = `#!${process.execPath}
const { mkdirSync } = require("node:fs");
process.on("SIGTERM", () => {});
mkdirSync(process.env.HOME + "/.npm/_npx/57c3a7b1c2d3e4f5/node_modules", { recursive: true });
setInterval(() => {}, 60_000);
console.log("{}");
`;

let home = "";
beforeEach(() => (home = newFolder("mcp-workbench-test")));
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Starts a program that has ten minutes to exit, and waits for its first line. */
async function started(command: string, args: readonly string[]): Promise<Channel> {
  const settings = settingsWith({ timeouts: { shutdownMs: 600_000 } });
  const transport = { kind: "stdio", command, args, env: { HOME: home }, cwd: undefined } as const;
  const events = new EventTarget();
  const line = once(events, "line");
  const onLine = (): void => void events.dispatchEvent(new Event("line"));
  const channelEvents = { onLine } as unknown as ChannelEvents;
  const channel = await openStdioChannel(settings, transport, new Guard(), channelEvents);
  await line;
  return channel;
}

/** Keeps the event loop busy until the process has ended, which no event has reported yet. */
function blockUntilEnded(pid: number | undefined): void {
  const giveUp = Date.now() + 60_000;
  while (!/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8")))
    if (Date.now() > giveUp) throw new Error(`process ${pid} does not end`);
}

describe("StdioChannel", () => {
  it("does not wait for a process to react to the end of its input when there is no time", async () => {
    // Without `hurry` this test would take ten minutes.
    const channel = await started(process.execPath, ["-e", IGNORES_END_OF_INPUT]);
    const closed = channel.close();
    channel.process?.hurry();
    await closed;
    expect(() => process.kill(channel.pid ?? 0, 0)).toThrow("ESRCH");
  });

  // Windows does not run a script because of its first line.
  it.skipIf(process.platform === "win32")(
    "removes what npx has half downloaded when it is killed before its time is over",
    async () => {
      const npx = join(home, "npx");
      writeFileSync(npx, STUBBORN_NPX);
      chmodSync(npx, 0o755);
      const channel = await started(npx, ["some-server"]);
      const half = join(home, ".npm/_npx/57c3a7b1c2d3e4f5");
      expect(existsSync(half)).toBe(true);
      const closed = channel.close();
      channel.process?.kill();
      await closed;
      expect(existsSync(half)).toBe(false);
    },
  );

  // Only Linux shows that a process has ended before its parent has noticed.
  it.runIf(process.platform === "linux")(
    "knows what was written to standard error when the end of the process is noticed first",
    async () => {
      const settings = settingsWith({});
      const args = ["-c", "echo the reason >&2; exit 3"];
      const transport = {
        kind: "stdio",
        command: "/bin/sh",
        args,
        env: {},
        cwd: undefined,
      } as const;
      let onLost: (reason: string) => void = () => {};
      const lost = new Promise<string>((resolve) => (onLost = resolve));
      const events = { onLost } as unknown as ChannelEvents;
      // The output of this one is handled before its end, and the ends of all processes together.
      const other = spawn("echo", ["output"]);
      blockUntilEnded(other.pid);
      await once(other.stdout, "data");
      const channel = await openStdioChannel(settings, transport, new Guard(), events);
      blockUntilEnded(channel.pid);
      expect(await lost).toBe("it exited with code 3");
      expect(channel.stderrTail(1)).toEqual(["the reason"]);
    },
  );
});
