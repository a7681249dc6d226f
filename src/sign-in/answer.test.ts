import { describe, expect, it } from "vitest";

import { OAuthFailure } from "../oauth/failure.ts";
import { lacksScope, login, stateAsked } from "../../test/support/sign-in/answers.ts";
import { bearer, MINUTE, rejected, SignInBench } from "../../test/support/sign-in/bench.ts";
import { isSignInNeeded, isSignInUnavailable } from "./sign-in-errors.ts";
import type { BearerToken } from "./types.ts";

describe("a challenge to a request without a token", () => {
  it("finds the authorization server once and asks for a login", async () => {
    const bench = new SignInBench();
    const signIn = bench.signIn();
    const answers = Array.from({ length: 5 }, () => stateAsked(signIn.answer(rejected(undefined))));
    expect(new Set(await Promise.all(answers))).toEqual(new Set(["needs-login"]));
    expect(bench.protocol.calls).toEqual(["discover"]);
    expect(signIn.isInUse).toBe(true);
    await signIn.beginLogin("http://127.0.0.1:1/callback");
    expect(bench.protocol.count("discover")).toBe(1);
  });

  it("that does not say that a sign-in helps asks for one only if the server has metadata", async () => {
    const bench = new SignInBench();
    const challenge = { status: 401, header: "", sent: undefined, isUnspecific: true } as const;
    bench.protocol.isAssumed = true;
    await expect(bench.signIn().answer(challenge)).rejects.toMatchObject({
      isSignInUnavailable: true,
    });
    bench.protocol.isAssumed = false;
    expect(await stateAsked(bench.signIn().answer(challenge))).toBe("needs-login");
  });

  it("has its scope remembered for a login in another process, which may see no challenge", async () => {
    const bench = new SignInBench();
    const header = 'Bearer scope="read"';
    const challenge = { status: 401, header, sent: undefined } as const;
    expect(await stateAsked(bench.signIn().answer(challenge))).toBe("needs-login");
    await login(bench.signIn());
    expect(bench.protocol.requests).toContainEqual({ scope: "read" });
    expect(bench.store.only()).toMatchObject({ generation: 1, requestedScope: "read" });
  });

  it("is answered with the token that is stored", async () => {
    const bench = new SignInBench();
    bench.stored();
    expect(await bench.signIn().answer(rejected(undefined))).toEqual({
      header: bearer(0),
      generation: 1,
    });
  });

  it("is answered with a token for the client itself if that is configured", async () => {
    const bench = new SignInBench();
    const signIn = bench.signIn({
      grant: "client_credentials",
      clientId: "ci",
      clientSecret: "secret",
    });
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => signIn.answer(rejected(undefined))),
    );
    expect(new Set(answers.map(({ header }) => header))).toEqual(new Set([bearer(1)]));
    expect(bench.protocol.count("clientCredentials")).toBe(1);
    // A configured secret stays in the configuration.
    expect(JSON.stringify(bench.store.only())).not.toContain('"secret"');
    expect(bench.hidden).toContain("secret");
    bench.time += 61 * MINUTE;
    expect((await signIn.token())?.header).toBe(bearer(2));
  });

  it("is reported if the authorization server cannot be found, without asking again at once", async () => {
    const bench = new SignInBench();
    bench.protocol.failures.set(
      "discover",
      new OAuthFailure("network", "mcp.test does not answer"),
    );
    const signIn = bench.signIn();
    for (let i = 0; i < 2; i++) {
      const error: unknown = await signIn.answer(rejected(undefined)).catch((e: unknown) => e);
      expect(isSignInUnavailable(error) && error.message).toBe("mcp.test does not answer");
    }
    expect(bench.protocol.count("discover")).toBe(1);
    expect(signIn.status.state).toBe("unreachable");
  });
});

