/** Servers that write what they should not, or more than they should. */
import { createHash } from "node:crypto";
import { expect } from "vitest";
import { failureOf, openToolbox, textOf, useTool } from "../../support/calls.ts";
import { withOptions } from "../../support/servers.ts";
import { chaos } from "../chaos.ts";
import { atWorkingSize, expectWithin, withinMemory } from "../measured.ts";
import type { Rig } from "../rig.ts";
import type { Scenario } from "../scenario.ts";

const MB = 1024 ** 2;
const NOISE = "text,ansi,bom,crlf,blank,jsonarray,notrpc,utf8";
const MAX_WARNINGS = 5;

async function noise(rig: Rig): Promise<void> {
  const run = await rig.start({ noisy: chaos("--noise", NOISE, "--chunk", "1") });
  await openToolbox(run.client, "dev");
  const texts = Array.from(
    { length: rig.measured ? 100 : 30 },
    (_, i) => `${i} 🎈 été 工具 \u0000\u2028 "\\ ${i}`,
  );
  for (let at = 0; at < texts.length; at += 10) {
    const some = texts.slice(at, at + 10);
    const answers = some.map((text) => useTool(run.client, "dev/noisy/echo", { text }));
    expect((await Promise.all(answers)).map(textOf)).toEqual(some);
  }
  const warnings = run.process.stderr.split("\n").filter((line) => line !== "");
  expect(warnings.length).toBeLessThanOrEqual(MAX_WARNINGS);
}

async function tooLarge(rig: Rig): Promise<void> {
  const limit = (rig.measured ? 10 : 1) * MB;
  const large = withOptions(chaos("--big", rig.measured ? "50m" : "5m"), {
    limits: { messageBytes: limit },
  });
  const run = await rig.start({ large });
  await openToolbox(run.client, "dev");
  const status = async (): Promise<string> =>
    textOf(await useTool(run.client, "dev/large/status", {}));
  const pidOf = (text: string): number => (JSON.parse(text) as { pid: number }).pid;
  const pid = pidOf(await status());

  for (let round = 0; round < 2; round++) {
    const answer = await withinMemory(rig, run, 60 * MB, () =>
      useTool(run.client, "dev/large/fault", {}),
    );
    const failure = failureOf(answer);
    expect(failure).toContain("'large'");
    expect(failure).toContain(`bytes, the limit is ${limit}`);
    const begin = performance.now();
    expect(pidOf(await status())).toBe(pid);
    expectWithin(rig, begin, 3000);
    if (round === 0) atWorkingSize(rig, run);
  }
}

async function largeButLegal(rig: Rig): Promise<void> {
  const slowMachine = { timeouts: { callMs: rig.limit(20_000), totalMs: rig.limit(20_000) } };
  const megabytes = rig.measured ? 8 : 2;
  const run = await rig.start({
    large: withOptions(chaos("--big", `${megabytes}m`), slowMachine),
  });
  await openToolbox(run.client, "dev");
  const sha = (text: string): string => createHash("sha256").update(text).digest("hex");
  const expected = sha("b".repeat(megabytes * MB));
  for (let round = 0; round < (rig.measured ? 3 : 1); round++) {
    const answers = await Promise.all(
      Array.from({ length: 10 }, async () =>
        sha(textOf(await useTool(run.client, "dev/large/fault", {}))),
      ),
    );
    expect(answers).toEqual(Array.from({ length: 10 }, () => expected));
    if (round === 0) atWorkingSize(rig, run);
  }
}

export const framing: readonly Scenario[] = [
  {
    id: "S-11",
    title:
      "a server is used although it writes everything that does not belong on standard output, one byte at a time",
    naive: /no answer to initialize/,
    play: noise,
  },
  {
    id: "S-12",
    title: "a line far above the limit fails its call and leaves the server running, twice",
    loud: true,
    // On a fast machine it takes the whole line in time, and with it too much memory.
    naive: /no answer to tools\/call|Connection closed.*to contain|to be less than/,
    expected: { longestMs: 500 },
    play: tooLarge,
  },
  {
    id: "S-13",
    title: "ten results of many megabytes at once arrive complete",
    loud: true,
    naive: /no answer to tools\/call|I2 the bystander|MaxListeners/,
    expected: { answerMs: 20_000 },
    play: largeButLegal,
  },
];
