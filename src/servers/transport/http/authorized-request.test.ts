import { describe, expect, it } from "vitest";
import { authStatus, FakeSignIn } from "../../../../test/support/fake-sign-in.ts";
import type { BearerToken } from "../../../sign-in/types.ts";
import { workbenchError } from "../../../errors.ts";
import { signInRequired } from "../../../calls/sign-in-required.ts";
import { SignInUnavailable } from "../../../sign-in/sign-in-errors.ts";
import { type SendWith, sendAuthorized } from "./authorized-request.ts";
import type { HttpResponse } from "./http-response.ts";

interface Answer {
  readonly status: number;
  readonly challenge?: string;
}

const OK: Answer = { status: 200 };
const CHALLENGE: Answer = { status: 401, challenge: 'Bearer resource_metadata="https://x"' };
const BARE: Answer = { status: 401, challenge: "Bearer" };
const STEP_UP: Answer = {
  status: 403,
  challenge: 'Bearer error="insufficient_scope", scope="files:write"',
};

/** Sends a request to a server that gives these answers, one after the other. */
function scene(answers: readonly Answer[], isConfigured = false) {
  const signIn = new FakeSignIn();
  const accepted: string[] = [];
  const authorization = Object.assign(signIn, {
    isConfigured,
    onAccepted: (_: BearerToken, request: () => string) => void accepted.push(request()),
  });
  const sent: (string | undefined)[] = [];
  let discarded = 0;
  const respond: SendWith = async (token) => {
    const { status, challenge } = answers[sent.length] ?? OK;
    sent.push(token?.header);
    const headers = challenge === undefined ? {} : { "www-authenticate": challenge };
    const ok = status === 200;
    return { status, ok, headers, discard: () => discarded++ } as unknown as HttpResponse;
  };
  const send = (): Promise<HttpResponse> =>
    sendAuthorized(authorization, "api.example", respond, () => "tools/call");
  return { signIn, sent, send, accepted, discarded: () => discarded };
}

const TOKEN = { header: "Bearer a", generation: 1 };
const FRESH = { header: "Bearer b", generation: 2, isFresh: true } as const;
const STORED = { header: "Bearer c", generation: 2 };

