import { describe, expect, it } from "vitest";

import type { CredentialRecord } from "../credentials/record.ts";
import { OAuthFailure } from "../oauth/failure.ts";
import {
  bearer,
  MINUTE,
  PLACE,
  SERVER_URL,
  SignInBench,
} from "../../test/support/sign-in/bench.ts";
import { isDue, isUsable } from "./expiry.ts";
import { isSignInUnavailable } from "./sign-in-errors.ts";

const unreachable = (retryAfterMs?: number) =>
  new OAuthFailure("network", "login.test does not answer", { retryAfterMs });

describe("a token", () => {
  const token = (lifetimeMs: number) => ({
    accessToken: "access-token",
    obtainedAt: 0,
    expiresAt: lifetimeMs,
  });

  it.each([
    ["an hour", 60 * MINUTE, 54 * MINUTE],
    ["five minutes", 5 * MINUTE, 4 * MINUTE],
    ["a minute", MINUTE, MINUTE / 2],
    ["two seconds", 2000, 1000],
  ])("that lives for %s is refreshed when little of it is left", (_, lifetime, dueAt) => {
    expect(isDue(token(lifetime), dueAt - 1)).toBe(false);
    expect(isDue(token(lifetime), dueAt)).toBe(true);
  });

  it("without an expiry is used until the server rejects it", () => {
    expect(isDue({ accessToken: "access-token", obtainedAt: 0 }, Infinity)).toBe(false);
  });

  it("is used during its refresh as long as a request will certainly arrive in time", () => {
    expect(isUsable(token(60 * MINUTE), 55 * MINUTE)).toBe(true);
    expect(isUsable(token(60 * MINUTE), 60 * MINUTE - 1000)).toBe(false);
  });
});

describe("the token for the next request", () => {
  it("is the stored one while it is valid, and nothing is requested", async () => {
    const bench = new SignInBench();
    bench.stored();
    const signIn = bench.signIn();
    expect(await signIn.token()).toEqual({ header: bearer(0), generation: 1 });
    expect(signIn.isInUse).toBe(true);
    expect(bench.protocol.calls).toEqual([]);
    expect(bench.hidden).toEqual(expect.arrayContaining(["access-token-0", "refresh-token-0"]));
  });

  it("does not exist before the first login", async () => {
    const bench = new SignInBench();
    const signIn = bench.signIn();
    expect(await signIn.token()).toBeUndefined();
    expect(signIn.isInUse).toBe(false);
  });

  it("is refreshed shortly before it expires", async () => {
    const bench = new SignInBench();
    bench.stored({}, 10_000);
    expect(await bench.signIn().token()).toEqual({ header: bearer(1), generation: 2 });
    expect(bench.store.only()).toMatchObject({
      generation: 2,
      token: { accessToken: "access-token-1", refreshToken: "refresh-token-1" },
    });
    expect(bench.protocol.requests[0]).toMatchObject({ resource: "https://mcp.test/mcp" });
  });

  it("is refreshed in the background while the old one is good for minutes", async () => {
    const bench = new SignInBench();
    bench.stored({}, 5 * MINUTE);
    const signIn = bench.signIn();
    const refreshed = new Promise<void>((resolve) => {
      signIn.load().then(() => signIn.onChanged(resolve));
    });
    expect((await signIn.token())?.header).toBe(bearer(0));
    await refreshed;
    expect((await signIn.token())?.header).toBe(bearer(1));
  });

  it("is refreshed once for 20 callers in two sign-ins of one process", async () => {
    const bench = new SignInBench();
    bench.stored({}, -MINUTE);
    const process = bench.process();
    const two = [bench.signIn({}, process), bench.signIn({}, process)];
    const callers = Array.from({ length: 20 }, (_, i) => two[i % 2]?.token());
    const headers = (await Promise.all(callers)).map((token) => token?.header);
    expect(new Set(headers)).toEqual(new Set([bearer(1)]));
    expect(bench.protocol.count("refresh")).toBe(1);
  });

  it("is refreshed once by 8 processes that do not notice each other's changes", async () => {
    const bench = new SignInBench();
    bench.stored({}, -MINUTE);
    const signIns = Array.from({ length: 8 }, () =>
      bench.signIn({}, bench.process({ watches: false })),
    );
    await Promise.all(signIns.map((signIn) => signIn.load()));
    const tokens = await Promise.all(signIns.map((signIn) => signIn.token()));
    expect(new Set(tokens.map((token) => token?.header))).toEqual(new Set([bearer(1)]));
    expect(bench.protocol.count("refresh")).toBe(1);
    expect(bench.store.only().generation).toBe(2);
  });

  it("keeps the refresh token if no new one comes back", async () => {
    const bench = new SignInBench();
    bench.stored({}, -MINUTE);
    const issue = bench.protocol.issue.bind(bench.protocol);
    bench.protocol.issue = () => {
      const { refreshToken: _, ...token } = issue();
      return token;
    };
    await bench.signIn().token();
    expect(bench.store.only().token?.refreshToken).toBe("refresh-token-0");
  });

  it("is used in this process even if it cannot be stored, and is not replaced by the old one", async () => {
    const bench = new SignInBench();
    bench.stored({}, -MINUTE);
    bench.store.writeProblem = new Error("no space left");
    const signIn = bench.signIn();
    expect((await signIn.token())?.header).toBe(bearer(1));
    bench.store.put(bench.store.only());
    expect((await signIn.token())?.header).toBe(bearer(1));
    expect(bench.protocol.count("refresh")).toBe(1);
  });

  it("is not refreshed by a process that lost the lock", async () => {
    const bench = new SignInBench();
    bench.stored({}, -MINUTE);
    bench.store.lockProblem = new Error("the lock was taken over");
    await expect(bench.signIn().token()).rejects.toThrow("the lock was taken over");
    expect(bench.protocol.count("refresh")).toBe(0);
  });
});

