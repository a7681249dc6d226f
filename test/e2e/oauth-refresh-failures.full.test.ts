/**
 * Staying signed in while the network fails, with several processes, and after the grant is revoked. In
 * the full suite because each case signs in first; `oauth-refresh.test.ts` has the ordinary refresh.
 */
import type { ChildProcess } from "node:child_process";
import { describe, expect, it } from "vitest";
import { EXIT } from "../../src/errors.ts";
import { failureOf, resultOf, textOf } from "../support/calls.ts";
import { runCli } from "../support/cli.ts";
import { perTest } from "../support/disposables.ts";
import { answersOf, callAtOnce, CALLS, count } from "../support/oauth/counted-calls.ts";
import { NEEDS_AUTH, startWorld, statusOf, type World } from "../support/oauth/world.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS, type RawClient } from "../support/raw-client.ts";
import { startIn } from "../support/workbench.ts";

const cleanup = perTest();

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
    expect(results).toEqual([answersOf("a"), answersOf("b")]);
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

describe("a workbench that ends during a refresh", () => {
  const endInput = ({ child }: RawClient): void => void child.stdin.end();
  const signal = (client: RawClient): void => void client.kill("SIGTERM");
  it.each([
    ["the end of its input", [endInput]],
    ["a signal", [signal]],
    ["two signals", [signal, signal]],
    ["the end of its input and two signals", [endInput, signal, signal]],
  ] as const)(
    "after %s stores the new token first, so that the sign-in lives on",
    async (_, steps) => {
      // Its calls are not waited for.
      const world = await startWorld(cleanup, { entry: { timeouts: { shutdownMs: 1 } } });
      await world.logIn();
      const { client } = await startIn(cleanup, world.place);
      await count(client, "before");
      world.authorization.expireAccessTokens();
      world.authorization.beforeTokenAnswer = async () => {
        for (const step of steps) {
          step(client);
          // A workbench that does not wait is gone long before.
          await Promise.race([client.exited, new Promise((resolve) => setTimeout(resolve, 1500))]);
        }
        world.authorization.beforeTokenAnswer = undefined;
      };
      void count(client, "during").catch(() => undefined);
      expect((await client.exited).code).toBe(0);
      const next = await startIn(cleanup, world.place);
      expect(textOf(await count(next.client, "after"))).toBe("count after");
      expect(world.authorization.record.count("refresh_token")).toBe(1);
    },
  );
});

describe("a command that is interrupted during a refresh", () => {
  it("stores the new token first", async () => {
    const world = await startWorld(cleanup);
    await world.logIn();
    expect((await world.run("call", "dev/api/count", "id=before")).code).toBe(0);
    world.authorization.expireAccessTokens();
    const { dir: cwd, home, env, configFile } = world.place;
    const children: ChildProcess[] = [];
    const running = (child: ChildProcess): void => void children.push(child);
    const args = ["call", "dev/api/count", "id=during", "--config", configFile];
    world.authorization.beforeTokenAnswer = async () => {
      world.authorization.beforeTokenAnswer = undefined;
      for (let i = 0; i < 2; i++) {
        const [child] = children;
        child?.kill("SIGINT");
        // A command that does not wait is gone long before.
        const isOver = () => child?.exitCode !== null;
        await waitFor(isOver, 1500, "").catch(() => undefined);
      }
    };
    expect((await runCli({ home, cwd, env }, args, { running })).code).toBe(EXIT.interrupted);
    expect((await world.run("call", "dev/api/count", "id=after")).code).toBe(0);
    expect(world.authorization.record.count("refresh_token")).toBe(1);
  });
});

/** Stopped first, so that the process cannot store what it is sent. */
function killWhenTokensAreSent({ authorization }: World, pid: number): void {
  authorization.onTokensIssued = () => {
    authorization.onTokensIssued = undefined;
    process.kill(pid, "SIGSTOP");
    return () => process.kill(pid, "SIGKILL");
  };
}

// Windows cannot stop a process.
describe.skipIf(process.platform === "win32")("a workbench killed before it stores tokens", () => {
  it("costs one login if the authorization server detects the reuse of the old one", async () => {
    const world = await startWorld(cleanup);
    await world.logIn();
    const first = await startIn(cleanup, world.place);
    expect(textOf(await count(first.client, "before"))).toBe("count before");
    world.authorization.expireAccessTokens();
    killWhenTokensAreSent(world, first.pid);
    const lost = count(first.client, "lost").then(
      () => "an answer",
      () => "no answer",
    );
    expect((await first.client.exited).signal).toBe("SIGKILL");
    expect(await lost).toBe("no answer");
    const { record } = world.authorization;
    expect(record.count("refresh_token", "ok")).toBe(1);

    const { client, pid } = await startIn(cleanup, world.place);
    for (const id of ["one", "two", "three"])
      expect(resultOf(await count(client, id))._meta?.[NEEDS_AUTH]).toBeDefined();
    // The old token was presented once more, and not again, in no process.
    expect((await world.run("call", "dev/api/count", "id=four")).code).not.toBe(0);
    expect(record.count("refresh_token", "invalid_grant")).toBe(1);
    expect(record.count("refresh_token")).toBe(2);
    const status = await waitFor(() => statusOf(world.place, pid), GENEROUS_MS, "the status");
    expect(status).toMatchObject({ state: "needs-auth", restarts: 0 });
    await world.logIn();
    expect(textOf(await count(client, "five"))).toBe("count five");
    expect(record.authorizations).toHaveLength(2);
    expect(record.count("refresh_token")).toBe(2);
    expect([...world.server.executed.keys()]).toEqual(["before", "five"]);
  });

  it("costs nothing if refresh tokens are not replaced", async () => {
    const world = await startWorld(cleanup, { authorization: { rotates: false } });
    await world.logIn();
    const first = await startIn(cleanup, world.place);
    await count(first.client, "before");
    world.authorization.expireAccessTokens();
    killWhenTokensAreSent(world, first.pid);
    void count(first.client, "lost").catch(() => undefined);
    await first.client.exited;
    const { client } = await startIn(cleanup, world.place);
    expect(textOf(await count(client, "after"))).toBe("count after");
    expect(world.authorization.record.authorizations).toHaveLength(1);
    expect([...world.server.executed.keys()]).toEqual(["before", "after"]);
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
