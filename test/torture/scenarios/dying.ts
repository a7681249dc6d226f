/** Servers that exit when they should not. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";
import { failureOf, openToolbox, resultOf, textOf, useTool } from "../../support/calls.ts";
import { alive } from "../../support/proc.ts";
import type { Witness } from "../../support/servers.ts";
import { temporaryFolder } from "../../support/workbench.ts";
import { chaos } from "../chaos.ts";
import { expectWithin } from "../measured.ts";
import { BUSY_MACHINE_MS } from "../program.ts";
import type { Rig, Run } from "../rig.ts";
import type { Scenario } from "../scenario.ts";
import { maxStarts } from "../starts.ts";
import { type ServerStatus, serverStatus, serverStatusAtOnce } from "../status.ts";

/**
 * The fifth start follows in less than 10 s, the sixth not before 12 s. What is repaired in between need not wait for a
 * seventh, and the sixth shows the longest pause.
 */
const LOOP_MS = 10_500;
/** Starts after which a server that keeps failing is surely made to wait. */
const FAILING_STARTS = 3;
/** Each pause may be up to a fifth longer or shorter than planned. */
const JITTER = 1.2 / 0.8;

/** Calls a server again and again, like an agent that does not give up. */
async function insist(run: Run, server: string, until: () => boolean): Promise<void> {
  while (!until()) {
    await useTool(run.client, `dev/${server}/echo`, { text: "again" });
    await delay(150);
  }
}

function startTimes(witness: Witness): number[] {
  return witness
    .rows()
    .filter(({ event }) => event === "start")
    .map(({ at }) => at);
}

async function crashLoop(rig: Rig): Promise<void> {
  const repaired = join(temporaryFolder(rig.disposables), "repaired");
  const loop = (when: string): ReturnType<typeof chaos> =>
    chaos("--die", when, "--exit-code", "0", "--healed-by", repaired);
  const run = await rig.start({ greets: loop("after-init"), lists: loop("after-list") });
  const begin = performance.now();
  const servers = ["greets", "lists"];
  const startsOf = (server: string): number[] => startTimes(run.witness("dev", server));
  const loopMs = Math.min(LOOP_MS, rig.program.watchMs);
  const isOver = (server: string): boolean =>
    rig.measured
      ? performance.now() - begin > loopMs
      : startsOf(server).length >= FAILING_STARTS || performance.now() - begin > BUSY_MACHINE_MS;
  await Promise.all(servers.map((server) => insist(run, server, () => isOver(server))));

  for (const server of servers) {
    const starts = startsOf(server);
    expect(starts.length, server).toBeGreaterThanOrEqual(FAILING_STARTS);
    expect(starts.length, server).toBeLessThanOrEqual(maxStarts(performance.now() - begin));
    // A pause may just be over; then another attempt begins the next.
    const pausing = async (): Promise<ServerStatus | undefined> => {
      await useTool(run.client, `dev/${server}/echo`, { text: "x" });
      const status = await serverStatusAtOnce(run, `dev/${server}`);
      return status.state === "backoff" ? status : undefined;
    };
    const { restarts, lastError } = await rig.wait(pausing, 10_000, `${server} to pause`);
    expect(restarts, server).toBeGreaterThanOrEqual(starts.length - 1);
    expect(lastError, server).toContain("exited with code 0");
  }

  writeFileSync(repaired, "");
  const works = async (server: string): Promise<boolean> => {
    const { isError } = resultOf(await useTool(run.client, `dev/${server}/echo`, { text: "x" }));
    return isError !== true;
  };
  // Never given up: the next attempt follows at most half a minute after the last.
  for (const server of servers)
    await rig.wait(() => works(server), 40_000, `${server} to be well again`);
  for (const server of rig.measured ? servers : []) {
    const starts = startsOf(server);
    expect(starts.length, server).toBeLessThanOrEqual(maxStarts(performance.now() - begin));
    expectGrowingPauses(server, starts);
  }
}