describe("an authorization server that cannot be reached", () => {
  it("does not matter while the old token is valid", async () => {
    const bench = new SignInBench();
    bench.stored({}, 10_000);
    bench.protocol.failures.set("refresh", unreachable());
    const signIn = bench.signIn();
    expect((await signIn.token())?.header).toBe(bearer(0));
    expect(signIn.status).toMatchObject({
      state: "signed-in",
      reason: "login.test does not answer",
    });
  });

  it("is reported when the token has expired; nothing is deleted and no login is asked for", async () => {
    const bench = new SignInBench();
    const before = bench.stored({}, -MINUTE);
    bench.protocol.failures.set("refresh", unreachable());
    const signIn = bench.signIn();
    const error: unknown = await signIn.token().catch((reason: unknown) => reason);
    expect(isSignInUnavailable(error) && error.auth.state).toBe("unreachable");
    expect(signIn.status).toMatchObject({ state: "unreachable", refreshable: true });
    expect(bench.store.only()).toEqual(before);
  });

  it("is asked again after 1, 2, 4 … 60 seconds, and the sign-in heals without a login", async () => {
    const bench = new SignInBench();
    bench.stored({}, -MINUTE);
    bench.protocol.failures.set("refresh", unreachable());
    const signIn = bench.signIn();
    const delays = [1, 2, 4, 8, 16, 32, 60, 60].map((seconds) => seconds * 1000);
    for (const [index, delay] of delays.entries()) {
      await expect(signIn.token()).rejects.toThrow("does not answer");
      bench.time += delay - 1;
      await expect(signIn.token()).rejects.toThrow("does not answer");
      expect(bench.protocol.count("refresh")).toBe(index + 1);
      bench.time += 1;
    }
    bench.protocol.failures.clear();
    expect((await signIn.token())?.header).toBe(bearer(1));
    expect(signIn.status).toMatchObject({ state: "signed-in", reason: null });
  });

  it("is given the time that it asks for", async () => {
    const bench = new SignInBench();
    bench.stored({}, -MINUTE);
    bench.protocol.failures.set("refresh", unreachable(30_000));
    const signIn = bench.signIn();
    await expect(signIn.token()).rejects.toMatchObject({ retryAfterMs: 30_000 });
    bench.time += 29_999;
    await expect(signIn.token()).rejects.toThrow("does not answer");
    expect(bench.protocol.count("refresh")).toBe(1);
    bench.time += 1;
    await expect(signIn.token()).rejects.toThrow("does not answer");
    expect(bench.protocol.count("refresh")).toBe(2);
  });

  it("is waited for once by the processes that need a token at the same time", async () => {
    const bench = new SignInBench();
    bench.stored({}, -MINUTE);
    bench.protocol.failures.set("refresh", unreachable(5000));
    const signIns = Array.from({ length: 5 }, () => bench.signIn());
    const failed = { message: "login.test does not answer", retryAfterMs: 5000 };
    await Promise.all(
      signIns.map((signIn) => expect(signIn.token()).rejects.toMatchObject(failed)),
    );
    expect(bench.protocol.count("refresh")).toBe(1);
    // Later attempts are their own.
    bench.time += 5000;
    bench.protocol.failures.clear();
    expect((await signIns[3]?.token())?.header).toBe(bearer(1));
  });

  it("does not matter to a process that adopts what another one got", async () => {
    const bench = new SignInBench();
    const record = bench.stored({}, -MINUTE);
    bench.protocol.failures.set("refresh", unreachable());
    const signIn = bench.signIn();
    await expect(signIn.token()).rejects.toThrow("does not answer");
    bench.store.put({ ...record, generation: 2, token: bench.protocol.issue() });
    await signIn.load();
    expect((await signIn.token())?.header).toBe(bearer(1));
  });
});

