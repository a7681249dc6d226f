/** Faults of the servers and programs while all clients call. */
import { setTimeout as delay } from "node:timers/promises";
import { auditRows } from "../../support/audit.ts";
import type { Requests } from "../../support/calls.ts";
import { Disposables } from "../../support/disposables.ts";
import { waitFor } from "../../support/proc.ts";
import type { Random } from "../fuzz/random.ts";
import { serversOf } from "../resources.ts";
import { newHttpClient } from "./load.ts";
import type { Tally } from "./tally.ts";
import { configOf, type HttpWorld, type Lasting, startStdio, VICTIMS } from "./world.ts";

export interface Stage {
  readonly random: Random;
  readonly tally: Tally;
  readonly http: HttpWorld;
  readonly lasting: readonly Lasting[];
  /** Clients through which a fault is triggered. */
  readonly clients: readonly Requests[];
  readonly complaints: string[];
  /** Processes that survived the end of a program. */
  readonly left: string[];
}

type Fault = (stage: Stage) => Promise<void>;

const FREEZE_MS = 2500;
const HUNG_CALLS = 5;
const ABANDONED = 10;
const GONE_MS = 10_000;
/** Each has its own explanation. */
export const BAD_CONFIGS = ["", '{ "toolboxes": ', '{ "toolboxes": { "x": 1 } }'];
let generation = 0;

function victimsOf({ random, lasting }: Stage): number[] {
  const { place, pipe } = random.pick(lasting);
  const name = `--name ${random.pick(VICTIMS)} `;
  return serversOf(pipe.child.pid ?? 0, place)
    .filter(({ command }) => command.includes(name))
    .map(({ pid }) => pid);
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended in the meantime.
  }
}

const FAULTS: Record<string, Fault> = {
  kill: async (stage) => {
    for (const pid of victimsOf(stage)) signal(pid, "SIGKILL");
  },
  freeze: async (stage) => {
    const pids = victimsOf(stage);
    for (const pid of pids) signal(pid, "SIGSTOP");
    await delay(FREEZE_MS);
    for (const pid of pids) signal(pid, "SIGCONT");
  },
  hang: async ({ random, tally, clients }) => {
    const client = random.pick(clients);
    await Promise.all(Array.from({ length: HUNG_CALLS }, () => tally.fault(client, "hangs")));
  },
  flood: ({ random, tally, clients }) => tally.fault(random.pick(clients), "floods"),
  "flood of stderr": ({ random, tally, clients }) => tally.fault(random.pick(clients), "noisy"),
  reload: async ({ random, lasting }) => {
    random.pick(lasting).place.writeConfig(configOf(++generation));
  },
  "bad reload": async ({ random, lasting }) => {
    const { place } = random.pick(lasting);
    place.writeConfig(random.pick(BAD_CONFIGS));
    await delay(1000);
    place.writeConfig(configOf(generation));
  },
  "abandoned sessions": async ({ http, complaints }) => {
    const clients = Array.from({ length: ABANDONED }, () => newHttpClient(http, complaints));
    await Promise.all(clients.map((client) => client.initialize()));
    for (const client of clients) client.abandon();
  },
  "a program that ends": endOne,
};

/** One more program with running servers, ended in one of several ways. */
async function endOne({ random, tally, left }: Stage): Promise<void> {
  const disposables = new Disposables();
  try {
    const { caller, place, pipe } = await startStdio(disposables, "short");
    const servers = ["victim-1", "hangs"];
    tally.elsewhere += servers.length;
    await Promise.all(servers.map((server) => tally.echo(caller, server)));
    const how = random.pick(["SIGTERM", "SIGKILL", "end of input"] as const);
    if (how === "SIGKILL") pipe.kill();
    else if (how === "SIGTERM") await pipe.end(GONE_MS);
    else await pipe.leave(GONE_MS);
    await waitFor(() => place.servers().length === 0, GONE_MS, "its servers to end").catch(() =>
      left.push(`after ${how}: ${JSON.stringify(place.servers())}`),
    );
    const rows = auditRows(place).length;
    if (how !== "SIGKILL" && rows !== servers.length)
      tally.wrong.push(`${rows} audit entries after ${how}, for ${servers.length} calls`);
  } finally {
    await disposables.dispose();
  }
}

export const FAULT_NAMES = Object.keys(FAULTS);
const OFTEN = [...FAULT_NAMES, "kill", "kill", "kill", "reload"];

/** One fault after the other, several at a time, until the end. */
export async function inject(
  stage: Stage,
  everyMs: number,
  isOver: () => boolean,
  done: Map<string, number>,
): Promise<void> {
  const running = new Set<Promise<void>>();
  // Each fault comes once before chance decides, so that even a short run has them all.
  for (let i = 0; !isOver(); i++) {
    const name = FAULT_NAMES[i] ?? stage.random.pick(OFTEN);
    done.set(name, (done.get(name) ?? 0) + 1);
    const fault = (FAULTS[name] as Fault)(stage).finally(() => running.delete(fault));
    running.add(fault);
    await delay(everyMs);
  }
  await Promise.all(running);
}
