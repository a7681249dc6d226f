import { createHash } from "node:crypto";
import { inspect } from "node:util";

import { describe, expect, it } from "vitest";

import { perTest } from "../../test/support/disposables.ts";
import { AUTOMATIC, oauthScript, type OAuthScript } from "../../test/support/oauth-script.ts";
import { type Answer, json } from "../../test/support/scripted-http.ts";
import type { OAuthClient } from "../credentials/record.ts";
import { finishAuthorization, startAuthorization } from "./authorization.ts";
import { discover } from "./discover.ts";
import type { OAuthSettings } from "../config/types.ts";
import type { StartedAuthorization } from "./types.ts";

const disposables = perTest();
const REDIRECT = "http://127.0.0.1:7999/callback";
const CLIENT: OAuthClient = { kind: "dcr", clientId: "client", authMethod: "none" };
const TOKENS = { access_token: "at", token_type: "bearer", expires_in: 60, refresh_token: "rt" };

interface Case {
  readonly as?: (issuer: string) => object;
  readonly settings?: Partial<OAuthSettings>;
  readonly scope?: string;
  readonly token?: Answer;
}

async function start({
  as = () => ({}),
  settings = {},
  scope,
  token = TOKENS,
}: Case = {}): Promise<{
  started: StartedAuthorization;
  script: OAuthScript;
  query: URLSearchParams;
}> {
  const script = await oauthScript(disposables, { as, answers: { "POST /token": token } });
  const all = { ...AUTOMATIC, ...settings };
  const discovery = await discover(script.serverUrl, undefined, all);
  const request = { discovery, client: CLIENT, redirectUri: REDIRECT, scope, settings: all };
  const started = await startAuthorization(request, { now: () => 1000 });
  return { started, script, query: new URL(started.url).searchParams };
}

const tokenRequests = ({ as }: OAuthScript) => as.requests.filter(({ url }) => url === "/token");

describe("the address of a login page", () => {
  it("has all parameters of OAuth 2.1 and the exact resource", async () => {
    const { started, script, query } = await start({ scope: "a b" });
    expect(started.url.startsWith(`${script.as.origin}/authorize?`)).toBe(true);
    expect(Object.fromEntries(query)).toEqual({
      response_type: "code",
      client_id: "client",
      redirect_uri: REDIRECT,
      scope: "a b",
      state: started.state,
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: "S256",
      resource: script.serverUrl,
    });
    expect(started.state.length).toBeGreaterThanOrEqual(43);
  });

  it("has no scope and no resource if there is none", async () => {
    const { query } = await start({ settings: { resource: false } });
    expect(query.has("scope") || query.has("resource")).toBe(false);
  });

  it("keeps parameters of the endpoint, except those of the protocol", async () => {
    const { query } = await start({
      as: (issuer) => ({
        authorization_endpoint: `${issuer}/a?tenant=1&redirect_uri=https://evil.example&scope=all`,
      }),
    });
    expect(query.get("tenant")).toBe("1");
    expect(query.getAll("redirect_uri")).toEqual([REDIRECT]);
    expect(query.has("scope")).toBe(false);
  });

  it("has configured parameters", async () => {
    const authorizationParams = { access_type: "offline", prompt: "select_account" };
    const { query } = await start({
      settings: { authorizationParams },
      scope: "offline_access",
      as: () => ({ scopes_supported: ["openid", "offline_access"] }),
    });
    expect(Object.fromEntries(query)).toMatchObject(authorizationParams);
  });

  it.each(["client_id", "State", "redirect_uri", "resource", "code_challenge", "request", "scope"])(
    "cannot be given a different %s",
    async (name) => {
      const failure = start({ settings: { authorizationParams: { [name]: "x" } } });
      await expect(failure).rejects.toMatchObject({ kind: "unsupported" });
    },
  );

  it.each<[string, object, string, string | null]>([
    ["an OpenID provider", { scopes_supported: ["openid"] }, "a offline_access", "consent"],
    ["an OpenID provider without offline access", { scopes_supported: ["openid"] }, "a", null],
    ["another server", { scopes_supported: ["offline_access"] }, "offline_access", null],
    [
      "a provider that cannot ask",
      { scopes_supported: ["openid"], prompt_values_supported: ["login"] },
      "offline_access",
      null,
    ],
  ])("asks for consent only where it is required: %s", async (_, as, scope, prompt) => {
    const { query } = await start({ as: () => as, scope });
    expect(query.get("prompt")).toBe(prompt);
  });

  it("does not give the verifier away when it is printed", async () => {
    const { started, script, query } = await start();
    const printed = inspect(started, { depth: 9, showHidden: true }) + JSON.stringify(started);
    await finishAuthorization(started, `?code=c&state=${started.state}`);
    const verifier = tokenRequests(script)[0]?.form["code_verifier"] ?? "";
    const challenge = createHash("sha256").update(verifier).digest("base64url");
    expect(challenge).toBe(query.get("code_challenge"));
    expect(printed).not.toContain(verifier);
  });
});

