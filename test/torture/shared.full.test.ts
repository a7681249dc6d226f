/**
 * Clients that share a workbench, while everything around them ends, changes or disappears. What has to
 * hold: every request has one answer, which is its own or says that it is lost; every question reaches the
 * client whose call caused it; and in the end nothing is left.
 */
import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { failureOf, resultOf, textOf, useTool } from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import { alive, killIfAlive, waitFor } from "../support/proc.ts";
import { GENEROUS_MS, type RawClient } from "../support/raw-client.ts";
import { SEED } from "../support/seed.ts";
import { type Config, dev, fixture, toolbox, withOptions } from "../support/servers.ts";
import { SharedPlace } from "../support/shared.ts";
import { runCommand } from "../support/workbench.ts";
import { Random } from "./fuzz/random.ts";

const CLIENTS = 8;
const ROUNDS = 12;
const CALLS_PER_ROUND = 4;
/** What a client may read instead of its answer if the process or the server has ended meanwhile. */
const LOST =
  /may or may not have taken effect|was closed|exited|is shutting down|not connected|had no effect/;
/** What a server may get instead of an answer to a question, whatever happens. */
const UNATTRIBUTED = /cannot be attributed|No client of the workbench can answer/;
const DESTRUCTIVE = ["the shared process is killed", "it is stopped", "a server is killed"];

const cleanup = perTest();
const PATIENT = { timeouts: { connectMs: 90_000, callMs: 90_000, totalMs: 90_000 } };
const config: Config = dev(
  {
    plain: withOptions(fixture(), PATIENT),
    asks: withOptions(fixture(), PATIENT),
    own: withOptions(fixture(), { ...PATIENT, isolation: "session" }),
  },
  { shared: { idleMs: 600_000 } },
);

interface Member {
  readonly name: string;
  client: RawClient;
}

class Crowd {
  readonly shared = new SharedPlace(cleanup, config);
  readonly random = new Random(SEED);
  readonly members: Member[] = [];
  readonly wrong: string[] = [];
  /** A server that is killed while it starts is not started again at once. */
  hasKilledServer = false;

  async join(name: string): Promise<RawClient> {
    return this.shared.client(cleanup, {
      capabilities: { elicitation: {} },
      responders: { "elicitation/create": () => ({ action: "accept", content: { name } }) },
    });
  }

  /** One call, and whether its answer is the right one. */
  async call({ name, client }: Member, mayBeLost: boolean): Promise<void> {
    const nonce = randomUUID();
    const own = JSON.stringify({ result: { action: "accept", content: { name } } });
    const [path, args, expected] = this.random.pick([
      ["dev/plain/echo", { text: nonce }, nonce],
      ["dev/own/echo", { text: nonce }, nonce],
      ["dev/asks/elicit", {}, own],
      ["dev/own/elicit", {}, own],
      ["dev/plain/big", { bytes: 300_000 }, undefined],
    ] as const);
    const response = await useTool(client, path, args);
    const isFailure = response.error !== undefined || resultOf(response).isError === true;
    const text = isFailure ? failureOf(response) : textOf(response);
    if (text === expected || (expected === undefined && text.length >= 300_000)) return;
    if (UNATTRIBUTED.test(text) && path.endsWith("/asks/elicit")) return;
    if (this.hasKilledServer && /was ended by SIGKILL\. .*next try in/.test(text)) return;
    if (!mayBeLost || !LOST.test(text)) this.wrong.push(`${name}: ${path}: ${text.slice(0, 300)}`);
  }

  /** A call that the client gives up; its answer, if there is one, is dropped. */
  giveUp({ client }: Member): void {
    const id = client.nextId();
    void useTool(client, "dev/plain/sleep", { ms: 1 }, { id }).catch(() => {});
    client.notify("notifications/cancelled", { requestId: id });
  }
}

type Fault = (crowd: Crowd) => Promise<void>;

const FAULTS: Readonly<Record<string, Fault>> = {
  "the shared process is killed": async ({ shared }) => {
    for (const { pid } of shared.processes()) killIfAlive(pid);
  },
  "it is stopped": async ({ shared }) => {
    expect(runCommand(shared.place, "stop").code).toBe(0);
  },
  "a server is killed": async (crowd) => {
    const servers = crowd.shared.place.servers();
    if (servers.length === 0) return;
    crowd.hasKilledServer = true;
    killIfAlive(crowd.random.pick(servers).pid);
  },
  "a client is killed, and another comes": async (crowd) => {
    const member = crowd.random.pick(crowd.members);
    member.client.kill("SIGKILL");
    member.client = await crowd.join(member.name);
  },
  "the configuration changes": async ({ shared, random }) => {
    const more = { [`more${random.int(1000)}`]: toolbox({ more: fixture() }) };
    shared.place.writeConfig({ ...config, toolboxes: { ...config.toolboxes, ...more } });
  },
  "a client does not read": async ({ members, random }) => {
    const { client } = random.pick(members);
    client.child.stdout.pause();
    setImmediate(() => client.child.stdout.resume());
  },
  nothing: async () => {},
};

describe(`${CLIENTS} clients that share a workbench, from seed ${SEED}`, () => {
  it("get one right answer to every request, whatever ends or changes", async () => {
    const crowd = new Crowd();
    const { random, members, shared } = crowd;
    const names = Array.from({ length: CLIENTS }, (_, index) => `client ${index}`);
    const clients = await Promise.all(names.map((name) => crowd.join(name)));
    for (const [index, client] of clients.entries())
      members.push({ name: names[index] ?? "", client });
    for (let round = 0; round < ROUNDS; round++) {
      const fault = random.pick(Object.keys(FAULTS));
      const mayBeLost = DESTRUCTIVE.includes(fault);
      const current = members.map((member) => ({ ...member }));
      const calls = current.flatMap((member) =>
        Array.from({ length: CALLS_PER_ROUND }, () => crowd.call(member, mayBeLost)),
      );
      const settling = Promise.allSettled(calls);
      crowd.giveUp(random.pick(members));
      await FAULTS[fault]?.(crowd);
      const settled = await settling;
      const failed = settled.filter(({ status }) => status === "rejected");
      // Only those of a client that was killed get no answer.
      const killed = current.filter(({ client }) => client.hasExited).length;
      expect(failed.length, `${fault}: ${JSON.stringify(failed)}`).toBeLessThanOrEqual(
        killed * CALLS_PER_ROUND,
      );
    }
    expect(crowd.wrong).toEqual([]);
    // When the faults are over, everything works, with one process.
    await Promise.all(
      members.map(async ({ name, client }) => {
        const text = textOf(await useTool(client, "dev/plain/echo", { text: name }));
        expect(text).toBe(name);
      }),
    );
    await shared.onlyProcess();
    await endAtOnce(crowd);
  });
});

/** Everything is killed at the same moment: no server stays, and the next client finds nothing in its way. */
async function endAtOnce({ shared, members }: Crowd): Promise<void> {
  const servers = shared.place.servers().map(({ pid }) => pid);
  expect(servers.length).toBeGreaterThan(0);
  for (const { pid } of shared.processes()) killIfAlive(pid);
  for (const { client } of members) client.kill("SIGKILL");
  await waitFor(() => !servers.some(alive), GENEROUS_MS, "the servers to end");
  const next = await shared.client(cleanup);
  expect(textOf(await useTool(next, "dev/plain/echo", { text: "next" }))).toBe("next");
  await shared.onlyProcess();
}
