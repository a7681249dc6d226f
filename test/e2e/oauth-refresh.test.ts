/** Staying signed in: one refresh for all, and no login because of a network that fails. */
import { describe, expect, it } from "vitest";
import { textOf } from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import { answersOf, callAtOnce, CALLS, count } from "../support/oauth/counted-calls.ts";
import { startWorld } from "../support/oauth/world.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { startIn } from "../support/workbench.ts";

const cleanup = perTest();

describe("an access token that the server no longer accepts", () => {
  it("is refreshed once for 20 calls, and each of them is executed once", async () => {
    const world = await startWorld(cleanup);
    await world.logIn();
    const { client } = await startIn(cleanup, world.place);
    expect(textOf(await count(client, "before"))).toBe("count before");
    world.authorization.expireAccessTokens();
    expect(await callAtOnce(client, "a")).toEqual(answersOf("a"));
    expect(world.authorization.record.refreshes).toBe(1);
    world.authorization.expireAccessTokens();
    expect(await callAtOnce(client, "b")).toEqual(answersOf("b"));
    expect(world.authorization.record.refreshes).toBe(2);
    expect(world.authorization.record.count("refresh_token")).toBe(2);
    expect(world.server.calls).toEqual({ executed: 2 * CALLS + 1, repeated: 0 });
  });
});

describe("an access token that has expired by its own account", () => {
  it("is refreshed before it is sent, once for 20 calls, and no request is rejected", async () => {
    let seconds = 1;
    const world = await startWorld(cleanup, {
      authorization: { accessTokenSeconds: () => seconds },
    });
    await world.logIn();
    seconds = 3600;
    const { client } = await startIn(cleanup, world.place);
    const { accessToken } = world.authorization.record.last;
    const isOver = (): boolean => world.authorization.record.find(accessToken) === undefined;
    await waitFor(isOver, GENEROUS_MS, "the token to expire");
    const rejected = world.server.rejected[401];
    expect(await callAtOnce(client, "a")).toEqual(answersOf("a"));
    expect(world.authorization.record.refreshes).toBe(1);
    expect(world.server.rejected[401]).toBe(rejected);
    expect(world.server.calls).toEqual({ executed: CALLS, repeated: 0 });
  });
});
