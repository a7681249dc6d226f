import {
  constants,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  verify,
} from "node:crypto";

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { perTest } from "../../test/support/disposables.ts";
import { AUTOMATIC, oauthScript, type OAuthScript } from "../../test/support/oauth-script.ts";
import { type Answer, json } from "../../test/support/scripted-http.ts";
import type { OAuthClient, TokenSet } from "../credentials/record.ts";
import { clientCredentials } from "./client-credentials.ts";
import { discover } from "./discover.ts";
import { refreshTokens } from "./refresh.ts";
import { revokeTokens } from "./revoke.ts";
import { expiryOf, tokenSetOf } from "./token-response.ts";
import type { StoredGrant } from "./types.ts";

const disposables = perTest();
const CLIENT: OAuthClient = { kind: "dcr", clientId: "client", authMethod: "none" };
const TOKEN: TokenSet = { accessToken: "at-0", refreshToken: "rt-0", scope: "a", obtainedAt: 0 };
const NEW = { access_token: "at-1", token_type: "Bearer", expires_in: 10 };
const options = { now: () => 1000 };

async function stored(
  answers: Record<string, Answer>,
  change: Partial<StoredGrant> = {},
): Promise<{ grant: StoredGrant; script: OAuthScript }> {
  const script = await oauthScript(disposables, { answers });
  const { endpoints } = await discover(script.serverUrl, undefined, AUTOMATIC);
  const { serverUrl } = script;
  const grant = {
    serverUrl,
    endpoints,
    client: CLIENT,
    token: TOKEN,
    resource: "urn:r",
    ...change,
  };
  return { grant, script };
}

const sentTo = ({ as }: OAuthScript, path: string) => as.requests.filter(({ url }) => url === path);

describe("refreshTokens", () => {
  it("sends the resource and no scope, and keeps what does not come back", async () => {
    const { grant, script } = await stored({ "POST /token": NEW });
    expect(await refreshTokens(grant, options)).toEqual({
      accessToken: "at-1",
      refreshToken: "rt-0",
      scope: "a",
      obtainedAt: 1000,
      expiresAt: 11_000,
    });
    const [request] = sentTo(script, "/token");
    expect(request?.form).toEqual({
      grant_type: "refresh_token",
      refresh_token: "rt-0",
      resource: "urn:r",
      client_id: "client",
    });
  });

  it("counts the life of a token from the request: its answer may arrive late", async () => {
    let time = 1000;
    const late: Answer = (response) => {
      time += 5000;
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(NEW));
    };
    const { grant } = await stored({ "POST /token": late });
    const token = await refreshTokens(grant, { now: () => time });
    expect(token).toMatchObject({ obtainedAt: 1000, expiresAt: 11_000 });
  });

  it("takes a new refresh token and scope", async () => {
    const answer = { ...NEW, refresh_token: "rt-1", scope: "a b" };
    const { grant } = await stored({ "POST /token": answer });
    const token = await refreshTokens(grant, options);
    expect(token).toMatchObject({ refreshToken: "rt-1", scope: "a b" });
  });

  it("leaves out the parts of a scope that cannot be requested or shown", async () => {
    const answer = { ...NEW, scope: 'a \u001b[2Jx "quoted" b' };
    const { grant } = await stored({ "POST /token": answer });
    expect((await refreshTokens(grant, options)).scope).toBe("a b");
  });

  it("sends nothing without a refresh token", async () => {
    const token = { accessToken: "at", obtainedAt: 0 };
    const { grant, script } = await stored({ "POST /token": NEW }, { token });
    await expect(refreshTokens(grant)).rejects.toMatchObject({ kind: "refused" });
    expect(sentTo(script, "/token")).toEqual([]);
  });

  it.each<[string, Answer, object]>([
    [
      "invalid_grant",
      json(400, { error: "invalid_grant" }),
      { kind: "refused", error: "invalid_grant" },
    ],
    ["invalid_client", json(401, { error: "invalid_client" }), { kind: "client" }],
    ["invalid_target", json(400, { error: "invalid_target" }), { kind: "unsupported" }],
    ["an error with status 200", { error: "bad_refresh_token" }, { kind: "refused" }],
    [
      "a server error that names a grant",
      json(503, { error: "invalid_grant" }),
      { kind: "network" },
    ],
    ["too many requests", json(429, { error: "invalid_grant" }), { kind: "network" }],
    ["an empty error", json(400, {}), { kind: "network" }],
    [
      "an error that is not text",
      json(400, { error: { code: "invalid_grant" } }),
      { kind: "network" },
    ],
    [
      "a page",
      (r) => void r.writeHead(200, { "content-type": "text/html" }).end("<p>"),
      { kind: "network" },
    ],
    ["a page that refuses", (r) => void r.writeHead(403).end("<p>"), { kind: "network" }],
    ["a token of a different type", { ...NEW, token_type: "DPoP" }, { kind: "unsupported" }],
    ["no type", { ...NEW, token_type: undefined }, { kind: "unsupported" }],
    ["no token", { token_type: "Bearer" }, { kind: "unsupported" }],
    ["an empty token", { ...NEW, access_token: "" }, { kind: "unsupported" }],
    ["a token with a space", { ...NEW, access_token: "a b" }, { kind: "unsupported" }],
    ["a refresh token that is a number", { ...NEW, refresh_token: 7 }, { kind: "unsupported" }],
  ])("fails with the right kind: %s", async (_, answer, expected) => {
    const { grant } = await stored({ "POST /token": answer });
    await expect(refreshTokens(grant, options)).rejects.toMatchObject(expected);
  });

  it("reports when to try again", async () => {
    const busy: Answer = (response) => void response.writeHead(429, { "retry-after": "30" }).end();
    const { grant } = await stored({ "POST /token": busy });
    const failure = refreshTokens(grant, options);
    await expect(failure).rejects.toMatchObject({ kind: "network", retryAfterMs: 30_000 });
  });

  it("shows no secret that the authorization server repeats", async () => {
    const client = {
      ...CLIENT,
      authMethod: "client_secret_post",
      clientSecret: "s3cret word",
    } as const;
    const echo: Answer = (response, { form }) => {
      const text = `${form["refresh_token"]} ${form["client_secret"]} ${Buffer.from("x".repeat(40)).toString("base64")}`;
      response.writeHead(400, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: "invalid_grant", error_description: text }));
    };
    const token = { ...TOKEN, refreshToken: "rt-canary" };
    const { grant } = await stored({ "POST /token": echo }, { client, token });
    const failure: unknown = await refreshTokens(grant).catch((error: unknown) => error);
    expect(failure).toMatchObject({ kind: "refused" });
    expect(JSON.stringify(failure) + String(failure)).not.toMatch(/canary|s3cret|eHh4/);
  });
});

