/** Servers that cannot be started, die at once, are slow or never answer. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";
import {
  failureOf,
  listTools,
  openToolbox,
  openToolboxOnce,
  textOf,
  useTool,
} from "../../support/calls.ts";
import { changes } from "../../support/native.ts";
import {
  type ServerEntry,
  type Servers,
  type Witness,
  withOptions,
} from "../../support/servers.ts";
import { temporaryFolder } from "../../support/workbench.ts";
import { chaos, STUBBORN } from "../chaos.ts";
import { expectWithin } from "../measured.ts";
import { resourcesOf, serversOf } from "../resources.ts";
import type { Rig } from "../rig.ts";
import type { Scenario } from "../scenario.ts";
import { maxStarts } from "../starts.ts";
import { serverStatus, type ServerStatus, serverStatusAtOnce } from "../status.ts";

async function cannotStart(rig: Rig): Promise<void> {
  const dir = temporaryFolder(rig.disposables);
  const missing = join(dir, "no-such-program");
  const denied = join(dir, "not-executable");
  const nowhere = join(dir, "no-such-folder");
  writeFileSync(denied, "#!/bin/sh\n", { mode: 0o644 });
  const broken = { missing, denied, nowhere };
  const run = await rig.start({
    missing: { command: missing },
    denied: { command: denied },
    nowhere: withOptions(chaos(), { cwd: nowhere }),
    good: chaos(),
  });

  const begin = performance.now();
  const opened = await openToolbox(run.client, "dev");
  expectWithin(rig, begin, 2000);
  expect(opened.tools.map(({ server, name }) => `${server}/${name}`)).toContain("good/echo");
  expect(textOf(await useTool(run.client, "dev/good/echo", { text: "fine" }))).toBe("fine");

  const reasons = new Set<string>();
  for (const [name, path] of Object.entries(broken)) {
    const reason = opened.servers_failed?.find(({ server }) => server === name)?.reason;
    expect(reason, name).toContain(path);
    const { state, lastError } = await serverStatus(run, `dev/${name}`);
    expect(["idle", "backoff"]).toContain(state);
    expect(lastError).toContain(path);
    expect(lastError).toMatch(/\(E[A-Z]+\)/);
    reasons.add(lastError?.replaceAll(path, "") ?? "");
  }
  expect(reasons.size).toBe(3);
}

async function diesBeforeHandshake(rig: Rig): Promise<void> {
  const run = await rig.start({ dies: chaos("--name", "dies", "--die", "before-init") });
  const call = async (): Promise<string> =>
    failureOf(await useTool(run.client, "dev/dies/echo", { text: "x" }));
  const begin = performance.now();
  const first = await call();
  // Far below the connect time-out: its exit is noticed, not waited for.
  expectWithin(rig, begin, 1000);
  expect(first).toContain("cannot start, line 200 of 200");

  const until = performance.now() + Math.min(INSISTING_MS, rig.program.watchMs);
  const isAnnounced = async (): Promise<boolean> => /next try in [\d.]+ s/.test(await call());
  await rig.wait(isAnnounced, INSISTING_MS, "the next try to be announced");
  while (performance.now() < until) {
    await call();
    await delay(100);
  }
  const { starts } = run.witness("dev", "dies");
  expect(starts).toBeLessThanOrEqual(maxStarts(performance.now() - begin));
  if (rig.measured) expect(starts).toBeLessThanOrEqual(5);
  // A pause may just be over; then another attempt begins the next.
  const pausing = async (): Promise<ServerStatus | undefined> => {
    await call();
    const status = await serverStatusAtOnce(run, "dev/dies");
    return status.state === "backoff" ? status : undefined;
  };
  const { lastError, stderrTail } = await rig.wait(pausing, 10_000, "a pause");
  expect(lastError).toContain("exited with code 3");
  expect(stderrTail.at(-1)).toBe("dies: cannot start, line 200 of 200");
}

const INSISTING_MS = 10_000;

/** Clearly less than `open_toolbox` waits; slower servers are in test/e2e/slow-start.full.test.ts. */
const SLOW_START_MS = 6000;
const SLOW_CONNECT_MS = 20_000;

/** Two servers, and one that starts on command. */
function withOneSlow(rig: Rig): { servers: Servers; start: () => Promise<void> } {
  const signal = join(temporaryFolder(rig.disposables), "start");
  const begin = performance.now();
  const slow = withOptions(chaos("--start-when", signal), {
    timeouts: { connectMs: rig.limit(SLOW_CONNECT_MS) },
  });
  const start = async (): Promise<void> => {
    if (rig.measured) await delay(Math.max(0, SLOW_START_MS - (performance.now() - begin)));
    writeFileSync(signal, "");
  };
  return { servers: { one: chaos(), slow, two: chaos() }, start };
}

async function slowStart(rig: Rig): Promise<void> {
  await Promise.all([slowInProxyMode(rig), slowInDynamicMode(rig)]);
}

