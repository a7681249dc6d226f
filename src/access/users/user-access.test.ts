import { SignJWT, exportJWK, generateKeyPair, type JWK } from "jose";
import { afterEach, beforeAll, describe, expect, it } from "vitest";

import type { Principal } from "../../calls/principal.ts";
import type { IdentityProvider } from "../../config/types.ts";
import { type WorkbenchError, isWorkbenchError } from "../../errors.ts";
import type { Logger } from "../../log.ts";
import { UserAccess } from "./user-access.ts";

const ISSUER = "https://id.example.com/realm";
const AUDIENCE = "https://workbench.example.com/mcp";
const PROVIDER: IdentityProvider = {
  issuer: ISSUER,
  resource: "https://workbench.example.com",
  audiences: [AUDIENCE, "client-id"],
  algorithms: ["ES256"],
  claims: { subject: "sub" },
  scopes: { dev: { toolboxes: ["dev"], readOnly: false }, ops: { readOnly: true } },
};
const START = Date.UTC(2026, 0, 1);
const HOUR_MS = 3_600_000;

interface Signer {
  readonly kid: string;
  readonly privateKey: Awaited<ReturnType<typeof generateKeyPair>>["privateKey"];
  readonly jwk: JWK;
}

async function newSigner(kid: string): Promise<Signer> {
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: "ES256" } };
}

let first: Signer;
let second: Signer;
beforeAll(async () => {
  [first, second] = await Promise.all([newSigner("1"), newSigner("2")]);
});

/** An identity provider without a network, and the users that a workbench accepts. */
function world(provider: Partial<IdentityProvider> = {}) {
  const state = {
    now: START,
    keys: [first.jwk],
    isDown: false,
    issuer: ISSUER,
    requests: [] as string[],
    events: [] as string[],
  };
  const fetch = async (url: string): Promise<Response> => {
    state.requests.push(url);
    if (state.isDown) return new Response("", { status: 503 });
    if (url.endsWith("/keys")) return Response.json({ keys: state.keys });
    if (url.includes("openid-configuration"))
      return Response.json({ issuer: state.issuer, jwks_uri: `${ISSUER}/keys` });
    return new Response("", { status: 404 });
  };
  const log = { warn: () => {}, debug: () => {} } as unknown as Logger;
  const events = {
    onExpired: ({ name }: Principal) => void state.events.push(`expired ${name}`),
    onEnded: ({ name }: Principal) => void state.events.push(`ended ${name}`),
  };
  const access = new UserAccess({
    provider: { ...PROVIDER, ...provider },
    events,
    log,
    idleMs: () => HOUR_MS,
    fetch,
    now: () => state.now,
  });
  open.push(access);
  const sign = (claims: Record<string, unknown> = {}, by = first, header = {}): Promise<string> =>
    new SignJWT({
      iss: ISSUER,
      aud: AUDIENCE,
      sub: "alice",
      scope: "dev",
      exp: state.now / 1000 + 300,
      ...claims,
    })
      .setProtectedHeader({ alg: "ES256", kid: by.kid, ...header })
      .sign(by.privateKey);
  const find = async (token: string): Promise<Principal | string> => {
    const found: Principal | WorkbenchError = await access.find(token);
    return isWorkbenchError(found) ? found.message : found;
  };
  return { state, access, sign, find };
}

const open: UserAccess[] = [];
afterEach(() => {
  for (const access of open.splice(0)) access.close();
});

describe("a token of a user", () => {
  it("gives what its scopes allow, and its keys are read once", async () => {
    const { state, sign, find } = world();
    expect(await find(await sign())).toEqual({
      kind: "oauth",
      id: `oauth:${ISSUER} alice`,
      name: "oauth:alice",
      toolboxes: ["dev"],
      servers: [],
      readOnly: false,
    });
    await find(await sign({ sub: "bob" }));
    await find(await sign({ aud: ["other", "client-id"] }));
    expect(state.requests.filter((url) => url.endsWith("/keys"))).toHaveLength(1);
  });

  it("is known the second time", async () => {
    const { access, sign, find, state } = world();
    const token = await sign();
    const principal = await find(token);
    expect(access.find(token)).toBe(principal);
    state.now += 61_000;
    expect(access.find(token)).toBeInstanceOf(Promise);
    expect(await find(token)).toBe(principal);
  });

  it("makes the same principal after a refresh, and others with other scopes and subjects", async () => {
    const { sign, find } = world();
    const before = await find(await sign());
    expect(await find(await sign({ jti: "refreshed" }))).toBe(before);
    const others = [await find(await sign({ scope: "ops" })), await find(await sign({ sub: "b" }))];
    for (const other of others) expect(other).not.toBe(before);
  });

  it("without configured scopes is valid, but allows nothing", async () => {
    const { sign, find } = world();
    expect(await find(await sign({ scope: "mail" }))).toMatchObject({ toolboxes: [], servers: [] });
  });

  it.each<[string, Record<string, unknown>, Record<string, unknown>, RegExp]>([
    ["another audience", { aud: "https://other.example.com" }, {}, /different audience/],
    ["no audience", { aud: undefined }, {}, /different audience/],
    ["another issuer", { iss: "https://id.example.com" }, {}, /different issuer/],
    ["no issuer", { iss: undefined }, {}, /different issuer/],
    ["an expiry in the past", { exp: START / 1000 - 31 }, {}, /has expired/],
    ["no expiry", { exp: undefined }, {}, /expiry/],
    ["a start in the future", { nbf: START / 1000 + 31 }, {}, /not valid yet/],
    ["another type", {}, { typ: "logout+jwt" }, /not an access token/],
    ["a nonce", { nonce: "n" }, {}, /ID token/],
    ["an unknown key", {}, { kid: "3" }, /unknown key/],
  ])("with %s is refused", async (_what, claims, header, reason) => {
    const { sign, find } = world();
    expect(await find(await sign(claims, first, header))).toMatch(reason);
  });

  it("tolerates clocks that differ a little", async () => {
    const { sign, find } = world();
    expect(await find(await sign({ exp: START / 1000 - 29 }))).toMatchObject({ kind: "oauth" });
    expect(await find(await sign({ nbf: START / 1000 + 29 }))).toMatchObject({ kind: "oauth" });
  });

  it("with another algorithm, without a signature or with a wrong one is refused", async () => {
    const { sign, find } = world();
    const [header = "", payload = "", signature = ""] = (await sign()).split(".");
    const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const withHeader = (value: object) => `${encoded(value)}.${payload}.${signature}`;
    expect(await find(withHeader({ alg: "none" }))).toMatch(/algorithm/);
    expect(await find(withHeader({ alg: "HS256", kid: "1" }))).toMatch(/algorithm/);
    expect(await find(withHeader({ alg: "RS256", kid: "1" }))).toMatch(/algorithm/);
    const changed = encoded({ iss: ISSUER, aud: AUDIENCE, sub: "root", exp: START / 1000 + 300 });
    expect(await find(`${header}.${changed}.${signature}`)).toMatch(/signature/);
    expect(await find(`${header}.${payload}.`)).toMatch(/Unauthorized/);
    expect(await find(await sign({}, { ...second, kid: "1" }))).toMatch(/signature/);
  });
});