describe("a refresh that is refused", () => {
  it("is remembered, asks for one login, and deletes nothing", async () => {
    const bench = new SignInBench();
    const before = bench.stored({}, -MINUTE);
    bench.protocol.failures.set(
      "refresh",
      new OAuthFailure("refused", "the sign-in has ended", { error: "invalid_grant" }),
    );
    const [one, two] = [bench.signIn(), bench.signIn()];
    await one.token();
    await two.token();
    await one.token();
    expect(bench.protocol.count("refresh")).toBe(1);
    expect(bench.store.only()).toEqual({
      ...before,
      refused: { generation: 1, at: bench.time, error: "invalid_grant" },
    });
    expect(one.status).toMatchObject({ state: "needs-login", refreshable: false });
    expect(two.status.state).toBe("needs-login");
  });

  it.each(["interaction_required", "consent_required", "login_required"])(
    "with %s asks for a login, too",
    async (error) => {
      const bench = new SignInBench();
      bench.stored({}, -MINUTE);
      bench.protocol.failures.set("refresh", new OAuthFailure("denied", "ask", { error }));
      const signIn = bench.signIn();
      await signIn.token();
      expect(bench.store.only()).toMatchObject({ refused: { error } });
      expect(signIn.status).toMatchObject({ state: "needs-login", refreshable: false });
      await signIn.token();
      expect(bench.protocol.count("refresh")).toBe(1);
    },
  );

  it("is not final for a client that signs in for itself", async () => {
    const bench = new SignInBench();
    bench.stored({}, -MINUTE);
    const refused = new OAuthFailure("refused", "the clock is wrong", { error: "invalid_grant" });
    bench.protocol.failures.set("clientCredentials", refused);
    const machine = { grant: "client_credentials", clientId: "mine", clientSecret: "s" } as const;
    const signIn = bench.signIn(machine);
    await expect(signIn.token()).rejects.toThrow("the clock is wrong");
    expect(bench.store.only().refused).toBeUndefined();
    bench.protocol.failures.clear();
    bench.time += MINUTE;
    expect((await signIn.token())?.header).toBe(bearer(1));
  });

  it("does not touch a login that another process made in the meantime", async () => {
    const bench = new SignInBench();
    const record = bench.stored({}, -MINUTE);
    let release = (): void => {};
    bench.protocol.hold = new Promise((resolve) => (release = resolve));
    bench.protocol.failures.set("refresh", new OAuthFailure("refused", "reused"));
    const signIn = bench.signIn();
    const token = signIn.token();
    await signIn.load();
    // Without the lock, as if this process had been taken for dead.
    const login = { ...record, generation: 2, token: bench.protocol.issue() };
    bench.store.put(login);
    release();
    expect((await token)?.header).toBe(bearer(1));
    expect(bench.store.only()).toEqual(login);
  });

  it("forgets a registration that the authorization server no longer knows", async () => {
    const bench = new SignInBench();
    bench.stored({}, -MINUTE);
    bench.protocol.failures.set(
      "refresh",
      new OAuthFailure("client", "unknown client", { error: "invalid_client" }),
    );
    const signIn = bench.signIn();
    await signIn.token();
    expect(bench.store.only()).toMatchObject({ refused: { error: "invalid_client" } });
    expect(bench.store.only().client).toBeUndefined();
    expect(bench.store.only().token?.refreshToken).toBe("refresh-token-0");
    expect(signIn.status.state).toBe("needs-login");
  });

  it("of a configured client is an error that leaves everything as it is", async () => {
    const bench = new SignInBench();
    const client = { kind: "static", clientId: "mine", authMethod: "client_secret_basic" } as const;
    const before = bench.stored({ client }, -MINUTE);
    bench.protocol.failures.set("refresh", new OAuthFailure("client", "it refuses the client"));
    const signIn = bench.signIn({ clientId: "mine", clientSecret: "configured-secret" });
    await expect(signIn.token()).rejects.toThrow("it refuses the client");
    expect(signIn.status.state).toBe("refused");
    expect(bench.store.only()).toEqual(before);
    expect(bench.protocol.requests[0]).toMatchObject({
      client: { clientSecret: "configured-secret" },
    });
    await expect(signIn.token()).rejects.toThrow("it refuses the client");
    expect(bench.protocol.count("refresh")).toBe(1);
  });

  it("of a configured client is forgotten when its settings have changed", async () => {
    const bench = new SignInBench();
    const client = { kind: "static", clientId: "mine", authMethod: "client_secret_basic" } as const;
    bench.stored({ client }, -MINUTE);
    bench.protocol.failures.set("refresh", new OAuthFailure("client", "it refuses the client"));
    const signIns = bench.process();
    const before = bench.signIn({ clientId: "mine", clientSecret: "wrong" }, signIns);
    await expect(before.token()).rejects.toThrow("it refuses the client");
    bench.protocol.failures.clear();
    const after = bench.signIn({ clientId: "mine", clientSecret: "right" }, signIns);
    expect((await after.token())?.header).toBe(bearer(1));
  });
});

