/** How long a command takes to stop after Ctrl-C, with servers that ignore everything but SIGKILL. */
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { beforeEach, describe, expect, it } from "vitest";

import { type CliPlace, cliPlace, ownConfig } from "../support/cli.ts";
import { perTest } from "../support/disposables.ts";
import { MARKER_VARIABLE, processesOf, waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { fixture, toolbox } from "../support/servers.ts";
import { PROGRAM } from "../support/workbench.ts";

/** The time that users are promised. */
const MAX_STOP_MS = 1000;
/** The notice is written by the handler of the signal itself. */
const MAX_NOTICE_MS = 200;
const SERVERS = 10;

const disposables = perTest();
let place: CliPlace;

beforeEach(() => {
  place = cliPlace(disposables);
  const env = { [MARKER_VARIABLE]: place.home };
  const code = 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000);';
  const hanging = { command: process.execPath, args: ["-e", code], env };
  const servers = Array.from({ length: SERVERS }, (_, i) => [`hanging${i}`, hanging] as const);
  const stubborn = { ...fixture("--ignore-eof", "--ignore-term"), env };
  const toolboxes = { dev: toolbox({ ...Object.fromEntries(servers), stubborn }) };
  writeFileSync(ownConfig(place), JSON.stringify({ toolboxes }));
});

describe("a command that is interrupted", () => {
  it.each(["doctor", "refresh", "search echo", "list dev", "call dev/hanging0/x"])(
    "says so at once, and %s returns within a second",
    async (line) => {
      const child = spawn(process.execPath, [PROGRAM, ...line.split(" ")], {
        env: place.env,
        cwd: place.cwd,
      });
      let noticedAt = 0;
      child.stdout.resume();
      child.stderr.setEncoding("utf8").on("data", (text: string) => {
        if (text.includes("Stopping…")) noticedAt = performance.now();
      });
      const closed = new Promise<number | null>((resolve) => child.on("close", resolve));
      await waitFor(() => processesOf(place.home).length > 0, GENEROUS_MS, "a server");
      const interruptedAt = performance.now();
      child.kill("SIGINT");
      expect(await closed).toBe(130);
      expect(performance.now() - interruptedAt).toBeLessThan(MAX_STOP_MS);
      expect(noticedAt - interruptedAt).toBeLessThan(MAX_NOTICE_MS);
      expect(processesOf(place.home)).toEqual([]);
    },
  );
});
