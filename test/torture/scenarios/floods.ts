/** Servers that never stop talking. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { openToolbox, textOf, callTool, useTool } from "../../support/calls.ts";
import { changes } from "../../support/native.ts";
import { withOptions } from "../../support/servers.ts";
import { temporaryFolder } from "../../support/workbench.ts";
import { chaos } from "../chaos.ts";
import { atWorkingSize } from "../invariants.ts";
import { watchMemory } from "../resources.ts";
import type { Rig } from "../rig.ts";
import type { Scenario } from "../scenario.ts";

const MB = 1024 ** 2;
/** The log and the one that was put aside. */
const MOST_LOGGED = 2 * 10 * MB;
const PATIENT = { timeouts: { callMs: 30_000, totalMs: 30_000 } };

async function notifications(rig: Rig): Promise<void> {
  const flood = chaos("--flood-notify", "50000", "--flood-list-changed", "50000");
  const run = await rig.start({ floods: withOptions(flood, PATIENT) }, { toolMode: "dynamic" });
  await openToolbox(run.client, "dev");
  const witness = run.witness("dev", "floods");
  const listedBefore = witness.messages("tools/list").length;
  const changesBefore = changes(run.process);
  expect(textOf(await callTool(run.client, "dev__floods__fault", {}))).toBe("done");
  await rig.watch(1000);
  // The flood lasts two seconds, and changes are looked at once in a while.
  expect(witness.messages("tools/list").length - listedBefore).toBeLessThanOrEqual(4);
  expect(changes(run.process) - changesBefore).toBeLessThanOrEqual(10);
  const passedOn = run.process.notificationsOf("notifications/message").length;
  expect(passedOn).toBeLessThan(5000);
}

async function standardError(rig: Rig): Promise<void> {
  const log = join(temporaryFolder(rig.disposables), "workbench.log");
  const run = await rig.start(
    { floods: withOptions(chaos("--flood-stderr", "200m"), PATIENT) },
    { log: { level: "debug", file: log } },
  );
  await openToolbox(run.client, "dev");
  for (let round = 0; round < 2; round++) {
    const peak = watchMemory(run.pid);
    expect(textOf(await useTool(run.client, "dev/floods/fault", {}))).toBe("done");
    expect(peak() - run.baseline.rss).toBeLessThan(60 * MB);
    if (round === 0) atWorkingSize(run);
  }
  expect(bytesOfLogs(log)).toBeLessThanOrEqual(MOST_LOGGED);
  expect(run.process.stderr.length).toBeLessThan(MB);
}

/** The log and whatever it was rotated to. */
function bytesOfLogs(log: string): number {
  const dir = dirname(log);
  if (!existsSync(dir)) return 0;
  return readdirSync(dir).reduce((sum, name) => sum + statSync(join(dir, name)).size, 0);
}

export const floods: readonly Scenario[] = [
  {
    id: "S-14",
    title: "a hundred thousand notifications in two seconds",
    loud: true,
    naive: /no answer to tools\/call|to be less than or equal to/,
    play: notifications,
  },
  {
    id: "S-15",
    title: "two hundred megabytes on stderr without a line break, twice",
    loud: true,
    naive: /no answer to tools\/call|to be less than/,
    expected: { answerMs: 30_000 },
    play: standardError,
  },
];
