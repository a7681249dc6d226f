import { describe, expect, it } from "vitest";

import { OAuthFailure } from "../oauth/failure.ts";
import { bearer, MINUTE, PLACE, SignInBench } from "../../test/support/sign-in/bench.ts";

const RETURNED = "http://127.0.0.1:1/callback?code=the-secret-code&state=the-state";

describe("a logout during a refresh", () => {
  it("waits for it, revokes the new token and leaves nothing behind", async () => {
    const bench = new SignInBench();
    bench.stored({}, -MINUTE);
    let release = (): void => {};
    bench.protocol.hold = new Promise((resolve) => (release = resolve));
    const running = bench.signIn();
    await running.load();
    const token = running.token();
    // By now it has asked for the lock, which it gets first.
    await new Promise((resolve) => setImmediate(resolve));
    const loggedOut = bench.signIn().logout();
    release();
    expect((await token)?.header).toBe(bearer(1));
    expect(await loggedOut).toMatchObject({ removed: true, revoked: true });
    expect(bench.store.records.size).toBe(0);
    expect(await running.token()).toBeUndefined();
    expect(bench.protocol.count("refresh")).toBe(1);
  });
});

describe("a login in a browser", () => {
  it("stores the tokens, and wakes every process", async () => {
    const bench = new SignInBench();
    const [here, elsewhere] = [bench.signIn(), bench.signIn()];
    expect(await elsewhere.token()).toBeUndefined();
    const woken = new Promise<void>((resolve) => elsewhere.onChanged(resolve));
    const login = await here.beginLogin("http://127.0.0.1:1/callback");
    expect(login).toMatchObject({ url: "https://login.test/authorize", state: "the-state" });
    await login.finish(RETURNED);
    await woken;
    expect(await elsewhere.token()).toEqual({ header: bearer(1), generation: 1 });
    expect(here.status).toEqual({
      kind: "oauth",
      state: "signed-in",
      account: "default",
      issuer: "https://login.test",
      scope: null,
      expiresAt: new Date(bench.time + 60 * MINUTE).toISOString(),
      refreshable: true,
      login: "mcp-workbench login work/notion",
      reason: null,
    });
    expect(bench.hidden).toEqual(expect.arrayContaining(["the-secret-code", "access-token-1"]));
  });

  it("that cannot be stored is used by this process only, and says why", async () => {
    const bench = new SignInBench();
    const signIn = bench.signIn();
    const login = await signIn.beginLogin("http://127.0.0.1:1/callback");
    expect(() => signIn.assertStored()).not.toThrow();
    bench.store.records.clear();
    bench.store.writeProblem = new Error("the disk is full");
    await login.finish(RETURNED);
    expect(() => signIn.assertStored()).toThrow("the disk is full");
    // What is stored, nothing, does not replace it.
    await expect(
      signIn.answer({ status: 401, header: "Bearer", sent: undefined }),
    ).resolves.toMatchObject({ header: bearer(1) });
    expect(() => signIn.assertStored()).toThrow("the disk is full");
  });

  it.each(["browser", "import"])(
    "by %s replaces what cannot be read, and only when it is complete",
    async (way) => {
      const bench = new SignInBench();
      bench.stored();
      bench.store.readProblem = new Error("it is damaged");
      const signIn = bench.signIn();
      await expect(signIn.load()).rejects.toThrow("it is damaged");
      const login = await signIn.beginLogin("http://127.0.0.1:23871/callback");
      expect(bench.store.writes).toBe(0);
      if (way === "browser") await login.finish("?code=c");
      else await signIn.importTokens({ accessToken: "imported" });
      expect(bench.store.only()).toMatchObject({
        generation: 1,
        token: { accessToken: way === "browser" ? "access-token-1" : "imported" },
      });
      expect(signIn.status.state).toBe("signed-in");
    },
  );

  it("of a client replaces what cannot be read", async () => {
    const bench = new SignInBench();
    bench.store.readProblem = new Error("it is damaged");
    await bench.signIn({ grant: "client_credentials", clientId: "c" }).loginAsClient();
    expect(bench.store.only().token?.accessToken).toBe("access-token-1");
  });

  it("ends a refusal", async () => {
    const bench = new SignInBench();
    bench.stored({
      refused: { generation: 1, at: 0, error: "invalid_grant" },
      wantedScope: "write",
    });
    const signIn = bench.signIn();
    await signIn.load();
    expect(signIn.status.state).toBe("needs-login");
    await (await signIn.beginLogin("http://127.0.0.1:1/callback")).finish(RETURNED);
    expect(signIn.status.state).toBe("signed-in");
    expect(bench.store.only()).not.toHaveProperty("refused");
    expect(bench.store.only()).not.toHaveProperty("wantedScope");
  });

  it("that is not completed registers a client only once, and leaves the old tokens alone", async () => {
    const bench = new SignInBench();
    const signIn = bench.signIn();
    await signIn.beginLogin("http://127.0.0.1:1/callback");
    const again = bench.signIn();
    await again.beginLogin("http://127.0.0.1:1/callback");
    expect(bench.protocol.count("register")).toBe(1);
    expect(again.isInUse).toBe(false);

    const other = new SignInBench();
    const before = other.stored();
    other.protocol.issuer = "https://other.test";
    await other.signIn().beginLogin("http://127.0.0.1:1/callback");
    expect(other.store.only()).toEqual(before);
  });
});

