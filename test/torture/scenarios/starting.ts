/** Servers that cannot be started, die at once, are slow or never answer. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";
import { failureOf, listTools, openToolbox, textOf, useTool } from "../../support/calls.ts";
import { changes } from "../../support/native.ts";
import {
  type ServerEntry,
  type Servers,
  type Witness,
  withOptions,
} from "../../support/servers.ts";
import { temporaryFolder } from "../../support/workbench.ts";
import { chaos, STUBBORN } from "../chaos.ts";
import { resourcesOf, serversOf } from "../resources.ts";
import { type Rig, TIMEOUTS } from "../rig.ts";
import type { Scenario } from "../scenario.ts";
import { serverStatus } from "../status.ts";

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
  expect(performance.now() - begin).toBeLessThan(2000);
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
  const call = async (): Promise<{ failure: string; ms: number }> => {
    const begin = performance.now();
    const failure = failureOf(await useTool(run.client, "dev/dies/echo", { text: "x" }));
    return { failure, ms: performance.now() - begin };
  };
  const first = await call();
  // Far below the connect time-out: its end is noticed, not waited for.
  expect(first.ms).toBeLessThan(1000);
  expect(first.failure).toContain("cannot start, line 200 of 200");

  const failures: string[] = [];
  const until = performance.now() + Math.min(10_000, rig.program.watchMs);
  while (performance.now() < until) {
    failures.push((await call()).failure);
    await delay(100);
  }
  expect(run.witness("dev", "dies").starts).toBeLessThanOrEqual(5);
  expect(failures.filter((failure) => /next try in [\d.]+ s/.test(failure))).not.toEqual([]);
  const { state, lastError, stderrTail } = await serverStatus(run, "dev/dies");
  expect(state).toBe("backoff");
  expect(lastError).toContain("exited with code 3");
  expect(stderrTail.at(-1)).toBe("dies: cannot start, line 200 of 200");
}

const SLOW_START_MS = 10_000;
const SLOW_TIMEOUTS = { connectMs: 20_000 };

function withOneSlow(): Servers {
  const slow = chaos("--start-delay", String(SLOW_START_MS));
  return { one: chaos(), slow: withOptions(slow, { timeouts: SLOW_TIMEOUTS }), two: chaos() };
}

async function slowStart(rig: Rig): Promise<void> {
  await Promise.all([slowInProxyMode(rig), slowInDynamicMode(rig)]);
}

async function slowInProxyMode(rig: Rig): Promise<void> {
  const run = await rig.start(withOneSlow());
  const hello = run.process.timings.find(({ method }) => method === "initialize");
  expect(hello?.tookMs).toBeLessThan(1000);
  const opening = openToolbox(run.client, "dev");
  const begin = performance.now();
  for (const server of ["one", "two"])
    expect(textOf(await useTool(run.client, `dev/${server}/echo`, { text: server }))).toBe(server);
  expect(performance.now() - begin).toBeLessThan(2000);
  const { tools } = await opening;
  expect(new Set(tools.map(({ server }) => server))).toEqual(new Set(["one", "slow", "two"]));
}

async function slowInDynamicMode(rig: Rig): Promise<void> {
  const run = await rig.start(withOneSlow(), { toolMode: "dynamic" });
  const before = changes(run.process);
  await openToolbox(run.client, "dev");
  await run.process.when(() => changes(run.process) > before, "the list to change");
  const names = (await listTools(run.client)).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["dev__one__echo", "dev__slow__echo"]));
  await rig.watch(1000);
  expect(changes(run.process) - before).toBe(1);
}

const HANGING_ROUNDS = 4;

async function neverGreets(rig: Rig): Promise<void> {
  const obedient = ["a", "b"];
  const stubborn = ["c", "d", "e"];
  const names = [...obedient, ...stubborn];
  const hangs = (name: string): ServerEntry =>
    chaos("--hang", "init", ...(stubborn.includes(name) ? STUBBORN : []));
  const run = await rig.start(Object.fromEntries(names.map((name) => [name, hangs(name)])));
  const attempt = async (name: string): Promise<void> => {
    for (let round = 1; round <= HANGING_ROUNDS;) {
      const begin = performance.now();
      const failure = failureOf(await useTool(run.client, `dev/${name}/echo`, { text: "x" }));
      const ms = performance.now() - begin;
      if (/next try in/.test(failure)) {
        await delay(100);
        continue;
      }
      expect(failure).toContain("timeout");
      expect(ms).toBeGreaterThanOrEqual(TIMEOUTS.connectMs - 50);
      expect(ms).toBeLessThan(TIMEOUTS.connectMs + 1000);
      round++;
    }
  };
  // Twenty times in all.
  await Promise.all(names.map(attempt));
  for (const name of names) expect(run.witness("dev", name).starts).toBe(HANGING_ROUNDS);
  // Also those that ignore the end of their input and SIGTERM; only the bystander is left.
  await rig.wait(() => serversOf(run.pid, run).length === 1, 5000, "the servers to be killed");
  for (const name of obedient)
    for (const ms of lifetimes(run.witness("dev", name))) {
      expect(ms).toBeGreaterThanOrEqual(TIMEOUTS.connectMs - 500);
      expect(ms).toBeLessThan(TIMEOUTS.connectMs + 1000);
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
    title: "a command that is missing, one that is no program, and a folder that is not there",
    naive: /program ended.*no-such-program/s,
    play: cannotStart,
  },
  {
    id: "S-02",
    title: "a server that ends before the handshake",
    naive: /program ended.*cannot start/s,
    play: diesBeforeHandshake,
  },
  {
    id: "S-07",
    title: "a server that takes ten seconds to start",
    naive: /no answer to initialize|to be less than/,
    expected: { answerMs: SLOW_START_MS + 3000 },
    play: slowStart,
  },
  {
    id: "S-08",
    title: "a server that never answers initialize",
    naive: /no answer to initialize/,
    play: neverGreets,
  },
];
