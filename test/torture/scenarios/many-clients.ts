/** Many clients at once over HTTP, and clients that are never heard of again. */
import { randomInt, randomUUID } from "node:crypto";
import { expect } from "vitest";
import { textOf, useTool } from "../../support/calls.ts";
import { withOptions } from "../../support/servers.ts";
import { latencies } from "../bystander.ts";
import { chaos } from "../chaos.ts";
import type { HttpClient } from "../http-client.ts";
import { atWorkingSize } from "../invariants.ts";
import { resourcesOf } from "../resources.ts";
import type { HttpRun, Rig } from "../rig.ts";
import type { Scenario } from "../scenario.ts";
import type { Status } from "../status.ts";

const CLIENTS = 300;
const CALLS = 20;

async function equalIds(rig: Rig): Promise<void> {
  const patient = { timeouts: { callMs: 20_000, totalMs: 20_000 } };
  const run = await rig.startHttp({ echo: withOptions(chaos(), patient) });
  await conversations(run);
  atWorkingSize(run);
  await conversations(run);
}

async function conversations(run: HttpRun): Promise<void> {
  const clients = await Promise.all(Array.from({ length: CLIENTS }, () => run.connect()));
  const took: number[] = [];
  const wrong: string[] = [];
  await Promise.all(clients.map((client) => converse(client, took, wrong)));
  expect(wrong, "answers that did not reach their owner").toEqual([]);
  expect(took).toHaveLength(CLIENTS * CALLS);
  expect(latencies(took).p99).toBeLessThan(2000);
  for (const client of clients) {
    await client.leave();
    client.abandon();
  }
}

/** Calls under the same ids and progress tokens as everybody else. */
async function converse(client: HttpClient, took: number[], wrong: string[]): Promise<void> {
  for (let id = 0; id < CALLS; id++) {
    const nonce = randomUUID();
    const begin = performance.now();
    const answer = await useTool(
      client,
      "dev/echo/echo",
      { text: nonce, delayMs: randomInt(50), steps: 1 },
      { id, meta: { progressToken: id } },
    );
    took.push(performance.now() - begin);
    if (textOf(answer) !== nonce) wrong.push(`asked for ${nonce}, got ${answer.line}`);
    const heard = client.notifications.splice(0).map(({ message }) => message);
    const [progress] = heard;
    if (heard.length !== 1 || progress?.params?.["message"] !== nonce)
      wrong.push(`progress of ${nonce} is ${JSON.stringify(heard)}`);
  }
}

const SESSION_IDLE_MS = 2000;
const ABANDONED = 500;
const CAP = 520;

async function abandonedSessions(rig: Rig): Promise<void> {
  const http = { sessions: CAP, sessionIdleMs: SESSION_IDLE_MS };
  const run = await rig.startHttp({ echo: chaos() }, { http });
  await abandon(run, ABANDONED);
  // The bystander and the client of the scenario go on; everybody else is forgotten.
  await rig.wait(
    async () => (await sessions(run)) <= 1,
    2 * SESSION_IDLE_MS + 1000,
    "abandoned sessions to end",
  );
  const atWork = resourcesOf(run.pid, run);
  expect(atWork.rss - run.baseline.rss).toBeLessThan(30 * 1024 ** 2);
  run.baseline = atWork;
  await abandon(run, CAP);
  // One more than there may be: refused with a reason, or in place of the oldest one.
  const one = await run.connect().catch((error: unknown) => String(error));
  if (typeof one === "string") expect(one).toMatch(/429|503/);
  else expect(textOf(await useTool(one, "dev/echo/echo", { text: "in" }))).toBe("in");
  await rig.wait(
    async () => (await sessions(run)) <= 2,
    2 * SESSION_IDLE_MS + 1000,
    "abandoned sessions to end again",
  );
}

async function abandon(run: HttpRun, count: number): Promise<void> {
  for (let made = 0; made < count; made += 50)
    await Promise.all(
      Array.from({ length: 50 }, async () => {
        const client = await run.connect();
        client.abandon();
      }),
    );
}

async function sessions({ url, token }: HttpRun): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${url}/api/status`, { headers });
  return ((await response.json()) as Status).sessions;
}

export const manyClients: readonly Scenario[] = [
  {
    id: "S-21",
    title: "three hundred clients that use the same ids, twice",
    loud: true,
    naive: /no answer in|progress of|did not reach their owner/,
    play: equalIds,
  },
  {
    id: "S-22",
    title: "five hundred sessions that are abandoned, then more than there may be",
    loud: true,
    naive: /in vain for abandoned sessions to end/,
    play: abandonedSessions,
  },
];