describe("a rejected token", () => {
  it("is refreshed once, whichever caller used it", async () => {
    const bench = new SignInBench();
    bench.stored();
    const signIn = bench.signIn();
    const sent = await signIn.token();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => signIn.answer(rejected(sent))),
    );
    expect(new Set(answers.map(({ header }) => header))).toEqual(new Set([bearer(1)]));
    expect(bench.protocol.calls).toEqual(["refresh"]);
  });

  it("is replaced by the one that another process got", async () => {
    const bench = new SignInBench();
    const record = bench.stored();
    const signIn = bench.signIn({}, bench.process({ watches: false }));
    const sent = await signIn.token();
    bench.store.put({ ...record, generation: 7, token: bench.protocol.issue() });
    expect(await signIn.answer(rejected(sent))).toEqual({ header: bearer(1), generation: 7 });
    expect(bench.protocol.calls).toEqual([]);
  });

  it("asks for a login if there is no refresh token", async () => {
    const bench = new SignInBench();
    bench.stored({ token: { accessToken: "access-token-0", obtainedAt: bench.time } });
    const signIn = bench.signIn();
    expect(await stateAsked(signIn.answer(rejected(await signIn.token())))).toBe("needs-login");
    expect(bench.protocol.calls).toEqual(["discover"]);
  });

  it("does not matter to a login after a logout, which begins with the same generation", async () => {
    const bench = new SignInBench();
    bench.stored({ token: { accessToken: "access-token-0", obtainedAt: bench.time } });
    const signIn = bench.signIn();
    const sent = await signIn.token();
    expect(await stateAsked(signIn.answer(rejected(sent)))).toBe("needs-login");
    const other = bench.signIn();
    await other.logout();
    await login(other);
    expect(bench.store.only().generation).toBe(sent?.generation);
    expect((await signIn.answer(rejected(sent))).header).toBe(bearer(1));
    expect(signIn.status).toMatchObject({ state: "signed-in", reason: null });
  });

  it("asks for a login exactly once if the refresh is refused", async () => {
    const bench = new SignInBench();
    bench.stored();
    bench.protocol.failures.set("refresh", new OAuthFailure("refused", "ended"));
    const signIn = bench.signIn();
    const sent = await signIn.token();
    expect(await stateAsked(signIn.answer(rejected(sent)))).toBe("needs-login");
    expect(await stateAsked(signIn.answer(rejected(sent)))).toBe("needs-login");
    expect(bench.protocol.count("refresh")).toBe(1);
  });

  it("asks for a login if the refresh is refused after the authorization server was down", async () => {
    const bench = new SignInBench();
    bench.stored();
    bench.protocol.failures.set("refresh", new OAuthFailure("network", "it does not answer"));
    const signIn = bench.signIn();
    const sent = await signIn.token();
    await expect(signIn.answer(rejected(sent))).rejects.toThrow("it does not answer");
    bench.protocol.failures.set("refresh", new OAuthFailure("refused", "it has ended"));
    bench.time += MINUTE;
    expect(await stateAsked(signIn.answer(rejected(sent)))).toBe("needs-login");
  });

  it("asks for no login while the authorization server cannot be reached", async () => {
    const bench = new SignInBench();
    const before = bench.stored();
    bench.protocol.failures.set("refresh", new OAuthFailure("network", "HTTP 503"));
    const signIn = bench.signIn();
    const sent = await signIn.token();
    await expect(signIn.answer(rejected(sent))).rejects.toSatisfy(isSignInUnavailable);
    await expect(signIn.answer(rejected(sent))).rejects.toSatisfy(isSignInUnavailable);
    expect(bench.protocol.calls).toEqual(["refresh"]);
    expect(bench.store.only()).toEqual(before);
  });

  it("that is fresh asks for a login, after looking for a new authorization server", async () => {
    const bench = new SignInBench();
    bench.stored();
    const signIn = bench.signIn();
    const fresh = await signIn.answer(rejected(await signIn.token()));
    expect(fresh.isFresh).toBe(true);
    expect(await stateAsked(signIn.answer(rejected(fresh)))).toBe("needs-login");
    expect(bench.protocol.calls).toEqual(["refresh", "discover"]);
    // The next request does not start this over again.
    expect(await stateAsked(signIn.answer(rejected(await signIn.token())))).toBe("needs-login");
    expect(bench.protocol.calls).toEqual(["refresh", "discover"]);
  });
});

