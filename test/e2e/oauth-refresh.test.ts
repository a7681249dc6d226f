/** Staying signed in: one refresh for all, and no login because of a network that fails. */
import { describe, expect, it } from "vitest";
import { failureOf, resultOf, textOf, useTool } from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import { NEEDS_AUTH, startWorld, statusOf } from "../support/oauth/world.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS, type RawClient, type Response } from "../support/raw-client.ts";
import { startIn } from "../support/workbench.ts";

const cleanup = perTest();
const CALLS = 20;

const count = (client: RawClient, id: string): Promise<Response> =>
  useTool(client, "dev/api/count", { id });

/** Calls that are sent at once, each with its own id. */
async function callAtOnce(client: RawClient, prefix: string): Promise<string[]> {
  const ids = Array.from({ length: CALLS }, (_, index) => `${prefix}-${index}`);
  const responses = await Promise.all(ids.map((id) => count(client, id)));
  return responses.map(textOf);
}

const expected = (prefix: string): string[] =>
  Array.from({ length: CALLS }, (_, index) => `count ${prefix}-${index}`);

describe("an access token that the server no longer accepts", () => {
  it("is refreshed once for 20 calls, and each of them is executed once", async () => {
    const world = await startWorld(cleanup);
    await world.logIn();
    const { client } = await startIn(cleanup, world.place);
    expect(textOf(await count(client, "before"))).toBe("count before");
    world.authorization.expireAccessTokens();
    expect(await callAtOnce(client, "a")).toEqual(expected("a"));
    expect(world.authorization.record.refreshes).toBe(1);
    world.authorization.expireAccessTokens();
    expect(await callAtOnce(client, "b")).toEqual(expected("b"));
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
    expect(await callAtOnce(client, "a")).toEqual(expected("a"));
    expect(world.authorization.record.refreshes).toBe(1);
    expect(world.server.rejected[401]).toBe(rejected);
    expect(world.server.calls).toEqual({ executed: CALLS, repeated: 0 });
  });
});

describe("two workbenches", () => {
  it("share one refresh and keep the family of tokens alive", async () => {
    const world = await startWorld(cleanup);
    await world.logIn();
    const [one, two] = await Promise.all([
      startIn(cleanup, world.place),
      startIn(cleanup, world.place),
    ]);
    await Promise.all([count(one.client, "one"), count(two.client, "two")]);
    world.authorization.expireAccessTokens();
    const results = await Promise.all([callAtOnce(one.client, "a"), callAtOnce(two.client, "b")]);
    expect(results).toEqual([expected("a"), expected("b")]);
    const { record } = world.authorization;
    expect(record.count("refresh_token")).toBe(1);
    expect(await world.authorization.isRefreshTokenAlive(record.last.refreshToken ?? "")).toBe(
      true,
    );
    expect(world.server.calls).toEqual({ executed: 2 * CALLS + 2, repeated: 0 });
  });
});

describe("an authorization server that does not answer", () => {
  it.each([
    ["a status 503", 503],
    ["a status 429", 429],
    ["a broken connection", "reset"],
  ] as const)("with %s costs no login: the next calls work when it is back", async (_, fault) => {
    const world = await startWorld(cleanup);
    await world.logIn();
    const { client, pid } = await startIn(cleanup, world.place);
    await count(client, "before");
    world.authorization.expireAccessTokens();
    world.authorization.tokenFault = fault;
    const response = await count(client, "during");
    expect(failureOf(response)).not.toContain("mcp-workbench login");
    expect(response.line).not.toContain(NEEDS_AUTH);
    const status = await waitFor(() => statusOf(world.place, pid), GENEROUS_MS, "the status");
    expect(status.state).not.toBe("needs-auth");
    expect(["unreachable", "signed-in"]).toContain(status.auth?.state);
    world.authorization.tokenFault = undefined;
    const works = async (): Promise<boolean> =>
      resultOf(await count(client, "after")).isError !== true;
    await waitFor(works, GENEROUS_MS, "a call to work again");
    expect(world.authorization.record.authorizations).toHaveLength(1);
    expect(world.authorization.record.count("refresh_token", "ok")).toBe(1);
    expect(world.server.executed.get("during")).toBeUndefined();
  });
});

describe("a grant that the user revoked", () => {
  it("is asked for exactly once, and a new login repairs it", async () => {
    const world = await startWorld(cleanup);
    await world.logIn();
    const { client, pid } = await startIn(cleanup, world.place);
    await count(client, "before");
    await world.authorization.revokeGrants();
    for (const id of ["one", "two", "three"]) {
      const result = resultOf(await count(client, id));
      expect(result._meta?.[NEEDS_AUTH]).toBeDefined();
    }
    expect(world.authorization.record.count("refresh_token", "invalid_grant")).toBe(1);
    const status = await waitFor(() => statusOf(world.place, pid), GENEROUS_MS, "the status");
    expect(status).toMatchObject({ state: "needs-auth", restarts: 0 });
    expect(["refused", "needs-login"]).toContain(status.auth?.state);
    // Another process must not ask again, either.
    expect((await world.run("call", "dev/api/count", "id=four")).code).not.toBe(0);
    expect(world.authorization.record.count("refresh_token")).toBe(1);
    await world.logIn();
    expect(textOf(await count(client, "five"))).toBe("count five");
    expect(world.server.calls).toEqual({ executed: 2, repeated: 0 });
  });
});