describe("the answer to a login", () => {
  const answers: [string, (state: string) => string][] = [
    ["a full address", (state) => `${REDIRECT}?code=c%2F1&state=${state}`],
    ["a query", (state) => `?code=c%2F1&state=${state}`],
    ["a query without a question mark", (state) => `state=${state}&code=c%2F1`],
    ["a path", (state) => `/callback?state=${state}&code=c%2F1`],
    ["a pasted address", (state) => `  "<${REDIRECT}?code=c%2F1&state=${state}>"\n`],
  ];
  it.each(answers)("is accepted as %s", async (_, write) => {
    const { started, script } = await start({ scope: "a" });
    const token = await finishAuthorization(started, write(started.state));
    expect(token).toEqual({
      accessToken: "at",
      refreshToken: "rt",
      scope: "a",
      obtainedAt: 1000,
      expiresAt: 61_000,
    });
    expect(tokenRequests(script)[0]?.form).toEqual({
      grant_type: "authorization_code",
      client_id: "client",
      code: "c/1",
      redirect_uri: REDIRECT,
      code_verifier: expect.stringMatching(/^[\w-]{43}$/),
      resource: script.serverUrl,
    });
  });

  it.each<[string, (state: string, url: string) => string, RegExp]>([
    ["a bare code", () => "abc123", /complete address/],
    ["nothing", () => " ", /complete address/],
    ["the login page", (_, url) => url, /address of the login page/],
    ["no state", () => "?code=c", /different login/],
    ["a wrong state", (state) => `?code=c&state=${state}x`, /different login/],
    ["two states", (state) => `?code=c&state=${state}&state=${state}`, /more than one 'state'/],
    ["two codes", (state) => `?code=c&code=d&state=${state}`, /more than one 'code'/],
    ["no code", (state) => `?state=${state}`, /no code/],
  ])("is refused if it is %s, and can be given again", async (_, write, problem) => {
    const { started, script } = await start();
    const failure = finishAuthorization(started, write(started.state, started.url));
    await expect(failure).rejects.toMatchObject({
      kind: "denied",
      message: expect.stringMatching(problem),
    });
    expect(tokenRequests(script)).toEqual([]);
    await finishAuthorization(started, `?code=c&state=${started.state}`);
  });

  it("is redeemed once", async () => {
    const { started, script } = await start({ token: json(500, {}) });
    const answer = `?code=c&state=${started.state}`;
    await expect(finishAuthorization(started, answer)).rejects.toMatchObject({ kind: "network" });
    await expect(finishAuthorization(started, answer)).rejects.toMatchObject({ kind: "denied" });
    expect(tokenRequests(script)).toHaveLength(1);
  });

  const ADVERTISED = { authorization_response_iss_parameter_supported: true };
  it.each<[string, object, (issuer: string) => string, boolean]>([
    ["advertised and right", ADVERTISED, (issuer) => issuer, true],
    ["advertised and missing", ADVERTISED, () => "", false],
    ["advertised and wrong", ADVERTISED, () => "https://evil.example", false],
    ["not advertised and missing", {}, () => "", true],
    ["not advertised and right", {}, (issuer) => issuer, true],
    ["not advertised and wrong", {}, () => "https://evil.example", false],
    ["only equal after normalisation", {}, (issuer) => `${issuer}/`, false],
  ])("has an issuer that is %s", async (_, as, issOf, isAccepted) => {
    const { started, script } = await start({ as: () => as });
    const iss = issOf(started.issuer);
    const query = new URLSearchParams({ state: started.state, ...(iss !== "" && { iss }) });
    const success = finishAuthorization(started, `?${query}&code=c`).then(
      () => true,
      () => false,
    );
    expect(await success).toBe(isAccepted);
    expect(tokenRequests(script)).toHaveLength(isAccepted ? 1 : 0);
    const error = finishAuthorization(
      started,
      `?${query}&error=access_denied&error_description=Visit+evil.example`,
    );
    const failure: unknown = await error.catch((reason: unknown) => reason);
    // What the wrong server says is not even shown.
    expect(failure).toMatchObject({ kind: isAccepted ? "denied" : "metadata" });
    expect(String(failure).includes("Visit")).toBe(isAccepted);
  });

  it.each([
    ["access_denied", "denied"],
    ["temporarily_unavailable", "network"],
    ["invalid_scope", "unsupported"],
    ["unauthorized_client", "client"],
    ["constructor", "unsupported"],
    ["\u001b[2J", "unsupported"],
  ])("with the error %j means: %s", async (code, kind) => {
    const { started } = await start();
    const description = `no\r\n${"x1".repeat(20)} ${"word ".repeat(200)}`;
    const query = new URLSearchParams({
      state: started.state,
      error: code,
      error_description: description,
    });
    const failure: unknown = await finishAuthorization(started, `?${query}`).catch(
      (reason: unknown) => reason,
    );
    expect(failure).toMatchObject({ kind });
    // oxlint-disable-next-line no-control-regex -- control characters are what this looks for
    expect(String(failure)).not.toMatch(/x1x1|[\u0000-\u001f]/);
    expect(String(failure).length).toBeLessThan(500);
  });
});
