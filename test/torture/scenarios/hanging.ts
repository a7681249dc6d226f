/** Calls that do not come to an end. */
import { expect } from "vitest";
import { failureOf, openToolbox, textOf, useTool } from "../../support/calls.ts";
import { chaos } from "../chaos.ts";
import { type Rig, TIMEOUTS } from "../rig.ts";
import type { Scenario } from "../scenario.ts";

async function neverAnswers(rig: Rig): Promise<void> {
  const run = await rig.start({ hangs: chaos("--hang", "call", "--ids", "late") });
  await openToolbox(run.client, "dev");
  const witness = run.witness("dev", "hangs");
  const pidBefore = await pidOf(run.client, "hangs");
  const begin = performance.now();
  const failure = failureOf(await useTool(run.client, "dev/hangs/fault", {}));
  const ms = performance.now() - begin;
  expect(failure).toContain("'hangs'");
  expect(failure).toContain(`${TIMEOUTS.callMs} ms`);
  expect(ms).toBeGreaterThanOrEqual(TIMEOUTS.callMs - 50);
  expect(ms).toBeLessThan(TIMEOUTS.callMs + 1000);

  await rig.wait(
    () => witness.messages("notifications/cancelled").length > 0,
    2000,
    "the server to be told",
  );
  const [call] = witness.callsOf("fault");
  const [cancelled] = witness.messages("notifications/cancelled");
  expect(cancelled?.params?.["requestId"]).toBe(call?.id);
  expect(await pidOf(run.client, "hangs")).toBe(pidBefore);
  // The late answer arrives while the server goes on serving; the invariants tell if it gets out.
  await rig.watch(2000);
  expect(await pidOf(run.client, "hangs")).toBe(pidBefore);
  expect(run.process.lines.filter((line) => line.includes("too late"))).toEqual([]);
}

async function endlessProgress(rig: Rig): Promise<void> {
  const run = await rig.start({ busy: chaos("--progress", "100") });
  await openToolbox(run.client, "dev");
  const begin = performance.now();
  const meta = { progressToken: "how-far" };
  const failure = failureOf(await useTool(run.client, "dev/busy/fault", {}, { meta }));
  const ms = performance.now() - begin;
  expect(failure).toContain("'busy'");
  expect(ms).toBeGreaterThanOrEqual(TIMEOUTS.totalMs - 50);
  expect(ms).toBeLessThan(TIMEOUTS.totalMs + 1000);
  const progress = run.process.notificationsOf("notifications/progress");
  expect(progress.length).toBeGreaterThan(20);
  for (const { params } of progress) expect(params["progressToken"]).toBe("how-far");
}

async function pidOf(client: Parameters<typeof useTool>[0], server: string): Promise<number> {
  const text = textOf(await useTool(client, `dev/${server}/status`, {}));
  return (JSON.parse(text) as { pid: number }).pid;
}

export const hanging: readonly Scenario[] = [
  {
    id: "S-09",
    title: "a call that is never answered",
    naive: /too late|no answer to tools\/call/,
    play: neverAnswers,
  },
  {
    id: "S-10",
    title: "progress that never ends",
    naive: /no answer to tools\/call/,
    play: endlessProgress,
  },
];
