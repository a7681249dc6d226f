/**
 * Commands that write the lock file at the same time, or are killed at every step in which they change a
 * file. One start of the program for each step, which takes too long for `npm test`.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

import { type ChangingServer, changingServer } from "../support/changing-server.ts";
import { perTest } from "../support/disposables.ts";
import { APPROVED_NOTES, CHANGED_NOTES } from "../support/notes-server.ts";
import { dev } from "../support/servers.ts";
import { type Place, prepareWorkbench, runCommand } from "../support/workbench.ts";

const KILL_AT_STEP = fileURLToPath(new URL("kill-at-step.cjs", import.meta.url));
/** More than the command needs: a command that never finishes is a failure. */
const MAX_STEPS = 60;
const cleanup = perTest();

const lockOf = ({ dir }: Place): string => join(dir, "workbench-lock.json");
const lockText = (place: Place): string => readFileSync(lockOf(place), "utf8");

/** Starts a command; resolves with its exit code, null if it was killed. */
async function start(
  place: Place,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const [program = ""] = place.args;
  const child = spawn(place.command, [program, ...args, "--config", place.configFile], {
    cwd: place.dir,
    env: { ...place.env, ...env },
    stdio: "ignore",
  });
  const [code] = (await once(child, "exit")) as [number | null];
  return code;
}

function prepare(): { place: Place; one: ChangingServer; two: ChangingServer } {
  const one = changingServer(cleanup, APPROVED_NOTES);
  const two = changingServer(cleanup, APPROVED_NOTES);
  const place = prepareWorkbench(cleanup, dev({ one: one.entry, two: two.entry }));
  expect(runCommand(place, "lock").code).toBe(0);
  return { place, one, two };
}

describe("a lock file", () => {
  it(
    "is complete whenever the command that writes it is killed",
    { timeout: 240_000 },
    async () => {
      const { place, one } = prepare();
      const before = lockText(place);
      one.define(CHANGED_NOTES);
      const args = ["trust", "dev/one", "--yes"];
      expect(await start(place, args)).toBe(0);
      const after = lockText(place);
      for (let step = 1; ; step++) {
        expect(step).toBeLessThan(MAX_STEPS);
        writeFileSync(lockOf(place), before);
        const env = { NODE_OPTIONS: `--require ${KILL_AT_STEP}`, KILL_AT_STEP: String(step) };
        const code = await start(place, args, env);
        expect([before, after]).toContain(lockText(place));
        if (code === null) continue;
        expect(code).toBe(0);
        expect(step).toBeGreaterThan(3);
        break;
      }
      expect(lockText(place)).toBe(after);
      // Nothing that a killed command left behind is in the way of the next one.
      expect(runCommand(place, "diff", "dev/one").code).toBe(0);
    },
  );

  it("keeps what commands write at the same time", { timeout: 120_000 }, async () => {
    const { place, one, two } = prepare();
    for (const server of [one, two]) server.define(CHANGED_NOTES);
    const names = ["copy_note", "write_note", "greet"];
    const commands = names.flatMap((name) => [`dev/one/${name}`, `dev/two/${name}`]);
    const codes = await Promise.all(commands.map((path) => start(place, ["trust", path, "--yes"])));
    expect(codes).toEqual(commands.map(() => 0));
    const [first, second] = await Promise.all([start(place, ["lock"]), start(place, ["lock"])]);
    expect([first, second]).toEqual([0, 0]);
    expect(runCommand(place, "lock", "--check").code).toBe(0);
  });
});
