import { describe, expect, it } from "vitest";

import { lacksScope, login, stateAsked } from "../../test/support/sign-in/answers.ts";
import { bearer, MINUTE, rejected, SignInBench } from "../../test/support/sign-in/bench.ts";
import { isSignInUnavailable } from "./sign-in-errors.ts";

describe("a scope in the challenge to a request without a token", () => {
  const asksFor = (scope: string) =>
    ({ status: 401, header: `Bearer scope="${scope}"`, sent: undefined }) as const;

  it("is remembered for a login in any process, which is still a first login", async () => {
    const bench = new SignInBench();
    const signIn = bench.signIn();
    expect(await stateAsked(signIn.answer(asksFor("mcp:read")))).toBe("needs-login");
    expect(bench.store.only()).toMatchObject({ generation: 0, wantedScope: "mcp:read" });
    expect(bench.store.only().token).toBeUndefined();

    const other = bench.signIn();
    await other.load();
    expect(other.status.state).toBe("needs-login");
    await login(other);
    expect(bench.protocol.requests).toContainEqual({ scope: "mcp:read" });
    expect(bench.store.only()).toMatchObject({ generation: 1, requestedScope: "mcp:read" });
    expect(bench.store.only().wantedScope).toBeUndefined();
  });

  it("replaces one that the server asked for earlier", async () => {
    const bench = new SignInBench();
    expect(await stateAsked(bench.signIn().answer(asksFor("old")))).toBe("needs-login");
    expect(await stateAsked(bench.signIn().answer(asksFor("new")))).toBe("needs-login");
    expect(bench.store.only().wantedScope).toBe("new");
    const other = bench.signIn();
    other.noteChallenge('Bearer scope="newest"');
    await login(other);
    expect(bench.protocol.requests).toContainEqual({ scope: "newest" });
  });

  it("is added to what was requested before if the token is rejected", async () => {
    const bench = new SignInBench();
    const { token } = bench.stored({ requestedScope: "read" });
    const { refreshToken: _, ...others } = token ?? { accessToken: "", obtainedAt: 0 };
    bench.stored({ requestedScope: "read", token: others });
    const signIn = bench.signIn();
    const challenge = { ...asksFor("write"), sent: await signIn.token() };
    expect(await stateAsked(signIn.answer(challenge))).toBe("needs-login");
    expect(bench.store.only().wantedScope).toBe("write");
    await login(bench.signIn());
    expect(bench.protocol.requests).toContainEqual({ scope: "read write" });
  });

  it("does not keep the user from a login if it cannot be stored", async () => {
    const bench = new SignInBench();
    bench.store.writeProblem = new Error("the disk is full");
    const signIn = bench.signIn();
    expect(await stateAsked(signIn.answer(asksFor("mcp:read")))).toBe("needs-login");
  });
});

