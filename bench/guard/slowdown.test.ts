import { readFileSync } from "node:fs";

import { expect, it } from "vitest";

import { proxy } from "../harness/subjects.ts";
import { echo, medianTime } from "../harness/workloads.ts";
import { Workspace, program } from "../harness/workspace.ts";
import { type Ratios, ratiosOf, regressions } from "./compare.ts";
import { shortForm } from "./short-form.ts";

const WARM_UP_CALLS = 1_000;
const CALLS = 500;
const ROUNDS = 9;
/** One to the server, one to the client. */
const MESSAGES_PER_CALL = 2;

/** What shows that calls, rather than the start, became slower. */
const HOT_PATH = ["echo", "echo, transparent", "processor time", "processor time, transparent"];

const baseline = JSON.parse(
  readFileSync(new URL("../baseline.json", import.meta.url), "utf8"),
) as Ratios;

it("the guard finds a call that costs twice as much", { timeout: 180_000 }, async () => {
  const perMessage = (await timeOfCall()) / MESSAGES_PER_CALL;
  const slow = new Workspace(["--require", program("slow.cjs")], {
    BENCH_SLOW_US: String(Math.round(perMessage)),
  });
  try {
    const worse = regressions(ratiosOf(await shortForm(slow, ROUNDS)), baseline);
    const names = worse.map(({ name }) => name).filter((name) => HOT_PATH.includes(name));
    expect(names).not.toEqual([]);
  } finally {
    slow.remove();
  }
});

/** What an echo through the workbench takes on this machine, in microseconds. */
async function timeOfCall(): Promise<number> {
  const workspace = new Workspace();
  const connection = await proxy(workspace, {});
  try {
    await medianTime(echo, connection, WARM_UP_CALLS);
    return await medianTime(echo, connection, CALLS);
  } finally {
    await connection.close();
    workspace.remove();
  }
}
