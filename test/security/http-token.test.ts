/** The generated token reaches people and files that only its owner can read, and no log. */
import { createServer } from "node:net";
import { existsSync, readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { CTRL_C, HAS_TERMINAL, runInTerminal } from "../support/cli.ts";
import { perTest } from "../support/disposables.ts";
import { startHttpWorkbench, tokenFile } from "../support/http-workbench.ts";
import { dev, fixture } from "../support/servers.ts";
import { type Place, prepareWorkbench } from "../support/workbench.ts";

const cleanup = perTest();
const CONFIG = dev({ fx: fixture() });

const inTerminal = (place: Place, port: string, turns: readonly (readonly [string, string])[]) =>
  runInTerminal(
    { home: place.home, cwd: place.dir, env: { ...place.env, TERM: "xterm" } },
    [place.command, ...place.args, "--http", `127.0.0.1:${port}`],
    turns,
  );

describe("the generated token", () => {
  it("is not printed without a terminal; the settings for clients read its file", async () => {
    const workbench = await startHttpWorkbench(cleanup, CONFIG);
    const token = readFileSync(tokenFile(workbench), "utf8").trim();
    expect(workbench.token).toBe(token);
    expect(workbench.stderr()).not.toContain(token);
    expect(workbench.stderr()).toContain(`Bearer $(cat '${tokenFile(workbench)}')`);
  });

  // Without util-linux there is no way to a pseudo-terminal that needs no native module.
  it.skipIf(!HAS_TERMINAL)("is printed once in a terminal, after the start", async () => {
    const place = prepareWorkbench(cleanup, CONFIG);
    const first = await inTerminal(place, "0", [["mcpServers", CTRL_C]]);
    const token = readFileSync(tokenFile(place), "utf8").trim();
    expect(first.screen.indexOf(token)).toBeGreaterThan(first.screen.indexOf("listens on"));
    const second = await inTerminal(place, "0", [["mcpServers", CTRL_C]]);
    expect(second.screen).not.toContain(token);
  });

  it.skipIf(!HAS_TERMINAL)(
    "is not created if the start fails, so that the next start shows it",
    async () => {
      const taken = createServer().listen(0, "127.0.0.1");
      cleanup.defer(() => taken.close());
      await new Promise((resolve) => taken.once("listening", resolve));
      const place = prepareWorkbench(cleanup, CONFIG);
      const { port } = taken.address() as AddressInfo;
      const { screen } = await inTerminal(place, String(port), []);
      expect(screen).toContain("the port is in use");
      expect(existsSync(tokenFile(place))).toBe(false);
      const next = await inTerminal(place, "0", [["mcpServers", CTRL_C]]);
      expect(next.screen).toContain(readFileSync(tokenFile(place), "utf8").trim());
    },
  );
});

describe("HTTP without encryption", () => {
  it("is warned about where others can reach it, and only there", async () => {
    const open = await startHttpWorkbench(cleanup, CONFIG, { address: "0.0.0.0:0" });
    expect(open.stderr()).toMatch(/Warning: HTTP on 0\.0\.0\.0 is not encrypted/);
    const local = await startHttpWorkbench(cleanup, CONFIG);
    expect(local.stderr()).not.toContain("Warning");
  });
});
