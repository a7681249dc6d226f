import { once } from "node:events";
import { chmodSync, existsSync, rmSync, writeFileSync } from "node:fs";
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

describe("StdioChannel", () => {
  it("does not wait for a process to react to the end of its input when there is no time", async () => {
    // Without `hurry` this test would take ten minutes.
    const channel = await started(process.execPath, ["-e", IGNORES_END_OF_INPUT]);
    const closed = channel.close();
    channel.process?.hurry();
    await closed;
    expect(() => process.kill(channel.pid ?? 0, 0)).toThrow("ESRCH");
  });

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
});
