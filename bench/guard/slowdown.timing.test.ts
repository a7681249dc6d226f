import { expect, it } from "vitest";

import { quantile } from "../harness/statistics.ts";
import { proxy } from "../harness/subjects.ts";
import { echo, oneByOne } from "../harness/workloads.ts";
import { Workspace, program } from "../harness/workspace.ts";
import { ratiosOf, regressions } from "./compare.ts";
import { readBaseline } from "./judge.ts";
import { shortForm } from "./short-form.ts";

const WARM_UP_CALLS = 1_000;
const CALLS = 500;
const ROUNDS = 9;
/** On a busy machine most calls wait for others; the fastest tenth hardly does. */
const UNDISTURBED = 0.1;
/** One to the server, one to the client. */
const MESSAGES_PER_CALL = 2;

/** Ratios that show that calls, rather than the start, became slower. */
const HOT_PATH = ["echo", "echo, transparent", "processor time", "processor time, transparent"];

it("speed guard: a call that costs twice as much is found", { timeout: 180_000 }, async () => {
  const perMessage = (await timeOfCall()) / MESSAGES_PER_CALL;
  const slow = new Workspace(["--require", program("slow.cjs")], {
    BENCH_SLOW_US: String(Math.round(perMessage)),
  });
  try {
    const worse = regressions(ratiosOf(await shortForm(slow, ROUNDS)), readBaseline());
    const names = worse.map(({ name }) => name).filter((name) => HOT_PATH.includes(name));
    expect(names).not.toEqual([]);
  } finally {
    slow.remove();
  }
});

/** The time of an undisturbed echo through the workbench, in microseconds. */
async function timeOfCall(): Promise<number> {
  const workspace = new Workspace();
  const connection = await proxy(workspace, {});
  try {
    await oneByOne(echo, connection, WARM_UP_CALLS);
    return quantile(await oneByOne(echo, connection, CALLS), UNDISTURBED);
  } finally {
    await connection.close();
    workspace.remove();
  }
}
