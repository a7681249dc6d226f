import { describe, expect, it, vi } from "vitest";

import { GENEROUS_MS } from "../../test/support/clients/json-rpc.ts";
import { perTest } from "../../test/support/disposables.ts";
import { fakeNpx } from "../../test/support/fake-npx.ts";
import { settingsWith } from "../../test/support/fake-connection.ts";
import { scriptServer } from "../../test/support/script-server.ts";
import { clientProfile } from "../protocol/client-profile.ts";
import { quietHost } from "./host.ts";
import { Server } from "./server.ts";

const cleanup = perTest();
/** It may take long to end, and is not killed before. */
const TIMEOUTS = { connectMs: 20, shutdownMs: 60_000 };
const profile = (): ReturnType<typeof clientProfile> => clientProfile("legacy", {}, {});

function slowServer(waitsForDownloads = false): {
  server: Server;
  npx: ReturnType<typeof fakeNpx>;
} {
  const npx = fakeNpx(cleanup);
  const { command, args = [] } = npx.launched(scriptServer(cleanup, "serve(legacy({}));"));
  const transport = { kind: "stdio", command, args, env: {}, cwd: undefined } as const;
  const settings = settingsWith({ transport, timeouts: TIMEOUTS, isolation: "session" });
  const server = new Server(settings, { ...quietHost(), waitsForDownloads });
  cleanup.defer(() => server.close());
  return { server, npx };
}

describe("a server that has to be downloaded", () => {
  it("is started once at a time, and for each client once it has started", async () => {
    const { server, npx } = slowServer();
    const first = server.connect(profile());
    const others = [server.connect(profile()), server.connect(profile())];
    const probe = server.probe(profile(), () => Promise.resolve());
    await vi.waitFor(() => expect(server.state).toBe("downloading"), GENEROUS_MS);
    await vi.waitFor(() => expect(npx.events).toEqual(["started"]), GENEROUS_MS);
    expect(server.connections.processes).toHaveLength(1);
    expect(server.connections.isBusy(server.state !== "downloading")).toBe(false);
    await expect(server.unlessDownloading(first)).rejects.toMatchObject({
      code: "SERVER_STARTING",
      httpStatus: 503,
    });
    npx.finishDownload();
    await Promise.all([first, ...others, probe]);
    expect(npx.events).toEqual(Array(4).fill("started"));
    expect([server.state, server.connections.size]).toEqual(["ready", 3]);
  });

  it("is waited for if callers cannot come back", async () => {
    const { server, npx } = slowServer(true);
    const attempt = server.unlessDownloading(server.connect(profile()));
    await vi.waitFor(() => expect(server.state).toBe("downloading"), GENEROUS_MS);
    npx.finishDownload();
    expect((await attempt).closed).toBe(false);
  });

  it("does not count as failed when the workbench ends before it is ready", async () => {
    const { server, npx } = slowServer();
    const attempt = server.connect(profile()).catch((error: unknown) => String(error));
    await vi.waitFor(() => expect(npx.events).toEqual(["started"]), GENEROUS_MS);
    await server.close();
    expect(await attempt).toContain("Failed to connect");
    expect(server.failures.lastError).toBeUndefined();
    expect(npx.events).toEqual(["started", "rolled back"]);
  });
});
