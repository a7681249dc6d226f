/** Clients that call all the time. */
import { setTimeout as delay } from "node:timers/promises";
import type { Requests } from "../../support/calls.ts";
import type { Random } from "../fuzz/random.ts";
import { HttpClient } from "../http-client.ts";
import type { Tally } from "./tally.ts";
import { FAULTY, type HttpWorld, STEADY } from "./world.ts";

export interface Load {
  readonly tally: Tally;
  readonly random: Random;
  readonly isOver: () => boolean;
}

/** Pauses between calls, so that the machine is busy but has time for what is measured. */
const MAX_PAUSE_MS = 50;
const CALLS_PER_SESSION = 100;
const PATIENCE_MS = 60_000;

async function callOnce(client: Requests, { tally, random }: Load): Promise<void> {
  const server = random.chance(0.5) ? STEADY : random.pick(FAULTY);
  await tally.echo(client, server, random.chance(0.2) ? { delayMs: random.int(100) } : {});
  await delay(random.int(MAX_PAUSE_MS));
}

/** Calls through one client until the end. */
export async function callAlong(client: Requests, load: Load): Promise<void> {
  while (!load.isOver()) await callOnce(client, load);
}

/** One client over HTTP after the other; every second one leaves without ending its session. */
export async function comeAndGo(world: HttpWorld, complaints: string[], load: Load): Promise<void> {
  while (!load.isOver()) {
    const client = newHttpClient(world, complaints);
    await client.initialize();
    const calls = 1 + load.random.int(CALLS_PER_SESSION);
    for (let i = 0; i < calls && !load.isOver(); i++) await callOnce(client, load);
    if (load.random.chance(0.5)) await client.leave();
    client.abandon();
  }
}

export function newHttpClient({ url, token }: HttpWorld, complaints: string[]): HttpClient {
  return new HttpClient({ url, token, patienceMs: PATIENCE_MS, complaints });
}
