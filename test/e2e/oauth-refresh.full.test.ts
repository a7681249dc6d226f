/** In the full suite because it starts many processes, and waits for locks and tokens to expire. */
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { resultOf, textOf, useTool } from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import { NEEDS_AUTH, startWorld } from "../support/oauth/world.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS, type RawClient, type Response } from "../support/raw-client.ts";
import { startIn } from "../support/workbench.ts";

const cleanup = perTest();
const PROCESSES = 8;

const count = (client: RawClient, id: string): Promise<Response> =>
  useTool(client, "dev/api/count", { id });

describe("eight workbenches", () => {
  it("refresh an expired token once, and the family of tokens stays alive", async () => {
    const world = await startWorld(cleanup);
    await world.logIn();
    const workbenches = await Promise.all(
      Array.from({ length: PROCESSES }, () => startIn(cleanup, world.place)),
    );
    const callAll = async (round: number): Promise<string[]> =>
      Promise.all(
        workbenches.map(async ({ client }, index) =>
          textOf(await count(client, `${round}-${index}`)),
        ),
      );
    await callAll(0);
    const { record } = world.authorization;
    for (let round = 1; round <= 5; round++) {
      world.authorization.expireAccessTokens();
      expect(await callAll(round)).toHaveLength(PROCESSES);
      expect(record.count("refresh_token")).toBe(round);
      const { refreshToken = "" } = record.last;
      expect(await world.authorization.isRefreshTokenAlive(refreshToken)).toBe(true);
    }
    expect(world.server.calls).toEqual({ executed: 6 * PROCESSES, repeated: 0 });
  });
});

describe("a process that is killed while it refreshes", () => {
  // How soon its lock is taken over is in src/credentials/file-lock.test.ts, with a clock of its own.
  it("does not keep the others from refreshing once", async () => {
    const world = await startWorld(cleanup);
    await world.logIn();
    const [doomed, other] = await Promise.all([
      startIn(cleanup, world.place),
      startIn(cleanup, world.place),
    ]);
    await Promise.all([count(doomed.client, "one"), count(other.client, "two")]);
    world.authorization.expireAccessTokens();
    world.authorization.tokenFault = "hang";
    const lost = count(doomed.client, "lost").catch(() => undefined);
    const isAsked = (): boolean => world.authorization.record.count(undefined, "fault") === 1;
    await waitFor(isAsked, GENEROUS_MS, "the refresh to begin");
    doomed.client.kill("SIGKILL");
    await lost;
    world.authorization.tokenFault = undefined;
    const works = async (): Promise<boolean> =>
      resultOf(await count(other.client, "after")).isError !== true;
    await waitFor(works, GENEROUS_MS, "a call to work");
    expect(world.authorization.record.refreshes).toBe(1);
    expect(world.server.executed.get("lost")).toBeUndefined();
  });
});

describe("an authorization server that is down for three lifetimes of a token", () => {
  it("costs no login", async () => {
    const seconds = 4;
    const world = await startWorld(cleanup, { authorization: { accessTokenSeconds: seconds } });
    await world.logIn();
    const { client } = await startIn(cleanup, world.place);
    expect(textOf(await count(client, "before"))).toBe("count before");
    world.authorization.fault = "reset";
    const end = performance.now() + 3 * seconds * 1000;
    const failures: string[] = [];
    for (let index = 0; performance.now() < end; index++) {
      const response = await count(client, `during-${index}`);
      if (response.error !== undefined || resultOf(response).isError === true)
        failures.push(response.line);
      // An agent that tries again and again, but not without a pause.
      await delay(200);
    }
    expect(failures.length).toBeGreaterThan(0);
    for (const failure of failures) {
      expect(failure).not.toContain("mcp-workbench login");
      expect(failure).not.toContain(NEEDS_AUTH);
    }
    world.authorization.fault = undefined;
    const works = async (): Promise<boolean> =>
      resultOf(await count(client, "after")).isError !== true;
    await waitFor(works, GENEROUS_MS, "a call to work again");
    expect(world.authorization.record.authorizations).toHaveLength(1);
    expect(world.server.calls.repeated).toBe(0);
  });
});