describe("the lifetime of a token", () => {
  it.each([
    [60, 61_000],
    ["60", 61_000],
    [1.5, 2500],
    [0, undefined],
    [-1, undefined],
    [Number.NaN, undefined],
    [Number.POSITIVE_INFINITY, undefined],
    [1e300, undefined],
    ["soon", undefined],
    ["", undefined],
    [null, undefined],
    [{}, undefined],
    [true, undefined],
  ])("of %j is until %j", (seconds, expected) => {
    expect(expiryOf(seconds, 1000)).toBe(expected);
  });

  it("is a valid date or not known, whatever the server says", () => {
    fc.assert(
      fc.property(fc.anything(), (expires_in) => {
        const document = { access_token: "a", token_type: "Bearer", expires_in };
        const { expiresAt = 1000 } = tokenSetOf(document, "https://as.example", 1000, {});
        expect(expiresAt).toBeGreaterThanOrEqual(1000);
        expect(new Date(expiresAt).toISOString()).toMatch(/^\d{4}-/);
      }),
    );
  });
});

describe("clientCredentials", () => {
  const keys = {
    rsa: () => generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey,
    ec: () => generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey,
    ed25519: () => generateKeyPairSync("ed25519").privateKey,
  };

  async function request(
    client: Partial<OAuthClient>,
    privateKey?: string,
    as: object = {},
  ): Promise<{ script: OAuthScript; token: TokenSet }> {
    const script = await oauthScript(disposables, {
      as: () => as,
      answers: { "POST /token": NEW },
    });
    const settings = { ...AUTOMATIC, grant: "client_credentials", privateKey } as const;
    const discovery = await discover(script.serverUrl, undefined, settings);
    const all = { discovery, client: { ...CLIENT, ...client }, scope: "a", settings };
    return { script, token: await clientCredentials(all, options) };
  }

  it.each([
    ["a:b", "c d", "a%3Ab:c+d"],
    // Many authorization servers do not decode what needs no encoding.
    ["my-app_1.a*", "s-e_c.r*t", "my-app_1.a*:s-e_c.r*t"],
    ["é", "%+&=", "%C3%A9:%25%2B%26%3D"],
  ])("authenticates with a secret in the header: %s %s", async (clientId, clientSecret, basic) => {
    const { script, token } = await request({
      authMethod: "client_secret_basic",
      clientId,
      clientSecret,
    });
    const [sent] = sentTo(script, "/token");
    const header = sent?.headers.authorization?.slice(6) ?? "";
    expect(Buffer.from(header, "base64").toString()).toBe(basic);
    expect(sent?.form).toEqual({
      grant_type: "client_credentials",
      scope: "a",
      resource: script.serverUrl,
    });
    expect(token).toMatchObject({ accessToken: "at-1", scope: "a" });
  });

  it("authenticates with a secret in the body", async () => {
    const { script } = await request({ authMethod: "client_secret_post", clientSecret: "s" });
    const [sent] = sentTo(script, "/token");
    expect(sent?.headers.authorization).toBeUndefined();
    expect(sent?.form).toMatchObject({ client_id: "client", client_secret: "s" });
  });

  const PSS = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 };
  it.each<[string, () => KeyObject, string | null, object, object]>([
    ["RS256", keys.rsa, "sha256", {}, {}],
    [
      "PS256",
      keys.rsa,
      "sha256",
      PSS,
      { token_endpoint_auth_signing_alg_values_supported: ["PS256"] },
    ],
    ["ES256", keys.ec, "sha256", {}, {}],
    ["Ed25519", keys.ed25519, null, {}, {}],
  ])("signs with a key: %s", async (alg, newKey, digest, padding, as) => {
    const key = newKey();
    const pem = key.export({ type: "pkcs8", format: "pem" }).toString();
    const { script } = await request({ authMethod: "private_key_jwt" }, pem, as);
    const [header = "", payload = "", signature = ""] =
      sentTo(script, "/token")[0]?.form["client_assertion"]?.split(".") ?? [];
    const decode = (part: string): unknown => JSON.parse(Buffer.from(part, "base64url").toString());
    expect(decode(header)).toEqual({ alg });
    expect(decode(payload)).toMatchObject({
      iss: "client",
      sub: "client",
      aud: script.as.origin,
    });
    const isValid = verify(
      digest,
      Buffer.from(`${header}.${payload}`),
      { key: createPublicKey(key), dsaEncoding: "ieee-p1363", ...padding },
      Buffer.from(signature, "base64url"),
    );
    expect(isValid).toBe(true);
  });

  it("reads a JSON Web Key with its id", async () => {
    const jwk = { ...keys.ec().export({ format: "jwk" }), kid: "k1" };
    const { script } = await request({ authMethod: "private_key_jwt" }, JSON.stringify(jwk));
    const assertion = sentTo(script, "/token")[0]?.form["client_assertion"] ?? "";
    const header: unknown = JSON.parse(
      Buffer.from(assertion.split(".")[0] ?? "", "base64url").toString(),
    );
    expect(header).toEqual({ alg: "ES256", kid: "k1" });
  });

  it.each<[Partial<OAuthClient>, string | undefined]>([
    [{ authMethod: "private_key_jwt" }, undefined],
    [{ authMethod: "private_key_jwt" }, "-----BEGIN canary-----"],
    [{ authMethod: "private_key_jwt" }, '{"kty":"canary"}'],
    [{ authMethod: "client_secret_basic" }, undefined],
  ])("says what is missing: %o, key %j", async (client, key) => {
    const failure = request(client, key);
    await expect(failure).rejects.toMatchObject({
      kind: "client",
      message: expect.not.stringContaining("canary"),
    });
  });
});

