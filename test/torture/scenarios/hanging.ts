/** Calls that do not finish. */
import { expect } from "vitest";
import { failureOf, openToolbox, textOf, useTool } from "../../support/calls.ts";
import type { Response } from "../../support/raw-client.ts";
import { withOptions } from "../../support/servers.ts";
import { chaos } from "../chaos.ts";
import type { Rig } from "../rig.ts";
import type { Scenario } from "../scenario.ts";
import { serverStatusAtOnce } from "../status.ts";

async function neverAnswers(rig: Rig): Promise<void> {
  const { callMs } = rig.timeouts;
  const hangs = withOptions(chaos("--hang", "call", "--ids", "late"), { timeouts: { callMs } });
  const run = await rig.start({ hangs });
  await openToolbox(run.client, "dev");
  const witness = run.witness("dev", "hangs");
  const { pid: pidBefore } = await serverStatusAtOnce(run, "dev/hangs");
  expect(pidBefore).not.toBeNull();
  const begin = performance.now();
  const failure = failureOf(await useTool(run.client, "dev/hangs/fault", {}));
  const ms = performance.now() - begin;
  expect(failure).toContain("'hangs'");
  expect(failure).toContain(`${callMs} ms`);
  if (rig.measured) {
    expect(ms).toBeGreaterThanOrEqual(callMs - 50);
    expect(ms).toBeLessThan(callMs + 1000);
  }

  await rig.wait(
    () => witness.messages("notifications/cancelled").length > 0,
    2000,
    "the server to be notified",
  );
  const [call] = witness.callsOf("fault");
  const [cancelled] = witness.messages("notifications/cancelled");
  expect(cancelled?.params?.["requestId"]).toBe(call?.id);
  // The server has answered late by now, before it answers this; the invariants check whether that
  // leaks. On a busy machine, this call may time out as well.
  const answered = async (): Promise<Response | undefined> => {
    const answer = await useTool(run.client, "dev/hangs/status", {});
    return answer.line.includes(`${callMs} ms`) ? undefined : answer;
  };
  const status = textOf(await rig.wait(answered, 2000, "an answer"));
  expect(JSON.parse(status)).toMatchObject({ pid: pidBefore });
  expect(run.process.lines.filter((line) => line.includes("too late"))).toEqual([]);
}

async function endlessProgress(rig: Rig): Promise<void> {
  const { callMs, totalMs } = rig.timeouts;
  // On a busy machine, progress may be late as well.
  const timeouts = { callMs: rig.measured ? callMs : 10 * callMs, totalMs };
  const run = await rig.start({ busy: withOptions(chaos("--progress", "100"), { timeouts }) });
  await openToolbox(run.client, "dev");
  const begin = performance.now();
  const meta = { progressToken: "how-far" };
  const answer = await useTool(run.client, "dev/busy/fault", {}, { meta });
  const ms = performance.now() - begin;
  const failure = failureOf(answer);
  expect(failure).toContain("'busy'");
  expect(failure).toContain(`within ${totalMs} ms in total`);
  if (rig.measured) {
    expect(ms).toBeGreaterThanOrEqual(totalMs - 50);
    expect(ms).toBeLessThan(totalMs + 1000);
  }
  const progress = run.process
    .notificationsOf("notifications/progress")
    .filter(({ index }) => index < answer.index);
  expect(progress.length).toBeGreaterThan(rig.measured ? 20 : 0);
  for (const { params } of progress) expect(params["progressToken"]).toBe("how-far");
}

export const hanging: readonly Scenario[] = [
  {
    id: "S-09",
    title:
      "a call that is never answered fails at its time-out, is cancelled, and its late answer is dropped",
    naive: /too late|no answer to tools\/call/,
    play: neverAnswers,
  },
  {
    id: "S-10",
    title: "a call that reports progress for ever fails when its total time is over",
    naive: /no answer to tools\/call/,
    play: endlessProgress,
  },
];
