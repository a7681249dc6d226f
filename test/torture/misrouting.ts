/** Many clients over HTTP that all use the same ids at the same time. */
import { randomUUID } from "node:crypto";
import { textOf, useTool } from "../support/calls.ts";
import { withOptions } from "../support/servers.ts";
import { chaos } from "./chaos.ts";
import type { HttpClient } from "./http-client.ts";
import { WORKBENCH } from "./program.ts";
import { Rig } from "./rig.ts";

const SERVERS = ["one", "two"];

export interface Outcome {
  /** How many calls got their own answer. */
  right: number;
  readonly wrong: string[];
}

export async function converseAll(clientCount: number, calls: number): Promise<Outcome> {
  const rig = new Rig(WORKBENCH);
  try {
    // A server that records this many messages fills the disk.
    const server = withOptions(chaos(), { env: { WITNESS: "" } });
    const run = await rig.startHttp(Object.fromEntries(SERVERS.map((name) => [name, server])));
    await run.bystander.stop();
    const clients = await Promise.all(Array.from({ length: clientCount }, () => run.connect()));
    const outcome: Outcome = { right: 0, wrong: [] };
    await Promise.all(clients.map((client) => converse(client, calls, outcome)));
    outcome.wrong.push(...run.complaints);
    return outcome;
  } finally {
    await rig.dispose();
  }
}

async function converse(client: HttpClient, calls: number, outcome: Outcome): Promise<void> {
  for (let id = 0; id < calls; id++) {
    const nonce = randomUUID();
    // Some answers are late, so that they arrive in a different order.
    const args = { text: nonce, delayMs: id % 10 === 0 ? 1 + (id % 7) : 0 };
    const answer = await useTool(client, `dev/${SERVERS[id % 2]}/echo`, args, { id });
    if (answer.id === id && textOf(answer) === nonce) outcome.right++;
    else outcome.wrong.push(`asked for ${nonce} under ${id}, got ${answer.line}`.slice(0, 300));
  }
}
