/** Servers that write what they should not, or more than they should. */
import { createHash } from "node:crypto";
import { expect } from "vitest";
import { failureOf, openToolbox, textOf, useTool } from "../../support/calls.ts";
import { withOptions } from "../../support/servers.ts";
import { chaos } from "../chaos.ts";
import { atWorkingSize } from "../invariants.ts";
import { watchMemory } from "../resources.ts";
import type { Rig } from "../rig.ts";
import type { Scenario } from "../scenario.ts";

const MB = 1024 ** 2;
const NOISE = "text,ansi,bom,crlf,blank,jsonarray,notrpc,utf8";
const MOST_WARNINGS = 5;

async function noise(rig: Rig): Promise<void> {
  const run = await rig.start({ noisy: chaos("--noise", NOISE, "--chunk", "1") });
  await openToolbox(run.client, "dev");
  const texts = Array.from({ length: 100 }, (_, i) => `${i} 🎈 été 工具 \u0000\u2028 "\\ ${i}`);
  for (let at = 0; at < texts.length; at += 10) {
    const some = texts.slice(at, at + 10);
    const answers = some.map((text) => useTool(run.client, "dev/noisy/echo", { text }));
    expect((await Promise.all(answers)).map(textOf)).toEqual(some);
  }
  const warnings = run.process.stderr.split("\n").filter((line) => line !== "");
  expect(warnings.length).toBeLessThanOrEqual(MOST_WARNINGS);
}

async function tooLarge(rig: Rig): Promise<void> {
  const limited = { limits: { messageBytes: 10 * MB } };
  const run = await rig.start({ large: withOptions(chaos("--big", "50m"), limited) });
  await openToolbox(run.client, "dev");
  const status = async (): Promise<string> =>
    textOf(await useTool(run.client, "dev/large/status", {}));
  const pidOf = (text: string): number => (JSON.parse(text) as { pid: number }).pid;
  const pid = pidOf(await status());

  for (let round = 0; round < 2; round++) {
    const peak = watchMemory(run.pid);
    const failure = failureOf(await useTool(run.client, "dev/large/fault", {}));
    expect(failure).toContain("'large'");
    expect(failure).toMatch(/bytes, the limit is 10485760/);
    expect(peak() - run.baseline.rss).toBeLessThan(60 * MB);
    const begin = performance.now();
    expect(pidOf(await status())).toBe(pid);
    expect(performance.now() - begin).toBeLessThan(3000);
    if (round === 0) atWorkingSize(run);
  }
}

async function largeButLegal(rig: Rig): Promise<void> {
  const slowMachine = { timeouts: { callMs: 20_000, totalMs: 20_000 } };
  const run = await rig.start({ large: withOptions(chaos("--big", "8m"), slowMachine) });
  await openToolbox(run.client, "dev");
  const sha = (text: string): string => createHash("sha256").update(text).digest("hex");
  const expected = sha("b".repeat(8 * MB));
  for (let round = 0; round < 3; round++) {
    const answers = await Promise.all(
      Array.from({ length: 10 }, async () =>
        sha(textOf(await useTool(run.client, "dev/large/fault", {}))),
      ),
    );
    expect(answers).toEqual(Array.from({ length: 10 }, () => expected));
    if (round === 0) atWorkingSize(run);
  }
}

export const framing: readonly Scenario[] = [
  {
    id: "S-11",
    title: "everything that does not belong on stdout, one byte at a time",
    naive: /no answer to initialize/,
    play: noise,
  },
  {
    id: "S-12",
    title: "a line of fifty megabytes, twice",
    loud: true,
    naive: /no answer to tools\/call|Connection closed.*to contain/,
    expected: { longestMs: 500 },
    play: tooLarge,
  },
  {
    id: "S-13",
    title: "ten results of eight megabytes at once, three times",
    loud: true,
    naive: /no answer to tools\/call|I2 the bystander|MaxListeners/,
    expected: { answerMs: 20_000 },
    play: largeButLegal,
  },
];
