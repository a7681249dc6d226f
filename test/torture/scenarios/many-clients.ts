/** Many clients at once over HTTP, and clients that disappear. */
import { randomInt, randomUUID } from "node:crypto";
import { expect } from "vitest";
import { textOf, useTool } from "../../support/calls.ts";
import { withOptions } from "../../support/servers.ts";
import { latencies } from "../bystander.ts";
import { chaos } from "../chaos.ts";
import { atWorkingSize } from "../measured.ts";
import type { HttpClient } from "../http-client.ts";
import { resourcesOf } from "../resources.ts";
import type { HttpRun, Rig } from "../rig.ts";
import type { Scenario } from "../scenario.ts";
import type { Status } from "../status.ts";

/** How many clients there are, and how many calls each makes. */
interface Crowd {
  readonly clients: number;
  readonly calls: number;
}

const CROWD: Crowd = { clients: 300, calls: 20 };
const SMALL_CROWD: Crowd = { clients: 40, calls: 10 };
/**
 * By default V8 lets the space for new objects grow to 48 MB, sooner or later depending on when it
 * collects garbage. With a fixed size, what is measured is what the workbench keeps.
 */
const SMALL_NURSERY = { NODE_OPTIONS: "--max-semi-space-size=2" };

async function equalIds(rig: Rig): Promise<void> {
  const patient = { timeouts: { callMs: rig.limit(20_000), totalMs: rig.limit(20_000) } };
  const run = await rig.startHttp({ echo: withOptions(chaos(), patient) }, { env: SMALL_NURSERY });
  if (!rig.measured) return conversations(rig, run, SMALL_CROWD);
  await conversations(rig, run, CROWD);
  atWorkingSize(rig, run);
  await conversations(rig, run, CROWD);
}

async function conversations(rig: Rig, run: HttpRun, crowd: Crowd): Promise<void> {
  const clients = await Promise.all(Array.from({ length: crowd.clients }, () => run.connect()));
  const took: number[] = [];
  const wrong: string[] = [];
  await Promise.all(clients.map((client) => converse(client, crowd.calls, took, wrong)));
  expect(wrong, "answers that did not reach their owner").toEqual([]);
  expect(took).toHaveLength(crowd.clients * crowd.calls);
  if (rig.measured) expect(latencies(took).p99).toBeLessThan(2000);
  for (const client of clients) {
    await client.leave();
    client.abandon();
  }
}

/** Calls with the same ids and progress tokens as all other clients. */
async function converse(
  client: HttpClient,
  calls: number,
  took: number[],
  wrong: string[],
): Promise<void> {
  for (let id = 0; id < calls; id++) {
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
    const received = client.notifications.splice(0).map(({ message }) => message);
    const [progress] = received;
    if (received.length !== 1 || progress?.params?.["message"] !== nonce)
      wrong.push(`progress of ${nonce} is ${JSON.stringify(received)}`);
  }
}

const ABANDONED = 500;

async function abandonedSessions(rig: Rig): Promise<void> {
  const sessionIdleMs = rig.measured ? 2000 : 6000;
  const most = rig.measured ? 520 : 60;
  const run = await rig.startHttp({ echo: chaos() }, { http: { sessions: most, sessionIdleMs } });
  // On a busy machine the bystander may pause for seconds; its session does not end while it listens.
  if (!rig.measured) await run.client.listen();
  // The bystander and the client of the scenario continue; all others expire.
  const ended = (left: number, what: string): Promise<true> =>
    rig.wait(async () => (await sessions(run)) <= left, 2 * sessionIdleMs + 1000, what);
  if (rig.measured) {
    await abandon(run, ABANDONED);
    await ended(1, "abandoned sessions to end");
    const atWork = resourcesOf(run.pid, run);
    expect(atWork.rss - run.baseline.rss).toBeLessThan(30 * 1024 ** 2);
    run.baseline = atWork;
  }
  await abandon(run, most);
  // One more than the limit: refused with a reason, or accepted in place of the oldest one.
  const one = await run.connect().catch((error: unknown) => String(error));
  if (typeof one === "string") expect(one).toMatch(/429|503/);
  else expect(textOf(await useTool(one, "dev/echo/echo", { text: "in" }))).toBe("in");
  await ended(2, "abandoned sessions to end again");
}

const AT_ONCE = 50;

async function abandon(run: HttpRun, count: number): Promise<void> {
  for (let made = 0; made < count; made += AT_ONCE)
    await Promise.all(
      Array.from({ length: Math.min(AT_ONCE, count - made) }, async () => {
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
    title: "many clients that use the same ids and progress tokens each get their own answers",
    loud: true,
    naive: /no answer in|progress of|did not reach their owner/,
    play: equalIds,
  },
  {
    id: "S-22",
    title:
      "abandoned sessions end by themselves, and one session above the limit is refused or replaces the oldest",
    loud: true,
    naive: /in vain for abandoned sessions to end/,
    play: abandonedSessions,
  },
];