describe("the keys of an identity provider", () => {
  it("are read again for a new key", async () => {
    const { state, sign, find } = world();
    await find(await sign());
    state.keys = [second.jwk];
    expect(await find(await sign({}, second))).toMatchObject({ kind: "oauth" });
    expect(await find(await sign({ jti: "old key" }))).toMatch(/unknown key/);
  });

  it("are not read for every token with an invented key", async () => {
    const { state, sign, find } = world();
    for (let i = 0; i < 20; i++) await find(await sign({}, first, { kid: `x${i}` }));
    expect(state.requests.filter((url) => url.endsWith("/keys"))).toHaveLength(5);
    expect(await find(await sign())).toMatchObject({ kind: "oauth" });
  });

  it("stay in use while the identity provider cannot be reached, but not for ever", async () => {
    const { state, sign, find } = world();
    await find(await sign());
    state.isDown = true;
    state.now += HOUR_MS;
    expect(await find(await sign())).toMatchObject({ kind: "oauth" });
    expect(await find(await sign({}, second))).toMatch(/identity provider cannot be reached/);
    state.now += 24 * HOUR_MS;
    expect(await find(await sign())).toMatch(/identity provider cannot be reached/);
    state.isDown = false;
    state.now += 60_000;
    expect(await find(await sign())).toMatchObject({ kind: "oauth" });
  });

  it("are needed: without them no token is accepted", async () => {
    const { state, sign, find } = world();
    state.isDown = true;
    expect(await find(await sign())).toMatch(/identity provider cannot be reached/);
  });

  it("are not taken from metadata of another issuer, nor from an address without encryption", async () => {
    const other = world();
    other.state.issuer = "https://evil.example.com";
    expect(await other.find(await other.sign())).toMatch(/cannot be reached/);
    const plain = world({ jwksUri: "http://id.example.com/keys" });
    expect(await plain.find(await plain.sign())).toMatch(/cannot be reached/);
    expect(plain.state.requests).toEqual([]);
  });

  it("come from `jwksUri` without asking for metadata", async () => {
    const { state, sign, find } = world({ jwksUri: "https://id.example.com/keys" });
    expect(await find(await sign())).toMatchObject({ kind: "oauth" });
    expect(state.requests).toEqual(["https://id.example.com/keys"]);
  });
});

describe("the end of an access", () => {
  it("is announced when the last token has expired, and again when the user stays away", async () => {
    const { state, access, sign, find } = world();
    const token = await sign();
    await find(token);
    await find(await sign({ exp: START / 1000 + 600 }));
    state.now = START + 330_000;
    access.check();
    expect(state.events).toEqual([]);
    expect(await find(token)).toMatch(/has expired/);
    state.now = START + 630_000;
    access.check();
    access.check();
    expect(state.events).toEqual(["expired oauth:alice"]);
    await find(await sign());
    state.now += 330_000;
    access.check();
    expect(state.events).toEqual(["expired oauth:alice", "expired oauth:alice"]);
    state.now += HOUR_MS;
    access.check();
    expect(state.events.at(-1)).toBe("ended oauth:alice");
  });

  it("comes for all with the end of the setting, also for a token that is being checked", async () => {
    const { state, access, sign, find } = world();
    const token = await sign();
    await find(token);
    const checked = find(await sign({ sub: "bob" }));
    access.close();
    expect(await checked).toMatch(/not valid/);
    expect(await find(token)).toMatch(/not valid/);
    expect(state.events).toEqual(["ended oauth:alice"]);
  });
});
