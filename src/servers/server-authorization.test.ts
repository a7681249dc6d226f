import { describe, expect, it, vi } from "vitest";
import { settingsWith } from "../../test/support/fake-connection.ts";
import { FakeSignIn, authStatus } from "../../test/support/fake-sign-in.ts";
import type { OAuthSettings } from "../config/types.ts";
import { clientProfile } from "../protocol/client-profile.ts";
import { SignInNeeded } from "../sign-in/sign-in-errors.ts";
import { type Host, quietHost } from "./host.ts";
import { prepareSignIn } from "./prepare-sign-in.ts";
import { Server } from "./server.ts";

const AUTOMATIC: OAuthSettings = { account: "default", grant: "authorization_code" };
const CHALLENGE = { status: 401, header: "Bearer", sent: undefined } as const;

/** A remote server that is never connected. */
async function scene({ isOn = true, hasCredential = false } = {}) {
  const signIn = new FakeSignIn();
  let loaded = 0;
  const host: Host = {
    ...quietHost(),
    signIns: {
      load: async () => ({
        hasCredential: async () => hasCredential,
        of: async () => {
          loaded++;
          return signIn;
        },
        withLink: async (error) => error,
        loginLink: async () => undefined,
      }),
    },
  };
  const address = { kind: "http", url: "https://api.example/mcp", headers: {} } as const;
  const transport = { ...address, ...(isOn && { oauth: AUTOMATIC }) };
  const server = new Server(settingsWith({ transport }), host);
  await prepareSignIn(server);
  return { server, signIn, loaded: () => loaded };
}

/** The sign-in of a server that has one. */
function authorizationOf({ signIn }: Server): NonNullable<Server["signIn"]> {
  if (signIn === undefined) throw new Error("the server has no sign-in");
  return signIn;
}

const pending = (): AbortSignal => new AbortController().signal;