describe("revokeTokens", () => {
  it("revokes the refresh token, then the access token", async () => {
    const { grant, script } = await stored({ "POST /revoke": {} });
    await revokeTokens(grant);
    const forms = sentTo(script, "/revoke").map(({ form }) => form);
    expect(forms).toEqual([
      { token: "rt-0", token_type_hint: "refresh_token", client_id: "client" },
      { token: "at-0", token_type_hint: "access_token", client_id: "client" },
    ]);
  });

  it("does nothing if the authorization server cannot revoke", async () => {
    const { grant, script } = await stored({});
    const { issuer, tokenEndpoint } = grant.endpoints;
    await revokeTokens({ ...grant, endpoints: { issuer, tokenEndpoint } });
    expect(sentTo(script, "/revoke")).toEqual([]);
  });

  it("accepts that access tokens cannot be revoked", async () => {
    const { grant } = await stored({
      "POST /revoke": json(400, { error: "unsupported_token_type" }),
    });
    await expect(revokeTokens(grant)).resolves.toBeUndefined();
  });

  it.each<[number, object, string]>([
    [503, {}, "network"],
    [401, { error: "invalid_client" }, "client"],
  ])("fails after status %i", async (status, answer, kind) => {
    const { grant } = await stored({ "POST /revoke": json(status, answer) });
    await expect(revokeTokens(grant)).rejects.toMatchObject({ kind });
  });
});