describe("other logins", () => {
  it("by device store the tokens when the user has agreed", async () => {
    const bench = new SignInBench();
    const signIn = bench.signIn();
    expect(await signIn.hasDeviceFlow()).toBe(true);
    const device = await signIn.beginDeviceLogin();
    expect(device).toMatchObject({ url: "https://login.test/device", code: "ABCD-EFGH" });
    await device.finish();
    expect(signIn.status.state).toBe("signed-in");
    expect(bench.protocol.count("discover")).toBe(1);
  });

  it("by device do not use a registration for browsers", async () => {
    const bench = new SignInBench();
    const signIn = bench.signIn();
    await (await signIn.beginLogin("http://127.0.0.1:1/callback")).finish(RETURNED);
    await (await signIn.beginDeviceLogin()).finish();
    await (await signIn.beginDeviceLogin()).finish();
    expect(bench.protocol.count("register")).toBe(2);
  });

  it("for a client report why the authorization server refused", async () => {
    const bench = new SignInBench();
    const signIn = bench.signIn({ grant: "client_credentials", clientId: "ci" });
    bench.protocol.failures.set("clientCredentials", new OAuthFailure("client", "wrong secret"));
    await expect(signIn.loginAsClient()).rejects.toThrow("wrong secret");
    bench.protocol.failures.clear();
    await signIn.loginAsClient();
    expect(signIn.status.state).toBe("signed-in");
  });

  it("by import need no network without a refresh token", async () => {
    const bench = new SignInBench();
    const signIn = bench.signIn();
    await signIn.importTokens({ accessToken: "imported-token" });
    expect(await signIn.token()).toEqual({ header: "Bearer imported-token", generation: 1 });
    expect(signIn.status).toMatchObject({ state: "signed-in", refreshable: false });
    expect(bench.protocol.calls).toEqual([]);
    expect(bench.hidden).toContain("imported-token");
  });

  it("by import are refused for a server that would get them without encryption", async () => {
    const bench = new SignInBench();
    const oauth = { account: "default", grant: "authorization_code" } as const;
    const importTo = (url: string): Promise<void> =>
      bench
        .process()
        .of({ url, oauth, place: PLACE })
        .importTokens({ accessToken: "imported-token" });
    await expect(importTo("http://mcp.test/mcp")).rejects.toThrow("would not be encrypted");
    expect(bench.store.records.size).toBe(0);
    await importTo("http://127.0.0.1:1/mcp");
    expect(bench.store.records.size).toBe(1);
  });

  it("by import can be refreshed with the client they were issued to", async () => {
    const bench = new SignInBench();
    const signIn = bench.signIn();
    await signIn.importTokens({
      accessToken: "imported-token",
      refreshToken: "imported-refresh",
      expiresAt: bench.time - 1,
      clientId: "elsewhere",
      clientSecret: "its-secret",
    });
    expect((await signIn.token())?.header).toBe(bearer(1));
    expect(bench.protocol.requests.at(-1)).toMatchObject({
      client: { clientId: "elsewhere", clientSecret: "its-secret" },
      token: { refreshToken: "imported-refresh" },
    });
  });
});

describe("a logout", () => {
  it("revokes the tokens and removes the credential", async () => {
    const bench = new SignInBench();
    bench.stored();
    const signIn = bench.signIn();
    expect(await signIn.logout()).toEqual({ removed: true, revoked: true });
    expect(bench.store.records.size).toBe(0);
    expect(await signIn.token()).toBeUndefined();
    expect(await signIn.logout()).toEqual({ removed: false, revoked: false });
  });

  it("removes the credential even if it cannot be revoked", async () => {
    const bench = new SignInBench();
    bench.stored();
    bench.protocol.failures.set("revoke", new OAuthFailure("network", "HTTP 503"));
    const result = await bench.signIn().logout();
    expect(result).toEqual({ removed: true, revoked: false, problem: "HTTP 503" });
    expect(bench.store.records.size).toBe(0);
  });
});

describe("two accounts of one server", () => {
  it("have tokens of their own", async () => {
    const bench = new SignInBench();
    const signIns = bench.process();
    bench.stored();
    bench.stored({ account: "second", token: { accessToken: "second-token", obtainedAt: 0 } });
    const [first, second] = [
      bench.signIn({}, signIns),
      bench.signIn({ account: "second" }, signIns),
    ];
    expect((await first.token())?.header).toBe(bearer(0));
    expect((await second.token())?.header).toBe("Bearer second-token");
    expect(second.status.account).toBe("second");
  });
});
