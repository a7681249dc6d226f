import { describe, expect, it } from "vitest";

import { settingsWith } from "../../test/support/fake-connection.ts";
import { clientProfile } from "../relay/client-profile.ts";
import type { ServerSettings } from "../config/types.ts";
import { Server } from "./server.ts";

const profile = (): ReturnType<typeof clientProfile> => clientProfile("legacy", {}, {});

/** A server whose process runs this script. */
function scripted(script: string, given: Partial<ServerSettings> = {}): Server {
  return new Server(
    settingsWith({
      transport: {
        kind: "stdio",
        command: process.execPath,
        args: ["-e", script],
        env: {},
        cwd: undefined,
      },
      ...given,
      timeouts: { connectMs: 20_000, shutdownMs: 50 },
    }),
  );
}

const NEVER_ANSWERS = "setTimeout(() => {}, 60_000)";
const DIES = "process.exit(3)";

describe("a server", () => {
  it("has not failed if it is disconnected while it connects", async () => {
    const server = scripted(NEVER_ANSWERS);
    for (let i = 0; i < 3; i++) {
      const connecting = server.connect(profile()).catch((error: unknown) => String(error));
      expect(server.state).toBe("connecting");
      await server.disconnect();
      expect(await connecting).toContain("Failed to connect to server 'fx'");
      expect(server.state).toBe("idle");
    }
    expect(server.failures.lastError).toBeUndefined();
    expect(server.failures.restarts).toBe(0);
    await server.close();
  });

  it("has failed if it ended by itself, and says that the call had no part in it", async () => {
    const server = scripted(DIES);
    await expect(server.connect(profile())).rejects.toThrow(
      "Failed to connect to server 'fx' in toolbox 'dev': it exited with code 3",
    );
    expect(server.failures.lastError).toBe("it exited with code 3");
    await expect(server.connect(profile())).rejects.toThrow("code 3");
    expect(server.failures.restarts).toBe(1);
    await expect(server.connect(profile())).rejects.toThrow(/failed 2 times; next try in/);
    expect(server.state).toBe("backoff");
    await server.close();
  });

  it("counts its failures for all clients that have a process of their own", async () => {
    const server = scripted(DIES, { isolation: "session" });
    const attempts = await Promise.allSettled(
      Array.from({ length: 4 }, () => server.connect(profile())),
    );
    expect(attempts.map(({ status }) => status)).toEqual(Array(4).fill("rejected"));
    await expect(server.connect(profile())).rejects.toThrow(/failed [2-4] times; next try in/);
    await server.close();
  });
});
