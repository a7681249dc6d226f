/** S-21: many clients at once, all with the same request ids. */
import { randomUUID } from "node:crypto";
import { Agent } from "node:http";
import { expect } from "vitest";
import { firstText, useToolParams } from "./calls.ts";
import type { Disposables } from "./disposables.ts";
import { type HttpClient, messagesIn } from "./http-client.ts";
import { startHttpWorkbench } from "./http-workbench.ts";
import { fds, waitFor } from "./proc.ts";
import { GENEROUS_MS, type Params } from "./raw-client.ts";
import { dev, fixture, withOptions } from "./servers.ts";

const CALLS = 20;

/** The request of the call with this id, and the expected answer. */
function callOf(id: number, nonce: string): { params: Params; expected: string } {
  // Answers overtake each other.
  const ms = (id * 17) % 50;
  if (id % 4 === 0)
    return { params: useToolParams("dev/fx/progress_burst", { n: 2 }), expected: "burst 2" };
  if (id % 4 === 1)
    return { params: useToolParams("dev/fx/sleep", { ms }), expected: `slept ${ms}` };
  return { params: useToolParams("dev/fx/echo", { text: nonce }), expected: nonce };
}

/** Makes a client's calls, with ids 0 to 19 and all at once; returns every response that is wrong. */
async function wrongAnswers(client: HttpClient, era: string): Promise<string[]> {
  const found = await Promise.all(
    Array.from({ length: CALLS }, async (_, id) => {
      const progressToken = randomUUID();
      const { params, expected } = callOf(id, progressToken);
      const call =
        era === "legacy"
          ? client.request("tools/call", { ...params, _meta: { progressToken } }, { id })
          : client.modern("tools/call", params, { id, meta: { progressToken } });
      const { status, text } = await call.done();
      const messages = messagesIn(text);
      const answer = messages.pop();
      // Everything else that arrived belongs to this call.
      const own = messages.every((message) => message.params?.["progressToken"] === progressToken);
      const isNotified = messages.length === (id % 4 === 0 ? 2 : 0);
      const isRight = own && isNotified && answer?.id === id && firstText(answer) === expected;
      return isRight ? [] : [`call ${id}, expected ${expected}: HTTP ${status} ${text}`];
    }),
  );
  return found.flat();
}

/** Checks that each client gets its own answers, from one server, and leaves nothing behind. */
export async function checkManyClients(
  disposables: Disposables,
  count: number,
  era: string,
): Promise<void> {
  const limits = { concurrency: 64, queue: count * CALLS };
  const servers = { fx: withOptions(fixture(), { limits }) };
  const workbench = await startHttpWorkbench(disposables, dev(servers));
  const before = fds(workbench.pid).length;
  const clients = Array.from({ length: count }, () => workbench.client());
  const agents = clients.map((client) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 2 });
    client.agent = agent;
    return agent;
  });
  const wrong = await Promise.all(
    clients.map(async (client) => {
      if (era === "legacy") expect((await client.initialize()).status).toBe(200);
      return wrongAnswers(client, era);
    }),
  );
  for (const agent of agents) agent.destroy();
  expect(wrong.flat()).toEqual([]);
  expect(workbench.servers()).toHaveLength(1);
  const areClosed = (): boolean => fds(workbench.pid).length < before + 10;
  await waitFor(areClosed, GENEROUS_MS, "the connections to close");
}
