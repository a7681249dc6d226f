/**
 * Opening a toolbox whose servers do not start. In the full suite because each case starts several
 * programs; S-01, S-02 and S-08 of the torture scenarios are in `npm test`.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { callTool, openToolbox, textOf, toolErrorOf, useTool } from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { dev, fixture, MISSING_COMMAND, withOptions } from "../support/servers.ts";
import { startWorkbench, temporaryFolder } from "../support/workbench.ts";

const cleanup = perTest();

describe("the servers of a toolbox that cannot be reached", () => {
  it("are reported with their reasons while the others work", async () => {
    const { client } = await startWorkbench(
      cleanup,
      dev({
        good: fixture(),
        missing: MISSING_COMMAND,
        dying: fixture("--name", "dying", "--die", "before-init"),
        quitting: fixture("--die", "after-init"),
      }),
    );
    const opened = await openToolbox(client, "dev");
    expect(opened.servers_connected).toBe(1);
    expect(new Set(opened.tools.map(({ server }) => server))).toEqual(new Set(["good"]));
    const reasons = new Map(
      opened.servers_failed?.map(({ server, reason }) => [server, reason]) ?? [],
    );
    expect([...reasons.keys()].sort()).toEqual(["dying", "missing", "quitting"]);
    expect(reasons.get("missing")).toContain("no-such-program-anywhere");
    expect(reasons.get("dying")).toContain("reason 30 of 30");
    expect(textOf(await useTool(client, "dev/good/echo", { text: "fine" }))).toBe("fine");
  });

  it("make open_toolbox fail when there is no other server", async () => {
    const { client } = await startWorkbench(
      cleanup,
      dev({ missing: MISSING_COMMAND, dying: fixture("--die", "before-init") }),
    );
    const message = toolErrorOf(await callTool(client, "open_toolbox", { toolbox: "dev" }));
    expect(message).toContain("'dev'");
    expect(message).toMatch(/missing.*no-such-program-anywhere/);
    expect(message).toMatch(/dying.*reason 30 of 30/);
  });

  it("time out after connectMs, and their process ends", async () => {
    const workbench = await startWorkbench(
      cleanup,
      dev({
        good: fixture(),
        hanging: withOptions(fixture("--start-delay", "3600000"), {
          timeouts: { connectMs: 300 },
        }),
      }),
    );
    const opened = await openToolbox(workbench.client, "dev");
    expect(opened.servers_failed).toEqual([
      { server: "hanging", reason: expect.stringContaining("timeout") },
    ]);
    await waitFor(
      () => workbench.servers().length === 1,
      GENEROUS_MS,
      "the end of the hanging server",
    );
  });

  it("are tried again when the toolbox is opened again", async () => {
    const script = join(temporaryFolder(cleanup), "not-there-yet.mjs");
    const late = { command: process.execPath, args: [script] };
    const { client } = await startWorkbench(cleanup, dev({ good: fixture(), late }));
    expect((await openToolbox(client, "dev")).servers_connected).toBe(1);
    const [server] = fixture().args ?? [];
    writeFileSync(script, `await import(${JSON.stringify(server)});`);
    await waitFor(
      async () => (await openToolbox(client, "dev")).servers_connected === 2,
      GENEROUS_MS,
      "the server to be back",
    );
  });
});