describe("a fresh token that was rejected", () => {
  it("counts again once the same kind of request is accepted with it", async () => {
    const bench = new SignInBench();
    bench.stored();
    const signIn = bench.signIn();
    const request = "tools/call";
    const fresh = await signIn.answer({ ...rejected(await signIn.token()), request });
    expect(await stateAsked(signIn.answer({ ...rejected(fresh), request }))).toBe("needs-login");
    signIn.onAccepted(fresh, "tools/list");
    expect(signIn.status.state).toBe("needs-login");
    signIn.onAccepted({ ...fresh, generation: 1 }, request);
    expect(signIn.status.state).toBe("needs-login");
    signIn.onAccepted(fresh, request);
    expect(signIn.status).toMatchObject({ state: "signed-in", reason: null });
  });
});

describe("a rejected token of a client that signs in for itself", () => {
  it("is replaced again after a minute, because no user does it", async () => {
    const bench = new SignInBench();
    bench.protocol.lifetimeMs = undefined;
    const signIn = bench.signIn({ grant: "client_credentials", clientId: "ci" });
    const fresh = await signIn.answer(rejected(undefined));
    expect(await stateAsked(signIn.answer(rejected(fresh)))).toBe("needs-login");
    const sent = await signIn.token();
    expect(await stateAsked(signIn.answer(rejected(sent)))).toBe("needs-login");
    expect(bench.protocol.count("clientCredentials")).toBe(1);
    bench.time += MINUTE;
    expect((await signIn.answer(rejected(sent))).header).toBe(bearer(2));
  });
});

describe("a challenge to a request that the server works without", () => {
  const optional = (sent: BearerToken | undefined) => ({ ...rejected(sent), isOptional: true });

  it("looks for no authorization server and stores nothing", async () => {
    const bench = new SignInBench();
    const challenge = { ...optional(undefined), header: 'Bearer scope="read"' };
    expect(await stateAsked(bench.signIn().answer(challenge))).toBe("needs-login");
    expect(bench.protocol.calls).toEqual([]);
    expect(bench.store.records.size).toBe(0);
  });

  it("refreshes the token once, and says nothing about the new one", async () => {
    const bench = new SignInBench();
    bench.stored();
    const signIn = bench.signIn();
    const fresh = await signIn.answer(optional(await signIn.token()));
    expect(fresh).toMatchObject({ header: bearer(1), isFresh: true });
    await expect(signIn.answer(optional(fresh))).rejects.toSatisfy(isSignInNeeded);
    await expect(signIn.answer(optional(await signIn.token()))).rejects.toSatisfy(isSignInNeeded);
    expect(bench.protocol.calls).toEqual(["refresh"]);
    expect(signIn.status).toMatchObject({ state: "signed-in", reason: null });
    // A call that is challenged gets a new token.
    const next = await signIn.answer(rejected(await signIn.token()));
    expect(next).toMatchObject({ header: bearer(2), isFresh: true });
  });

  it("asks for no further scope", async () => {
    const bench = new SignInBench();
    const before = bench.stored();
    const signIn = bench.signIn();
    const challenge = { ...lacksScope(await signIn.token(), "stream"), isOptional: true };
    await expect(signIn.answer(challenge)).rejects.toSatisfy(isSignInNeeded);
    expect(signIn.status.state).toBe("signed-in");
    expect(bench.store.only()).toEqual(before);
  });
});

describe("a login after the authorization server has moved", () => {
  it("uses neither the client nor the scope of the old one", async () => {
    const bench = new SignInBench();
    bench.stored({ requestedScope: "old" });
    const signIn = bench.signIn();
    const fresh = await signIn.answer(rejected(await signIn.token()));
    bench.protocol.issuer = "https://other.test";
    expect(await stateAsked(signIn.answer(rejected(fresh)))).toBe("needs-login");
    const login = await signIn.beginLogin("http://127.0.0.1:1/callback");
    await login.finish("?code=the-code&state=the-state");
    expect(bench.protocol.requests).toContainEqual({ known: undefined });
    expect(bench.protocol.requests).toContainEqual({ scope: undefined });
    expect(bench.store.only()).toMatchObject({
      generation: 3,
      endpoints: { issuer: "https://other.test" },
      client: { clientId: "client-1" },
    });
  });
});
