/**
 * Servers that have to be downloaded before they can start. In the full suite because it waits for slow starts;
 * src/servers has the limits of a start with an injected clock.
 */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  type Requests,
  callTool,
  listTools,
  openToolbox,
  resultOf,
  textOf,
  toolErrorOf,
  useTool,
} from "../support/calls.ts";
import type { Response } from "../support/clients/json-rpc.ts";
import { perTest } from "../support/disposables.ts";
import { fakeNpx } from "../support/fake-npx.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { runProgram } from "../support/run-program.ts";
import { scriptServer } from "../support/script-server.ts";
import { fixture, toolbox } from "../support/servers.ts";
import {
  prepareWorkbench,
  runCommand,
  startWorkbench,
  temporaryFolder,
} from "../support/workbench.ts";

const cleanup = perTest();
/** Packages in the cache of npx: there before, half and fully installed. */
const [BEFORE, HALF, WHOLE] = ["0123456789abcdef", "57c3a7b1c2d3e4f5", "fedcba9876543210"] as const;
const SHORT = { timeouts: { connectMs: 300 } };
const DOWNLOADING =
  /^Server 'slow' in toolbox 'dev' is not ready yet: npx is still downloading or preparing it \(\d+ s so far\)\. It continues in the background; try again in about 20 s$/;

/** Calls a tool until its server has been downloaded, as an agent is asked to. */
async function retried(client: Requests, path: string): Promise<Response> {
  let response = await useTool(client, path, { text: "hi" });
  await waitFor(
    async () => {
      if (!DOWNLOADING.test(resultOf(response).content[0]?.text ?? "")) return true;
      response = await useTool(client, path, { text: "hi" });
      return false;
    },
    GENEROUS_MS,
    "the download to end",
  );
  return response;
}

describe("a server that npx has to download", () => {
  it.each(["shared", "session"])(
    "continues in the background, and is ready for a later call (isolation: %s)",
    async (isolation) => {
      const npx = fakeNpx(cleanup);
      const slow = { ...npx.launched(fixture()), ...SHORT, isolation };
      const running = await startWorkbench(cleanup, { toolboxes: { dev: toolbox({ slow }) } });
      const { client } = running;
      for (let i = 0; i < 2; i++)
        expect(toolErrorOf(await useTool(client, "dev/slow/echo", { text: "hi" }))).toMatch(
          DOWNLOADING,
        );
      const status = [...running.args.slice(0, 1), "status", "--json"];
      const { stdout } = runProgram(running.command, status, { env: running.env });
      expect(stdout).toMatch(/"state": ?"downloading"/);
      npx.finishDownload();
      expect(textOf(await retried(client, "dev/slow/echo"))).toContain("hi");
      expect(npx.events).toEqual(["started"]);
    },
  );

  it("is asked to stop when the workbench ends, and has time to clean up", async () => {
    const npx = fakeNpx(cleanup);
    const slow = { ...npx.launched(fixture()), ...SHORT };
    const running = await startWorkbench(cleanup, { toolboxes: { dev: toolbox({ slow }) } });
    expect(toolErrorOf(await useTool(running.client, "dev/slow/echo"))).toMatch(DOWNLOADING);
    await waitFor(() => npx.events.includes("started"), GENEROUS_MS, "npx to start");
    await running.stop();
    expect(npx.events).toEqual(["started", "rolled back"]);
  });

  it("leaves no half package behind, however the workbench ends", async () => {
    const npx = fakeNpx(cleanup);
    const cache = join(temporaryFolder(cleanup), "_npx");
    mkdirSync(join(cache, BEFORE), { recursive: true });
    const env = { npm_config_cache: dirname(cache) };
    const slow = { ...npx.launched(fixture()), ...SHORT, env };
    const running = await startWorkbench(cleanup, { toolboxes: { dev: toolbox({ slow }) } });
    expect(toolErrorOf(await useTool(running.client, "dev/slow/echo"))).toMatch(DOWNLOADING);
    await waitFor(() => npx.events.includes("started"), GENEROUS_MS, "npx to start");
    mkdirSync(join(cache, HALF, "node_modules/zod"), { recursive: true });
    mkdirSync(join(cache, WHOLE, "node_modules"), { recursive: true });
    writeFileSync(join(cache, WHOLE, "node_modules/.package-lock.json"), "{}");
    running.client.kill("SIGKILL");
    await waitFor(() => !readdirSync(cache).includes(HALF), GENEROUS_MS, "it to be removed");
    await waitFor(() => npx.events.length === 2, GENEROUS_MS, "npx to end");
    expect(npx.events).toEqual(["started", "rolled back"]);
    expect(readdirSync(cache)).toEqual(expect.arrayContaining([BEFORE, WHOLE]));
  });

  // Only Linux shows that npx has handed its pipes over to the server.
  it.runIf(process.platform === "linux")(
    "fails after connectMs as usual once npx has started it",
    async () => {
      const npx = fakeNpx(cleanup);
      npx.finishDownload();
      const silent = scriptServer(cleanup, "setTimeout(() => {}, 600_000);");
      const slow = { ...npx.launched(silent, "visible"), ...SHORT };
      const { client } = await startWorkbench(cleanup, { toolboxes: { dev: toolbox({ slow }) } });
      expect(toolErrorOf(await retried(client, "dev/slow/echo"))).toContain(
        "Failed to connect to server 'slow' in toolbox 'dev': connection timeout: no answer within 300 ms",
      );
    },
  );

  it("is waited for by commands", () => {
    const npx = fakeNpx(cleanup);
    const slow = { ...npx.launched(fixture()), timeouts: { connectMs: 10 } };
    const place = prepareWorkbench(cleanup, { toolboxes: { dev: toolbox({ slow }) } });
    // Starting two programs takes longer than this, even without a download.
    npx.finishDownload();
    const { code, stdout } = runCommand(place, "call", "dev/slow/echo", "text=hi");
    expect(stdout).toContain("hi");
    expect(code).toBe(0);
  });
});

describe("open_toolbox with a server that is not ready within 10 seconds", () => {
  it("answers with the others, and adds its tools when they arrive (dynamic)", async () => {
    const npx = fakeNpx(cleanup);
    const dev = toolbox({ fast: fixture(), slow: npx.launched(fixture()) });
    const { client } = await startWorkbench(cleanup, {
      toolMode: "dynamic",
      toolboxes: { dev },
    });
    const opened = JSON.parse(textOf(await callTool(client, "open_toolbox", { toolbox: "dev" })));
    expect(opened).toMatchObject({
      servers_starting: expect.arrayContaining([
        { server: "slow", reason: "it is being downloaded" },
      ]) as unknown,
      retry: expect.stringContaining("open this toolbox again") as string,
    });
    const changes = (): number => client.notificationsOf("notifications/tools/list_changed").length;
    const before = changes();
    const nativeNames = async (): Promise<string[]> =>
      (await listTools(client)).map(({ name }) => name);
    expect(await nativeNames()).not.toContain("dev__slow__echo");
    npx.finishDownload();
    await waitFor(
      async () => (await nativeNames()).includes("dev__slow__echo"),
      GENEROUS_MS,
      "its tools",
    );
    await waitFor(() => changes() > before, GENEROUS_MS, "the list to change");
    expect(await openToolbox(client, "dev")).toMatchObject({ servers_connected: 2 });
  });
});