describe("a request for more scope", () => {
  it("is remembered for the next login of any process, together with what was granted before", async () => {
    const bench = new SignInBench();
    bench.stored({ requestedScope: "read" });
    const signIn = bench.signIn();
    const sent = await signIn.token();
    expect(await stateAsked(signIn.answer(lacksScope(sent, "write")))).toBe("needs-scope");
    expect(bench.store.only().wantedScope).toBe("read write");
    // The token stays in use: other requests do not need the scope.
    expect((await signIn.token())?.header).toBe(bearer(0));

    const other = bench.signIn();
    await other.load();
    expect(other.status.state).toBe("needs-scope");
    await login(other);
    expect(bench.protocol.requests).toContainEqual({ scope: "read write" });
    expect(bench.store.only()).toMatchObject({ generation: 2, requestedScope: "read write" });
    expect(bench.store.only().wantedScope).toBeUndefined();
    expect((await signIn.answer(lacksScope(sent, "write"))).header).toBe(bearer(1));
  });

  it("that differs each time does not grow without end", async () => {
    const bench = new SignInBench();
    bench.stored({ requestedScope: "read" });
    const signIn = bench.signIn();
    const sent = await signIn.token();
    const scopeOf = (turn: number): string => `${turn}-${"x".repeat(200)}`;
    for (let turn = 0; turn < 20; turn++)
      expect(await stateAsked(signIn.answer(lacksScope(sent, scopeOf(turn))))).toBe("needs-scope");
    const { wantedScope = "" } = bench.store.only();
    expect(wantedScope.length).toBeLessThan(2000);
    expect(wantedScope.split(" ")).toContain(scopeOf(19));
    expect(signIn.status.reason?.length).toBeLessThan(300);
  });

  it("is given up after two logins that did not help", async () => {
    const bench = new SignInBench();
    bench.stored();
    const signIn = bench.signIn();
    for (let i = 0; i < 2; i++) {
      const challenge = lacksScope(await signIn.token(), "write");
      expect(await stateAsked(signIn.answer(challenge))).toBe("needs-scope");
      expect(await stateAsked(signIn.answer(challenge))).toBe("needs-scope");
      await login(signIn);
    }
    const last = signIn.answer(lacksScope(await signIn.token(), "write"));
    await expect(last).rejects.toSatisfy(isSignInUnavailable);
    const other = signIn.answer(lacksScope(await signIn.token(), "delete"));
    expect(await stateAsked(other)).toBe("needs-scope");
  });

  it("that differs after each login is given up after five logins within an hour", async () => {
    const bench = new SignInBench();
    bench.stored();
    const signIn = bench.signIn();
    const ask = async (scope: string) => signIn.answer(lacksScope(await signIn.token(), scope));
    for (let i = 0; i < 5; i++) {
      expect(await stateAsked(ask(`obey-${i}`))).toBe("needs-scope");
      // What is asked for until the user logs in is part of the same login.
      expect(await stateAsked(ask(`more-${i}`))).toBe("needs-scope");
      await login(signIn);
    }
    const refused: unknown = await ask("obey-5").catch((error: unknown) => error);
    expect(refused).toSatisfy(isSignInUnavailable);
    expect(refused).toMatchObject({
      message: expect.stringMatching(/^the server asked for different scopes 5 times within an/),
      retryAfterMs: 60 * MINUTE,
    });
    expect(bench.store.only().wantedScope).toBeUndefined();
    bench.time += 60 * MINUTE;
    expect(await stateAsked(ask("obey-6"))).toBe("needs-scope");
  });

  it("names the scope to the user, and not to the agent, also when it is given up", async () => {
    const bench = new SignInBench();
    bench.stored();
    const signIn = bench.signIn();
    for (let i = 0; i < 2; i++) {
      expect(await stateAsked(signIn.answer(lacksScope(await signIn.token(), "obey-me")))).toBe(
        "needs-scope",
      );
      expect(signIn.status.reason).toBe('the server asks for the scope "obey-me"');
      await login(signIn);
    }
    const last = signIn.answer(lacksScope(await signIn.token(), "obey-me"));
    await expect(last).rejects.toThrow(
      /^the server refuses the request for lack of scope, even after 2 logins with the scope it asked for$/,
    );
  });

  it("counts once for all requests that are refused at the same time", async () => {
    const bench = new SignInBench();
    bench.stored();
    const signIn = bench.signIn();
    const sent = await signIn.token();
    const answers = Array.from({ length: 5 }, () =>
      stateAsked(signIn.answer(lacksScope(sent, "write"))),
    );
    expect(new Set(await Promise.all(answers))).toEqual(new Set(["needs-scope"]));
    await login(signIn);
    const again = signIn.answer(lacksScope(await signIn.token(), "write"));
    expect(await stateAsked(again)).toBe("needs-scope");
  });

  it("that differs each time gets a client that signs in for itself 20 tokens an hour", async () => {
    const bench = new SignInBench();
    const signIn = bench.signIn({ grant: "client_credentials", clientId: "ci" });
    let sent = await signIn.answer(rejected(undefined));
    for (let i = 0; i < 20; i++) sent = await signIn.answer(lacksScope(sent, `scope-${i}`));
    const last = signIn.answer(lacksScope(sent, "scope-20"));
    await expect(last).rejects.toSatisfy(isSignInUnavailable);
    expect(bench.protocol.count("clientCredentials")).toBe(21);
  });

  it("gets a client that signs in for itself a token with that scope, twice at most", async () => {
    const bench = new SignInBench();
    const signIn = bench.signIn({ grant: "client_credentials", clientId: "ci" });
    let sent = await signIn.answer(rejected(undefined));
    for (let i = 0; i < 2; i++) sent = await signIn.answer(lacksScope(sent, "write"));
    expect(bench.store.only().requestedScope).toBe("write");
    await expect(signIn.answer(lacksScope(sent, "write"))).rejects.toSatisfy(isSignInUnavailable);
    expect(bench.protocol.count("clientCredentials")).toBe(3);
  });
});
