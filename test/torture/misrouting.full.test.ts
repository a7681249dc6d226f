/** A hundred thousand calls of a hundred clients that all use the same ids: each gets its own answer. */
import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { textOf, useTool } from "../support/calls.ts";
import { withOptions } from "../support/servers.ts";
import { chaos } from "./chaos.ts";
import type { HttpClient } from "./http-client.ts";
import { WORKBENCH } from "./program.ts";
import { Rig } from "./rig.ts";

const CLIENTS = 100;
const CALLS = 1000;
const SERVERS = ["one", "two"];
const PATIENT = { timeouts: { callMs: 60_000, totalMs: 60_000 } };

/** Calls one after the other, under ids that everybody else uses at the same time. */
async function converse(client: HttpClient, wrong: string[]): Promise<number> {
  let right = 0;
  for (let id = 0; id < CALLS; id++) {
    const nonce = randomUUID();
    // Some answers are late, so that they come back in another order than they were asked for.
    const args = { text: nonce, delayMs: id % 10 === 0 ? 1 + (id % 7) : 0 };
    const answer = await useTool(client, `dev/${SERVERS[id % 2]}/echo`, args, { id });
    if (answer.id === id && textOf(answer) === nonce) right++;
    else wrong.push(`asked for ${nonce} under ${id}, got ${answer.line}`.slice(0, 300));
  }
  return right;
}

describe("many clients with equal ids", () => {
  it(`get ${CLIENTS * CALLS} answers of their own`, { timeout: 240_000 }, async () => {
    const rig = new Rig(WORKBENCH);
    try {
      const server = withOptions(chaos(), { ...PATIENT, env: { WITNESS: "" } });
      const run = await rig.startHttp(Object.fromEntries(SERVERS.map((name) => [name, server])));
      await run.bystander.stop();
      const clients = await Promise.all(Array.from({ length: CLIENTS }, () => run.connect()));
      const wrong: string[] = [];
      const right = await Promise.all(clients.map((client) => converse(client, wrong)));
      expect(wrong).toEqual([]);
      expect(run.complaints).toEqual([]);
      expect(right.reduce((sum, count) => sum + count, 0)).toBe(CLIENTS * CALLS);
    } finally {
      await rig.dispose();
    }
  });
});