describe("a request to a server that may need a sign-in", () => {
  it("is sent without a token as long as the server does not ask for one", async () => {
    const { signIn, sent, send } = scene([OK]);
    signIn.current = TOKEN;
    expect((await send()).status).toBe(200);
    expect(sent).toEqual([undefined]);
    expect(signIn.challenges).toEqual([]);
  });

  it.each([
    [200, ["tools/call"]],
    // That says nothing about the token.
    [500, []],
  ])("with the status %i is reported as accepted: %j", async (status, expected) => {
    const { signIn, send, accepted } = scene([{ status }]);
    Object.assign(signIn, { isInUse: true, current: TOKEN });
    await send();
    expect(accepted).toEqual(expected);
  });

  it("carries the token once the sign-in is in use", async () => {
    const { signIn, sent, send } = scene([OK]);
    Object.assign(signIn, { isInUse: true, current: TOKEN });
    await send();
    expect(sent).toEqual(["Bearer a"]);
  });

  it.each([
    ["a challenge", CHALLENGE],
    ["a lack of scope", STEP_UP],
  ])("is sent once more after %s", async (_, answer) => {
    const { signIn, sent, send, discarded } = scene([answer, OK]);
    Object.assign(signIn, { isInUse: true, current: TOKEN, next: FRESH });
    expect((await send()).status).toBe(200);
    expect(sent).toEqual(["Bearer a", "Bearer b"]);
    expect(signIn.challenges).toEqual([
      { status: answer.status, header: answer.challenge, sent: TOKEN, request: "tools/call" },
    ]);
    expect(discarded()).toBe(1);
  });

  it("is sent with a fresh token if the one that was stored is rejected, too", async () => {
    const { signIn, sent, send } = scene([CHALLENGE, CHALLENGE, OK]);
    Object.assign(signIn, { isInUse: true, current: TOKEN, next: FRESH });
    signIn.first.push(STORED);
    expect((await send()).status).toBe(200);
    expect(sent).toEqual(["Bearer a", "Bearer c", "Bearer b"]);
  });

  it("is sent once more with a fresh token, whatever scheme the rejection of its token names", async () => {
    const { signIn, sent, send } = scene([{ status: 401, challenge: 'Basic realm="x"' }, OK]);
    Object.assign(signIn, { isInUse: true, current: TOKEN, next: FRESH });
    expect((await send()).status).toBe(200);
    expect(sent).toEqual(["Bearer a", "Bearer b"]);
  });

  it("is never sent a fourth time", async () => {
    const { signIn, sent, send } = scene([CHALLENGE, CHALLENGE, CHALLENGE, OK]);
    signIn.next = STORED;
    await expect(send()).rejects.toMatchObject({ code: "unauthorized", mayHaveRun: false });
    expect(sent).toHaveLength(3);
  });

  it("is not sent after a fresh token was rejected, and the sign-in learns of the second challenge", async () => {
    const { signIn, sent, send, discarded } = scene([CHALLENGE, CHALLENGE, OK]);
    signIn.next = FRESH;
    await expect(send()).rejects.toMatchObject({ code: "unauthorized", mayHaveRun: false });
    expect(sent).toEqual([undefined, "Bearer b"]);
    expect(signIn.challenges.map((challenge) => challenge.sent)).toEqual([undefined, FRESH]);
    expect(discarded()).toBe(2);
  });

  it("fails with what the user has to do, and had no effect", async () => {
    const { signIn, sent, send } = scene([CHALLENGE]);
    signIn.next = signInRequired({ toolbox: "dev", server: "fx" }, authStatus());
    await expect(send()).rejects.toMatchObject({
      code: "signInRequired",
      mayHaveRun: false,
      cause: { code: "SIGN_IN_REQUIRED" },
    });
    expect(sent).toHaveLength(1);
  });

  it("fails for a while if the authorization server cannot be reached", async () => {
    const { signIn, send } = scene([CHALLENGE]);
    signIn.next = new Error("as.example did not answer.");
    await expect(send()).rejects.toMatchObject({
      code: "signInUnavailable",
      mayHaveRun: false,
      message: expect.stringMatching(/did not answer$/) as string,
    });
  });

  it("says that only a login helps if what is stored cannot be read", async () => {
    const { signIn, send } = scene([CHALLENGE]);
    const parameters = { credential: "for https://x", reason: "it is damaged" };
    signIn.next = workbenchError("CREDENTIAL_UNUSABLE", parameters, "Sign in again");
    await expect(send()).rejects.toMatchObject({
      code: "signInUnreadable",
      message: expect.stringMatching(/cannot be read: it is damaged$/) as string,
    });
  });

  it.each([
    ["shows what is wrong with the metadata that the server names", CHALLENGE, "signInRefused"],
    ["takes a server without metadata for one with keys", BARE, "unauthorized"],
  ])("%s", async (_, answer, code) => {
    const { signIn, send } = scene([answer]);
    const auth = { ...signIn.status, state: "refused", issuer: null } as const;
    signIn.next = new SignInUnavailable(auth, "its issuer is wrong", 0);
    await expect(send()).rejects.toMatchObject({ code, mayHaveRun: false });
  });

  it.each<[string, Answer]>([
    ["other schemes", { status: 401, challenge: 'Basic realm="Bearer-like"' }],
    ["a lack of permission", { status: 403, challenge: "Bearer" }],
    ["a different error", { status: 403, challenge: 'Bearer error="invalid_token"' }],
    ["a status that is not about credentials", { status: 400, challenge: "Bearer" }],
  ])("is not repeated after %s", async (_, answer) => {
    const { signIn, send } = scene([answer]);
    signIn.next = FRESH;
    expect((await send()).status).toBe(answer.status);
    expect(signIn.challenges).toEqual([]);
  });

  it("without a challenge asks for a sign-in only if the server's metadata shows that it has one", async () => {
    const { signIn, send, discarded } = scene([{ status: 401 }, { status: 401 }]);
    signIn.next = new SignInUnavailable(signIn.status, "it has no metadata", 0);
    // The response may say more.
    expect((await send()).status).toBe(401);
    expect(discarded()).toBe(0);
    signIn.next = signInRequired({ toolbox: "dev", server: "fx" }, authStatus());
    await expect(send()).rejects.toMatchObject({ code: "signInRequired", mayHaveRun: false });
    expect(signIn.challenges).toMatchObject([{ isUnspecific: true }, { isUnspecific: true }]);
  });

  it.each([
    ["the configuration says how to sign in", true, undefined],
    ["it was sent with a token", false, TOKEN],
  ])("needs no challenge after a 401 if %s", async (_, isConfigured, current) => {
    const { signIn, sent, send } = scene([{ status: 401 }], isConfigured);
    Object.assign(signIn, { isInUse: current !== undefined, current, next: FRESH });
    expect((await send()).status).toBe(200);
    expect(sent).toEqual([current?.header, "Bearer b"]);
  });
});
