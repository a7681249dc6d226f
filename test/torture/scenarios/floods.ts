/** Servers that never stop talking. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { openToolbox, textOf, callTool, useTool } from "../../support/calls.ts";
import { changes } from "../../support/native.ts";
import { withOptions } from "../../support/servers.ts";
import { temporaryFolder } from "../../support/workbench.ts";
import { chaos } from "../chaos.ts";
import { atWorkingSize, withinMemory } from "../measured.ts";
import type { Rig } from "../rig.ts";
import type { Scenario } from "../scenario.ts";

const MB = 1024 ** 2;
/** The log and the rotated one. */
const MAX_LOGGED = 2 * 10 * MB;
const FLOOD_MS = 30_000;
/** List changes are processed at most once a second. */
const MAX_LISTINGS_PER_SECOND = 1;
/** Log messages that a client gets from one server. */
const MAX_LOGGED_PER_SECOND = 200;

function patient(rig: Rig): Readonly<Record<string, unknown>> {
  return { timeouts: { callMs: rig.limit(FLOOD_MS), totalMs: rig.limit(FLOOD_MS) } };
}

async function notifications(rig: Rig): Promise<void> {
  const count = rig.measured ? "50000" : "10000";
  const flood = chaos("--flood-notify", count, "--flood-list-changed", count);
  const run = await rig.start(
    { floods: withOptions(flood, patient(rig)) },
    { toolMode: "dynamic" },
  );
  await openToolbox(run.client, "dev");
  const witness = run.witness("dev", "floods");
  const listedBefore = witness.messages("tools/list").length;
  const changesBefore = changes(run.process);
  const begin = performance.now();
  expect(textOf(await callTool(run.client, "dev__floods__fault", {}))).toBe("done");
  if (!rig.measured) {
    // The flood makes the program list the tools, if only once.
    const isListed = (): boolean => witness.messages("tools/list").length > listedBefore;
    await rig.wait(isListed, 2000, "the tools to be listed");
  }
  // The server answers this after the listing.
  expect(textOf(await callTool(run.client, "dev__floods__echo", { text: "after" }))).toBe("after");
  await rig.settle(run, 1000);
  const listed = witness.messages("tools/list").length - listedBefore;
  const passedOn = run.process.notificationsOf("notifications/message").length;
  // However long the flood takes: the current second counts, and so does the one before.
  const seconds = (performance.now() - begin) / 1000 + 2;
  expect(listed).toBeLessThanOrEqual(seconds * MAX_LISTINGS_PER_SECOND);
  expect(passedOn).toBeLessThanOrEqual(seconds * MAX_LOGGED_PER_SECOND);
  expect(changes(run.process) - changesBefore).toBe(0);
  if (!rig.measured) return;
  // The flood lasts two seconds.
  expect(listed).toBeLessThanOrEqual(4);
  expect(passedOn).toBeLessThan(5000);
}

async function standardError(rig: Rig): Promise<void> {
  const log = join(temporaryFolder(rig.disposables), "workbench.log");
  const run = await rig.start(
    {
      floods: withOptions(chaos("--flood-stderr", rig.measured ? "200m" : "50m"), patient(rig)),
    },
    { log: { level: "debug", file: log } },
  );
  await openToolbox(run.client, "dev");
  for (let round = 0; round < (rig.measured ? 2 : 1); round++) {
    const answer = await withinMemory(rig, run, 60 * MB, () =>
      useTool(run.client, "dev/floods/fault", {}),
    );
    expect(textOf(answer)).toBe("done");
    if (round === 0) atWorkingSize(rig, run);
  }
  expect(bytesOfLogs(log)).toBeLessThanOrEqual(MAX_LOGGED);
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
    title: "a flood of notifications is cut down to a few, and no other client notices",
    loud: true,
    naive: /no answer to tools\/call|to be less than or equal to/,
    play: notifications,
  },
  {
    id: "S-15",
    title: "megabytes on standard error without a line break fill neither the memory nor the log",
    loud: true,
    naive: /no answer to tools\/call|to be less than/,
    expected: { answerMs: 30_000 },
    play: standardError,
  },
];