describe("a secret that the settings refer to", () => {
  const reference = "${file:client-secret}";
  const settings = {
    account: "default",
    grant: "authorization_code",
    clientId: "by-hand",
    clientSecret: reference,
  } as const;

  it("is read when tokens are requested, and for nothing else", async () => {
    const bench = new SignInBench();
    let reads = 0;
    const withSecrets = async () => {
      reads += 1;
      return { url: SERVER_URL, oauth: { ...settings, clientSecret: `value-${reads}` } };
    };
    const client = { kind: "static", clientId: "by-hand", authMethod: "client_secret_basic" };
    bench.stored({ client } as Partial<CredentialRecord>);
    const signIns = bench.process();
    const signIn = signIns.of({ url: SERVER_URL, oauth: settings, place: PLACE, withSecrets });
    await signIn.load();
    expect(signIn.status.state).toBe("signed-in");
    expect((await signIn.token())?.header).toBe(bearer(0));
    expect(reads).toBe(0);

    bench.time += 61 * MINUTE;
    expect((await signIn.token())?.header).toBe(bearer(1));
    expect(reads).toBe(1);
    expect(bench.protocol.requests.at(-1)).toMatchObject({ client: { clientSecret: "value-1" } });
    expect(bench.hidden).toContain("value-1");
    // The reference itself is no secret.
    expect(bench.hidden).not.toContain(reference);
    expect(JSON.stringify(bench.store.only())).not.toContain("value-1");
    await signIn.beginLogin("http://127.0.0.1:1/callback");
    expect(bench.hidden).toContain(`value-${reads}`);
  });

  it("that cannot be read is the reason why a token is not refreshed", async () => {
    const bench = new SignInBench();
    bench.stored({}, -1);
    const withSecrets = () => Promise.reject(new Error("client-secret does not exist"));
    const server = { url: SERVER_URL, oauth: settings, place: PLACE, withSecrets };
    const signIn = bench.process().of(server);
    await expect(signIn.token()).rejects.toThrow("client-secret does not exist");
    const { removed, revoked, problem } = await signIn.logout();
    expect({ removed, revoked, problem }).toEqual({
      removed: true,
      revoked: false,
      problem: "client-secret does not exist",
    });
  });
});
