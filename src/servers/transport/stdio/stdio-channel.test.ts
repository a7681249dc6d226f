import { once } from "node:events";
import { describe, expect, it } from "vitest";

import { settingsWith } from "../../../../test/support/fake-connection.ts";
import type { ChannelEvents } from "../channel.ts";
import { Guard } from "./guard.ts";
import { openStdioChannel } from "./stdio-channel.ts";

const IGNORES_END_OF_INPUT = `process.stdin.resume(); setInterval(() => {}, 60_000); console.log("{}")`;

describe("StdioChannel", () => {
  it("does not wait for a process to react to the end of its input when there is no time", async () => {
    // Without `hurry` this test would take ten minutes.
    const settings = settingsWith({ timeouts: { shutdownMs: 600_000 } });
    const transport = {
      kind: "stdio",
      command: process.execPath,
      args: ["-e", IGNORES_END_OF_INPUT],
      env: {},
      cwd: undefined,
    } as const;
    const events = new EventTarget();
    const started = once(events, "line");
    const channelEvents = { onLine: () => void events.dispatchEvent(new Event("line")) };
    const guard = new Guard();
    const channel = await openStdioChannel(
      settings,
      transport,
      guard,
      channelEvents as unknown as ChannelEvents,
    );
    await started;
    const closed = channel.close();
    channel.process?.hurry();
    await closed;
    expect(() => process.kill(channel.pid ?? 0, 0)).toThrow("ESRCH");
  });
});
