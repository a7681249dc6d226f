/** The program is killed at any moment: files are what they were or what they should become. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";

import { type CliPlace, cliPlace, ownConfig, runCli } from "../support/cli.ts";
import { perTest } from "../support/disposables.ts";
import { PROGRAM } from "../support/workbench.ts";

const disposables = perTest();
let place: CliPlace;
let config = "";
let client = "";

/** Large enough that writing it takes more than a moment. */
const filler = Object.fromEntries(
  Array.from({ length: 3_000 }, (_, i) => [`key-${i}`, "x".repeat(100)]),
);

beforeEach(() => {
  place = cliPlace(disposables);
  config = ownConfig(place);
  client = join(place.home, ".cursor/mcp.json");
  mkdirSync(dirname(client));
  const one = { command: "node", env: filler };
  const toolboxes = { dev: { description: "Large", mcpServers: { one } } };
  writeFileSync(config, JSON.stringify({ toolboxes }, undefined, 2), { mode: 0o600 });
  const mcpServers = { three: { command: "node", args: ["three.js"] } };
  writeFileSync(client, JSON.stringify({ filler, mcpServers }, undefined, 2));
});

const TRIES = 6;
/** Some twenty runs of the program, on a machine that may have other things to do. */
const TIMEOUT_MS = 120_000;

/** Runs a command, killing it after a share of the time that it takes in full. */
async function killed(args: readonly string[], share: number, fullMs: number): Promise<void> {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: place.cwd,
    env: place.env,
    stdio: "ignore",
  });
  const ended = once(child, "exit");
  await Promise.race([delay(share * fullMs), ended]);
  child.kill("SIGKILL");
  await ended;
}

async function measured(args: readonly string[]): Promise<number> {
  const start = performance.now();
  expect((await runCli(place, args)).code).toBe(0);
  return performance.now() - start;
}

const rest = (folder: string): string[] =>
  readdirSync(folder).filter((name) => name.endsWith(".workbench-tmp"));

describe("killed at any moment", () => {
  it.each([
    [["add", "two", "--", "node"]],
    [["remove", "dev/one", "--yes"]],
    [["import", "--yes", "--toolbox", "dev"]],
  ])(
    "%j leaves the configuration whole, and the next run cleans up",
    async (args) => {
      const before = readFileSync(config, "utf8");
      const fullMs = await measured(args);
      const after = readFileSync(config, "utf8");
      for (let i = 1; i <= TRIES; i++) {
        writeFileSync(config, before);
        // The later part of a run is where files are written.
        await killed(args, 0.4 + (0.6 * i) / TRIES, fullMs);
        expect([before, after]).toContain(readFileSync(config, "utf8"));
      }
      writeFileSync(config, before);
      await runCli(place, args);
      expect(readFileSync(config, "utf8")).toBe(after);
      expect(rest(dirname(config))).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    "install leaves the client's file whole, and it can still be taken back",
    async () => {
      const before = readFileSync(client, "utf8");
      const args = ["install", "cursor"];
      const fullMs = await measured(args);
      const after = readFileSync(client, "utf8");
      expect((await runCli(place, ["uninstall", "cursor"])).code).toBe(0);
      expect(readFileSync(client, "utf8")).toBe(before);
      for (let i = 1; i <= TRIES; i++) {
        await killed(args, 0.4 + (0.6 * i) / TRIES, fullMs);
        expect([before, after]).toContain(readFileSync(client, "utf8"));
        expect((await runCli(place, ["uninstall", "cursor"])).code).toBe(0);
        expect(readFileSync(client, "utf8")).toBe(before);
      }
      expect(rest(dirname(client))).toEqual([]);
    },
    TIMEOUT_MS,
  );
});
