/** Ways in which a server, the client or the program itself ends. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";
import { openToolbox } from "../../support/calls.ts";
import { killIfAlive, processesWith, rss } from "../../support/proc.ts";
import { toolbox, withOptions } from "../../support/servers.ts";
import { Transcript } from "../../support/transcript.ts";
import { chaos, STUBBORN, wrappedChaos } from "../chaos.ts";
import { expectWithin } from "../measured.ts";
import { cpuShare, isRunning } from "../resources.ts";
import { type Rig, type Run, TIMEOUTS } from "../rig.ts";
import type { Scenario } from "../scenario.ts";

async function stubbornServers(rig: Rig): Promise<void> {
  const names = Array.from({ length: 10 }, (_, i) => `stubborn-${i}`);
  const run = await rig.start(Object.fromEntries(names.map((name) => [name, chaos(...STUBBORN)])), {
    timeouts: { ...TIMEOUTS, connectMs: rig.limit(10_000) },
  });
  await openToolbox(run.client, "dev");
  expect(run.servers()).toHaveLength(names.length + 1);
  await run.bystander.stop();
  const begin = performance.now();
  run.process.child.stdin.end();
  await rig.wait(() => run.servers().length === 0, 15_000, "all servers to end");
  expectWithin(rig, begin, 2 * TIMEOUTS.shutdownMs + 1000);
  await hasEnded(rig, run);
}

async function wrappedServer(rig: Rig): Promise<void> {
  const family = { env: { TORTURE_FAMILY: "doomed" } };
  const doomed = withOptions(wrappedChaos("--fork", "3", ...STUBBORN), family);
  const run = await rig.start({ doomed, stays: chaos() });
  await openToolbox(run.client, "dev");
  const members = (): number[] =>
    processesWith("TORTURE_FAMILY", "doomed")
      .map(({ pid }) => pid)
      .filter((pid) => run.servers().some((server) => server.pid === pid));
  // The wrapper, the server and its three descendants.
  await rig.wait(() => members().length === 5, 1000, "the whole family");
  const stays = run.config.toolboxes["dev"]?.mcpServers["stays"];
  run.writeConfig({
    ...run.config,
    toolboxes: { ...run.config.toolboxes, dev: toolbox(stays === undefined ? {} : { stays }) },
  });
  const begin = performance.now();
  await rig.wait(() => members().length === 0, 10_000, "the family to end");
  expectWithin(rig, begin, 3000);
  expect(run.servers()).toHaveLength(2);
}

async function clientLeaves(rig: Rig): Promise<void> {
  await Promise.all([closesInput(rig), killed(rig, false), killed(rig, true)]);
}

async function closesInput(rig: Rig): Promise<void> {
  const run = await rig.start({ fine: chaos(), stubborn: chaos(...STUBBORN) });
  await openToolbox(run.client, "dev");
  await run.bystander.stop();
  const begin = performance.now();
  run.process.child.stdin.end();
  await rig.wait(() => run.servers().length === 0, 10_000, "the servers to end");
  await hasEnded(rig, run);
  expectWithin(rig, begin, 5000);
}

/** Waits for the process of the client, and for the one that runs the servers if clients share it. */
async function hasEnded(rig: Rig, run: Run): Promise<void> {
  await run.process.ended(rig.limit(20_000));
  await rig.wait(() => !isRunning(run.pid), 10_000, "the process that runs the servers to end");
}

const MB = 1024 ** 2;
const DEAF_MS = 10_000;
const MAX_BYTES_WHILE_DEAF = 60 * MB;
const DOOMED_CLIENT = fileURLToPath(new URL("../doomed-client.mjs", import.meta.url));

/** The client is killed, at once or after it has not read any of the answers it asked for. */
async function killed(rig: Rig, deaf: boolean): Promise<void> {
  const servers = { large: chaos("--big", "1m"), stubborn: chaos(...STUBBORN) };
  const { place } = rig.prepare(servers, {}, ["serve", "--config"]);
  const client = spawn(
    process.execPath,
    [DOOMED_CLIENT, ...(deaf ? ["--deaf"] : []), place.command, ...place.args],
    { env: { ...place.env }, stdio: ["ignore", "pipe", "pipe"] },
  );
  let log = "";
  client.stderr.setEncoding("utf8").on("data", (text: string) => (log += text));
  const transcript = new Transcript(`client that is killed${deaf ? ", deaf" : ""}`, () => log);
  rig.disposables.defer(() => transcript.close());
  rig.disposables.defer(() => void client.kill("SIGKILL"));
  const started = once(client.stdout, "data") as Promise<[Buffer]>;
  const late = delay(rig.program.startMs, undefined, { ref: false });
  const first = await Promise.race([started, late]);
  if (first === undefined) throw new Error("the client got no answer from the program");
  const pid = Number(String(first[0]));
  rig.disposables.defer(() => {
    if (isRunning(pid)) killIfAlive(pid);
  });
  if (deaf && rig.measured) await watchDeaf(rig, pid);

  client.kill("SIGKILL");
  const begin = performance.now();
  await rig.wait(() => !isRunning(pid), 10_000, "it to end");
  await rig.wait(() => place.servers().length === 0, 10_000, "the servers to end");
  expectWithin(rig, begin, 5000);
}

async function watchDeaf(rig: Rig, pid: number): Promise<void> {
  const before = rss(pid);
  const until = performance.now() + Math.min(DEAF_MS, rig.program.watchMs);
  const shares: number[] = [];
  while (performance.now() < until) {
    shares.push(await cpuShare(pid, 500));
    // Four hundred megabytes were asked for.
    expect(rss(pid) - before).toBeLessThan(MAX_BYTES_WHILE_DEAF);
  }
  // Busy with the calls first, then waiting for the answers to be read.
  expect(shares.slice(2).filter((share) => share > 0.5)).toEqual([]);
}

export const ending: readonly Scenario[] = [
  {
    id: "S-16",
    title: "ten servers that ignore every request to end are killed when the workbench ends",
    naive: /in vain for all servers to end/,
    play: stubbornServers,
  },
  {
    id: "S-17",
    title:
      "a server that is removed from the configuration ends together with its wrapper and its child processes",
    naive: /in vain for the family to end/,
    play: wrappedServer,
  },
  {
    id: "S-18",
    title:
      "no process is left when the client closes its end, is killed, or is killed with its answers unread",
    naive: /in vain for (?:it|the servers) to end|still runs after|to be less than/,
    play: clientLeaves,
  },
];