function expectGrowingPauses(server: string, starts: readonly number[]): void {
  expect(starts.length, server).toBeLessThanOrEqual(8);
  const [first = 0] = starts;
  expect(starts.filter((at) => at - first < 10_000).length, server).toBeLessThanOrEqual(5);
  const gaps = starts.slice(1).map((at, i) => at - (starts[i] ?? 0));
  for (const [i, gap] of gaps.entries())
    expect(gap * JITTER, `${server}: pauses ${gaps.join(", ")}`).toBeGreaterThanOrEqual(
      gaps[i - 1] ?? 0,
    );
}

async function diesInCall(rig: Rig): Promise<void> {
  const calls = 20;
  const run = await rig.start({ dies: chaos("--die", `in-call:${calls}`) });
  await openToolbox(run.client, "dev");
  const answers = await Promise.all(
    Array.from({ length: calls }, async (_, i) => {
      const response = await useTool(run.client, "dev/dies/fault", { nonce: `nonce-${i}` });
      return { failure: failureOf(response), at: Date.now() };
    }),
  );
  const witness = run.witness("dev", "dies");
  const died = witness.rows().find(({ event }) => event === "exit")?.at ?? 0;
  for (const { failure, at } of answers) {
    expect(failure).toContain("'dies'");
    expect(failure).toContain("fault");
    if (rig.measured) expect(at - died).toBeLessThan(1000);
  }
  expect(textOf(await useTool(run.client, "dev/dies/echo", { text: "back" }))).toBe("back");
  const nonces = witness.callsOf("fault").map(({ raw }) => /nonce-\d+/.exec(raw)?.[0]);
  expect(nonces).toHaveLength(calls);
  expect(new Set(nonces).size).toBe(calls);
}

async function killedWhileIdle(rig: Rig): Promise<void> {
  const run = await rig.start({ idle: chaos() });
  await openToolbox(run.client, "dev");
  const { pid, state } = await serverStatus(run, "dev/idle");
  expect(state).toBe("ready");
  process.kill(pid ?? 0, "SIGKILL");
  const killed = performance.now();
  await rig.wait(
    async () => (await serverStatusAtOnce(run, "dev/idle")).state !== "ready",
    3000,
    "the death to be noticed",
  );
  expectWithin(rig, killed, 1000);
  const begin = performance.now();
  expect(textOf(await useTool(run.client, "dev/idle/echo", { text: "back" }))).toBe("back");
  expectWithin(rig, begin, 3000);
}

async function heldOutput(rig: Rig): Promise<void> {
  const run = await rig.start({ held: chaos("--hold-stdout", "300", "--hang", "call") });
  await openToolbox(run.client, "dev");
  const witness = run.witness("dev", "held");
  const rows = witness.rows() as { event: string; pid: number; child?: number }[];
  const holder = rows.find(({ event }) => String(event) === "forked")?.child ?? 0;
  expect(alive(holder)).toBe(true);
  const pending = useTool(run.client, "dev/held/fault", {});
  await rig.wait(() => witness.callsOf("fault").length === 1, 5000, "the call to arrive");
  process.kill(rows[0]?.pid ?? 0, "SIGKILL");
  const killed = performance.now();
  expect(failureOf(await pending)).toContain("'held'");
  expectWithin(rig, killed, 1500);
  await rig.wait(() => !alive(holder), 5000, "the descendant to end as well");
}

export const dying: readonly Scenario[] = [
  {
    id: "S-03",
    title:
      "servers that keep dying right after the handshake are restarted after growing pauses, and work as soon as they are repaired",
    naive: /no answer to initialize|program ended/,
    play: crashLoop,
  },
  {
    id: "S-04",
    title:
      "when a server dies during twenty calls, each fails once and names the server, and none is sent again",
    naive: /Connection closed.*to contain/,
    play: diesInCall,
  },
  {
    id: "S-05",
    title: "a server that is killed while idle is restarted by the next call",
    naive: /in vain for the death to be noticed/,
    play: killedWhileIdle,
  },
  {
    id: "S-06",
    title:
      "when a server dies whose child process keeps its output open, its calls fail and the child is ended",
    naive: /no answer to tools\/call/,
    play: heldOutput,
  },
];
