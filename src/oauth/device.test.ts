import { describe, expect, it } from "vitest";

import { perTest } from "../../test/support/disposables.ts";
import { AUTOMATIC, oauthScript, type OAuthScript } from "../../test/support/oauth-script.ts";
import { type Answer, json, sendJson } from "../../test/support/scripted-http.ts";
import type { OAuthClient } from "../credentials/record.ts";
import { startDevice } from "./device.ts";
import { discover } from "./discover.ts";
import type { ProtocolOptions, StartedDevice } from "./types.ts";

const disposables = perTest();
const CLIENT: OAuthClient = { kind: "dcr", clientId: "client", authMethod: "none" };
const TOKENS = { access_token: "at", token_type: "Bearer" };
const CODES = {
  device_code: "dc",
  user_code: "ABCD-EFGH",
  verification_uri: "https://as.example/device",
  expires_in: 100,
};

/** A clock that only `sleep` moves. */
function fakeClock(): ProtocolOptions & { readonly slept: number[] } {
  const slept: number[] = [];
  let time = 0;
  const sleep = async (ms: number): Promise<void> => {
    slept.push(ms / 1000);
    time += ms;
  };
  return { slept, sleep, now: () => time };
}

async function start(
  answers: readonly (object | { error: string })[],
  codes: Answer = CODES,
  options: ProtocolOptions = {},
): Promise<{ started: StartedDevice; script: OAuthScript }> {
  const left = [...answers];
  const script = await oauthScript(disposables, {
    answers: {
      "POST /device": codes,
      "POST /token": (response) => {
        const answer = left.shift() ?? { error: "server_error" };
        sendJson(response, "error" in answer ? 400 : 200, answer);
      },
    },
  });
  const settings = { ...AUTOMATIC, grant: "device_code" } as const;
  const discovery = await discover(script.serverUrl, undefined, settings);
  const request = { discovery, client: CLIENT, scope: "a", settings };
  return { started: await startDevice(request, options), script };
}

const PENDING = { error: "authorization_pending" };
const SLOW = { error: "slow_down" };

describe("a login with a device code", () => {
  it("polls every five seconds, and more slowly when asked", async () => {
    const clock = fakeClock();
    const answers = [PENDING, SLOW, PENDING, SLOW, TOKENS];
    const { started, script } = await start(answers, CODES, clock);
    expect(started).toMatchObject({
      url: "https://as.example/device",
      code: "ABCD-EFGH",
      expiresAt: 100_000,
    });
    expect(await started.poll()).toEqual({ accessToken: "at", scope: "a", obtainedAt: 45_000 });
    expect(clock.slept).toEqual([5, 5, 10, 10, 15]);
    const { as, serverUrl } = script;
    const [device, token] = as.requests.filter(({ method }) => method === "POST");
    expect(device?.form).toEqual({ client_id: "client", scope: "a", resource: serverUrl });
    expect(token?.form).toEqual({
      grant_type: "urn:ietf:params:oauth:grant-type:device_code",
      device_code: "dc",
      client_id: "client",
      resource: serverUrl,
    });
  });

  it.each([
    [2, 2],
    [0.1, 1],
    [0, 5],
    [-1, 5],
    ["7", 5],
  ])("waits as the server asks: %j", async (interval, expected) => {
    const clock = fakeClock();
    const { started } = await start([TOKENS], { ...CODES, interval }, clock);
    await started.poll();
    expect(clock.slept).toEqual([expected]);
  });

  it("does not wait for longer than the code is valid", async () => {
    const clock = fakeClock();
    const { started } = await start([TOKENS], { ...CODES, interval: 1e9 }, clock);
    await expect(started.poll()).rejects.toThrow(/in time/);
    expect(clock.slept).toEqual([]);
  });

  it("continues when the authorization server is not reachable", async () => {
    const clock = fakeClock();
    const { started } = await start([{ error: "server_error" }, TOKENS], CODES, clock);
    expect((await started.poll()).accessToken).toBe("at");
    expect(clock.slept).toEqual([5, 10]);
  });

  it("ends when the code has expired", async () => {
    const clock = fakeClock();
    const { started } = await start(
      Array.from({ length: 50 }, () => PENDING),
      CODES,
      clock,
    );
    await expect(started.poll()).rejects.toMatchObject({ kind: "denied" });
    expect(clock.slept).toHaveLength(20);
  });

  it.each([
    ["access_denied", "denied"],
    ["expired_token", "denied"],
    ["invalid_grant", "refused"],
    ["invalid_client", "client"],
  ])("ends with %s", async (error, kind) => {
    const { started } = await start([PENDING, { error }], CODES, fakeClock());
    await expect(started.poll()).rejects.toMatchObject({ kind });
  });

  it("ends with the reason of the signal, also during a wait", async () => {
    const { started, script } = await start([]);
    const controller = new AbortController();
    const polling = started.poll(controller.signal);
    const reason = new Error("stopped by the user");
    controller.abort(reason);
    await expect(polling).rejects.toBe(reason);
    await expect(started.poll(controller.signal)).rejects.toBe(reason);
    expect(script.as.log).not.toContain("POST /token");
  });

  it("shows a code that cannot control the terminal", async () => {
    const { started } = await start([], { ...CODES, user_code: `\u001b[2J${"x".repeat(500)}` });
    expect(started.code.startsWith("\\u{1b}")).toBe(true);
    expect(started.code.length).toBeLessThan(80);
  });

  it.each<[string, Answer, string]>([
    ["no code", { ...CODES, user_code: undefined }, "unsupported"],
    ["no address", { ...CODES, verification_uri: undefined }, "metadata"],
    ["http", { ...CODES, verification_uri: "http://as.example" }, "metadata"],
    ["javascript:", { ...CODES, verification_uri_complete: "javascript:1" }, "metadata"],
    ["an error", json(401, { error: "invalid_client" }), "client"],
    ["a server error", json(502, {}), "network"],
  ])("does not start with %s", async (_, answer, kind) => {
    await expect(start([], answer)).rejects.toMatchObject({ kind });
  });

  it("does not start if the authorization server does not offer it", async () => {
    const script = await oauthScript(disposables, {
      as: () => ({ device_authorization_endpoint: undefined }),
    });
    const discovery = await discover(script.serverUrl, undefined, AUTOMATIC);
    const request = { discovery, client: CLIENT, scope: undefined, settings: AUTOMATIC };
    await expect(startDevice(request)).rejects.toMatchObject({ kind: "unsupported" });
  });
});
