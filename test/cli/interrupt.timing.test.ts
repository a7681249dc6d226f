/** How long a command takes to stop after Ctrl-C, with servers that ignore everything but SIGKILL. */
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

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
/** Other processes can only make a round longer, so the shortest counts. */
const ROUNDS = 3;

const disposables = perTest();

/** A new place, because commands remember which servers do not answer. */
function place(): CliPlace {
  const created = cliPlace(disposables);
  const env = { [MARKER_VARIABLE]: created.home };
  const code = 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000);';
  const hanging = { command: process.execPath, args: ["-e", code], env };
  const servers = Array.from({ length: SERVERS }, (_, i) => [`hanging${i}`, hanging] as const);
  const stubborn = { ...fixture("--ignore-eof", "--ignore-term"), env };
  const toolboxes = { dev: toolbox({ ...Object.fromEntries(servers), stubborn }) };
  writeFileSync(ownConfig(created), JSON.stringify({ toolboxes }));
  return created;
}

/** Interrupts a command when its first server runs; how long it took to say so, and to end. */
async function interrupt(line: string): Promise<{ noticeMs: number; stopMs: number }> {
  const { home, cwd, env } = place();
  const child = spawn(process.execPath, [PROGRAM, ...line.split(" ")], { env, cwd });
  let noticedAt = Infinity;
  child.stdout.resume();
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    if (text.includes("Stopping…")) noticedAt = performance.now();
  });
  const closed = new Promise<number | null>((resolve) => child.on("close", resolve));
  await waitFor(() => processesOf(home).length > 0, GENEROUS_MS, "a server");
  const interruptedAt = performance.now();
  child.kill("SIGINT");
  expect(await closed).toBe(130);
  const stopMs = performance.now() - interruptedAt;
  await waitFor(() => processesOf(home).length === 0, GENEROUS_MS, "the servers to end");
  return { noticeMs: noticedAt - interruptedAt, stopMs };
}

describe("a command that is interrupted", () => {
  it.each(["doctor", "refresh", "search echo", "list dev", "call dev/hanging0/x"])(
    "says so at once, and %s returns within a second",
    async (line) => {
      let [noticeMs, stopMs] = [Infinity, Infinity];
      for (let round = 0; round < ROUNDS; round++) {
        const measured = await interrupt(line);
        noticeMs = Math.min(noticeMs, measured.noticeMs);
        stopMs = Math.min(stopMs, measured.stopMs);
        if (noticeMs < MAX_NOTICE_MS && stopMs < MAX_STOP_MS) break;
      }
      expect(noticeMs).toBeLessThan(MAX_NOTICE_MS);
      expect(stopMs).toBeLessThan(MAX_STOP_MS);
    },
  );
});