describe("the sign-in of a server", () => {
  it("does not exist for local servers, and where it is turned off", async () => {
    expect((await scene({ isOn: false })).server.signIn).toBeUndefined();
    expect(new Server(settingsWith()).signIn).toBeUndefined();
  });

  it("loads nothing before it is needed", async () => {
    const { server, loaded } = await scene();
    await authorizationOf(server).prepare();
    expect(server.signIn?.isInUse).toBe(false);
    expect(server.signIn?.status).toBeUndefined();
    expect(server.state).toBe("idle");
    expect(loaded()).toBe(0);
  });

  it("is loaded before the first request if there is a credential", async () => {
    const { server, signIn, loaded } = await scene({ hasCredential: true });
    signIn.isInUse = true;
    await authorizationOf(server).prepare();
    await authorizationOf(server).prepare();
    expect(server.signIn?.isInUse).toBe(true);
    expect(loaded()).toBe(1);
  });

  it("has the time that it takes for itself, not that of the server", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const { server, signIn } = await scene({ hasCredential: true });
      // A keychain may wait for its user; after that, its failure is known.
      let waitMs = server.settings.timeouts.connectMs;
      signIn.token = async () => {
        vi.advanceTimersByTime(waitMs);
        waitMs = 0;
        throw new Error("the keychain does not answer");
      };
      signIn.isInUse = true;
      const profile = clientProfile("legacy", {}, {});
      await expect(server.connect(profile)).rejects.toThrow("the keychain does not answer");
      await server.close();
    } finally {
      vi.useRealTimers();
    }
  });

  it("is needed from a challenge until the credential changes, in any process", async () => {
    const { server, signIn } = await scene();
    const authorization = authorizationOf(server);
    await expect(authorization.answer(CHALLENGE)).rejects.toMatchObject({
      code: "SIGN_IN_REQUIRED",
    });
    expect(server.state).toBe("needs-auth");
    expect(server.failures).toMatchObject({ restarts: 0, lastError: undefined, pausing: false });
    const waiting = authorization.whenSignedIn(pending());
    signIn.signIn();
    await waiting;
    expect(server.state).toBe("idle");
  });

  it("is not needed because of a challenge to a request that the server works without", async () => {
    const { server } = await scene();
    const authorization = authorizationOf(server);
    const challenge = { ...CHALLENGE, isOptional: true };
    await expect(authorization.answer(challenge)).rejects.toMatchObject({
      code: "SIGN_IN_REQUIRED",
    });
    expect(server.state).toBe("idle");
    await expect(authorization.answer(CHALLENGE)).rejects.toThrow("sign in");
    expect(server.state).toBe("needs-auth");
  });

  it("is still needed after a change that is not a sign-in", async () => {
    const { server, signIn } = await scene();
    const authorization = authorizationOf(server);
    await expect(authorization.answer(CHALLENGE)).rejects.toThrow("sign in");
    let isDone = false;
    const waiting = authorization.whenSignedIn(pending()).then(() => (isDone = true));
    signIn.change("needs-scope");
    await new Promise((resolve) => setImmediate(resolve));
    expect(isDone).toBe(false);
    expect(server.signIn?.needed?.state).toBe("needs-scope");
    signIn.signIn();
    await waiting;
  });

  it("is not needed because the authorization server cannot be reached", async () => {
    const { server, signIn } = await scene();
    signIn.next = new Error("it does not answer");
    await expect(authorizationOf(server).answer(CHALLENGE)).rejects.toThrow("does not answer");
    expect(server.state).toBe("idle");
  });

  it("is no longer needed once a challenge could be answered", async () => {
    const { server, signIn } = await scene();
    const authorization = authorizationOf(server);
    await expect(authorization.answer(CHALLENGE)).rejects.toThrow("sign in");
    signIn.next = { header: "Bearer b", generation: 2 };
    await authorization.answer(CHALLENGE);
    expect(server.state).toBe("idle");
  });

  it("is no longer needed once what was rejected is accepted with the same token", async () => {
    const { server } = await scene();
    const authorization = authorizationOf(server);
    await expect(authorization.answer(CHALLENGE)).rejects.toThrow("sign in");
    const token = { header: "Bearer a", generation: 1 };
    // Some servers accept any token for this.
    authorization.onAccepted(token, () => "tools/list");
    expect(server.state).toBe("needs-auth");
    authorization.onAccepted(token, () => "tools/call");
    expect(server.state).toBe("idle");
  });

  it("is still needed for a scope after a token was refreshed for a different call", async () => {
    const { server, signIn } = await scene();
    const authorization = authorizationOf(server);
    signIn.status = authStatus("needs-scope");
    signIn.next = new SignInNeeded(signIn.status);
    await expect(authorization.answer({ ...CHALLENGE, status: 403 })).rejects.toThrow("sign in");
    let isDone = false;
    const waiting = authorization.whenSignedIn(pending()).then(() => (isDone = true));
    signIn.next = { header: "Bearer b", generation: 2 };
    await authorization.answer(CHALLENGE);
    await new Promise((resolve) => setImmediate(resolve));
    expect(isDone).toBe(false);
    expect(server.signIn?.needed?.state).toBe("needs-scope");
    signIn.signIn();
    await waiting;
  });

  it("lets callers stop waiting", async () => {
    const { server } = await scene();
    const authorization = authorizationOf(server);
    await authorization.whenSignedIn(pending());
    await expect(authorization.answer(CHALLENGE)).rejects.toThrow("sign in");
    const abort = new AbortController();
    const waiting = authorization.whenSignedIn(abort.signal);
    abort.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
  });

  it("starts again with changed settings, and wakes those who wait", async () => {
    const { server, signIn, loaded } = await scene();
    const before = authorizationOf(server);
    await expect(before.answer(CHALLENGE)).rejects.toThrow("sign in");
    const waiting = before.whenSignedIn(pending());
    const transport = { ...server.settings.transport, url: "https://other.example/mcp" };
    await server.reconfigure({ ...server.settings, transport } as Server["settings"], true);
    await waiting;
    expect(server.signIn).not.toBe(before);
    expect(server.state).toBe("idle");
    expect(signIn.listeners).toBe(0);
    expect(loaded()).toBe(1);
  });

  it("knows a fresh token that is rejected in a result, and a result that accepts it", async () => {
    const { server, signIn } = await scene();
    const authorization = authorizationOf(server);
    const fresh = { header: "Bearer b", generation: 2, isFresh: true } as const;
    signIn.first.push(fresh);
    await authorization.answerResult("Bearer", { header: "Bearer a", generation: 1 });
    const again = { header: "Bearer b", generation: 2 };
    await expect(authorization.answerResult("Bearer", again)).rejects.toThrow("sign in");
    expect(signIn.challenges.at(-1)?.sent).toEqual(fresh);
    expect(server.state).toBe("needs-auth");
    signIn.rejectedRequest = "result";
    authorization.onResult(again);
    expect(server.state).toBe("idle");
  });

  it("explains a challenge in a result like one of HTTP", async () => {
    const { server, signIn } = await scene();
    signIn.next = new SignInNeeded(authStatus("needs-scope"));
    const sent = { header: "Bearer a", generation: 1 };
    const header = 'Bearer error="insufficient_scope"';
    await expect(authorizationOf(server).answerResult(header, sent)).rejects.toMatchObject({
      code: "SIGN_IN_REQUIRED",
      text: expect.stringContaining("mcp-workbench login dev/fx") as string,
    });
    expect(signIn.challenges).toEqual([{ status: 403, header, sent, request: "result" }]);
    signIn.next = new Error("it does not answer");
    await expect(authorizationOf(server).answerResult("Bearer", sent)).rejects.toMatchObject({
      code: "CONNECTION_FAILED",
    });
  });
});