async function slowInProxyMode(rig: Rig): Promise<void> {
  const { servers, start } = withOneSlow(rig);
  const run = await rig.start(servers);
  const hello = run.process.timings.find(({ method }) => method === "initialize");
  if (rig.measured) expect(hello?.tookMs).toBeLessThan(1000);
  const opening = openToolbox(run.client, "dev");
  const begin = performance.now();
  for (const server of ["one", "two"])
    expect(textOf(await useTool(run.client, `dev/${server}/echo`, { text: server }))).toBe(server);
  expectWithin(rig, begin, 2000);
  await start();
  const { tools } = await opening;
  expect(new Set(tools.map(({ server }) => server))).toEqual(new Set(["one", "slow", "two"]));
}

async function slowInDynamicMode(rig: Rig): Promise<void> {
  const { servers, start } = withOneSlow(rig);
  const run = await rig.start(servers, { toolMode: "dynamic" });
  const before = changes(run.process);
  const opening = openToolboxOnce(run.client, "dev");
  await rig.wait(() => run.witness("dev", "slow").starts === 1, 5000, "the slow server to begin");
  await start();
  const { servers_connected: connected, servers_starting: late = [] } = await opening;
  if (rig.measured) expect(late).toEqual([]);
  const isComplete = async (): Promise<boolean> => {
    const names = (await listTools(run.client)).map(({ name }) => name);
    return ["one", "slow", "two"].every((server) => names.includes(`dev__${server}__echo`));
  };
  await rig.wait(isComplete, 20_000, "the tools of all servers");
  await rig.settle(run, 1000);
  // One change for what is ready when the toolbox is opened, and one for each server that is late.
  const changed = changes(run.process) - before;
  expect(changed).toBeGreaterThan(0);
  expect(changed).toBeLessThanOrEqual((connected > 0 ? 1 : 0) + late.length);
}

async function neverGreets(rig: Rig): Promise<void> {
  const rounds = rig.measured ? 4 : 2;
  const { connectMs } = rig.timeouts;
  const obedient = ["a", "b"];
  const stubborn = ["c", "d", "e"];
  const names = [...obedient, ...stubborn];
  const hangs = (name: string): ServerEntry =>
    withOptions(chaos("--hang", "init", ...(stubborn.includes(name) ? STUBBORN : [])), {
      timeouts: { connectMs },
    });
  const run = await rig.start(Object.fromEntries(names.map((name) => [name, hangs(name)])));
  const attempt = async (name: string): Promise<void> => {
    for (let round = 1; round <= rounds;) {
      const begin = performance.now();
      const failure = failureOf(await useTool(run.client, `dev/${name}/echo`, { text: "x" }));
      const ms = performance.now() - begin;
      if (/next try in/.test(failure)) {
        await delay(100);
        continue;
      }
      expect(failure).toContain("timeout");
      if (rig.measured) {
        expect(ms).toBeGreaterThanOrEqual(connectMs - 50);
        expect(ms).toBeLessThan(connectMs + 1000);
      }
      round++;
    }
  };
  await Promise.all(names.map(attempt));
  for (const name of names) {
    const { starts } = run.witness("dev", name);
    expect(starts).toBeLessThanOrEqual(rounds);
    // On a busy machine, a process may be killed before it can record its start.
    expect(starts).toBeGreaterThanOrEqual(rig.measured ? rounds : 1);
  }
  // Also those that ignore the end of their input and SIGTERM; only the bystander is left.
  await rig.wait(() => serversOf(run.pid, run).length === 1, 5000, "the servers to be killed");
  for (const name of rig.measured ? obedient : [])
    for (const ms of lifetimes(run.witness("dev", name))) {
      expect(ms).toBeGreaterThanOrEqual(connectMs - 500);
      expect(ms).toBeLessThan(connectMs + 1000);
    }
  await rig.wait(
    () => resourcesOf(run.pid, run).fds <= run.baseline.fds,
    5000,
    "their files to be closed",
  );
}

/** How long each process lived. */
function lifetimes(witness: Witness): number[] {
  const rows = witness.rows();
  return rows
    .filter(({ event }) => event === "start")
    .map(({ pid, at }) => {
      const end = rows.find((row) => row.event === "exit" && row.pid === pid);
      return (end?.at ?? Infinity) - at;
    });
}

export const starting: readonly Scenario[] = [
  {
    id: "S-01",
    title:
      "a missing command, a file that is no program and a missing folder are named, and the other server works",
    naive: /program ended.*no-such-program/s,
    play: cannotStart,
  },
  {
    id: "S-02",
    title:
      "a server that dies before the handshake fails its calls at once and is tried again after pauses",
    naive: /program ended.*cannot start/s,
    play: diesBeforeHandshake,
  },
  {
    id: "S-07",
    title: "a server that is slow to start delays no other client",
    naive: /no answer to initialize|to be less than/,
    expected: { answerMs: SLOW_START_MS + 3000 },
    play: slowStart,
  },
  {
    id: "S-08",
    title: "servers that never answer initialize fail at the connect time-out and are killed",
    naive: /no answer to initialize/,
    play: neverGreets,
  },
];
