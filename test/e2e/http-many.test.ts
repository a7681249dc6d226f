/** S-21: many clients at once, all counting their requests alike. */
import { randomUUID } from "node:crypto";
import { Agent } from "node:http";
import { describe, expect, it } from "vitest";
import { perTest } from "../support/disposables.ts";
import { type HttpClient, messagesIn, textOf, useTool } from "../support/http-client.ts";
import { startHttpWorkbench } from "../support/http-workbench.ts";
import { fds, waitFor } from "../support/proc.ts";
import { GENEROUS_MS, type Params } from "../support/raw-client.ts";
import { dev, fixture, withOptions } from "../support/servers.ts";

const CLIENTS = 300;
const CALLS = 20;
/** Six thousand calls take their time on a busy machine. */
const TIMEOUT_MS = 300_000;
const cleanup = perTest();

/** What is asked in the call with this id, and what the answer says. */
function callOf(id: number, nonce: string): { params: Params; expected: string } {
  // Answers overtake each other.
  const ms = (id * 17) % 50;
  if (id % 4 === 0)
    return { params: useTool("dev/fx/progress_burst", { n: 2 }), expected: "burst 2" };
  if (id % 4 === 1) return { params: useTool("dev/fx/sleep", { ms }), expected: `slept ${ms}` };
  return { params: useTool("dev/fx/echo", { text: nonce }), expected: nonce };
}

/** How many of a client's calls, with ids 0 to 19 and all sent at once, are answered rightly. */
async function rightAnswers(client: HttpClient, era: string): Promise<number> {
  const right = await Promise.all(
    Array.from({ length: CALLS }, async (_, id) => {
      const progressToken = randomUUID();
      const { params, expected } = callOf(id, progressToken);
      const call =
        era === "legacy"
          ? client.request("tools/call", { ...params, _meta: { progressToken } }, { id })
          : client.modern("tools/call", params, { id, meta: { progressToken } });
      const messages = messagesIn((await call.done()).text);
      const answer = messages.pop();
      // Whatever else came belongs to this very call.
      const own = messages.every((message) => message.params?.["progressToken"] === progressToken);
      const told = messages.length === (id % 4 === 0 ? 2 : 0);
      return own && told && answer?.id === id && textOf(answer) === expected;
    }),
  );
  return right.filter(Boolean).length;
}

describe("S-21: 300 clients with 20 calls each and equal request ids", () => {
  it.each(["legacy", "modern"])(
    "get each answer at the right %s client",
    async (era) => {
      const limits = { concurrency: 64, queue: CLIENTS * CALLS };
      const servers = { fx: withOptions(fixture(), { limits }) };
      const workbench = await startHttpWorkbench(cleanup, dev(servers));
      const before = fds(workbench.pid).length;
      const clients = Array.from({ length: CLIENTS }, () => workbench.client());
      const agents = clients.map((client) => {
        const agent = new Agent({ keepAlive: true, maxSockets: 2 });
        client.agent = agent;
        return agent;
      });
      const right = await Promise.all(
        clients.map(async (client) => {
          if (era === "legacy") await client.initialize();
          return rightAnswers(client, era);
        }),
      );
      for (const agent of agents) agent.destroy();
      expect(right.reduce((sum, count) => sum + count, 0)).toBe(CLIENTS * CALLS);
      expect(workbench.servers()).toHaveLength(1);
      await waitFor(
        () => fds(workbench.pid).length < before + 10,
        GENEROUS_MS,
        "connections to close",
      );
    },
    TIMEOUT_MS,
  );
});
