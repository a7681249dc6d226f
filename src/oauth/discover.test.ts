import { describe, expect, it } from "vitest";

import { perTest } from "../../test/support/disposables.ts";
import {
  AS_PATH,
  AUTOMATIC,
  OIDC_PATH,
  oauthScript,
  PRM_PATH,
  serverMetadata,
} from "../../test/support/oauth-script.ts";
import { json, redirect, scriptedHttp } from "../../test/support/scripted-http.ts";
import { discover } from "./discover.ts";
import { isResourceOf } from "./resource-metadata.ts";

const disposables = perTest();

describe("discovery of the resource metadata", () => {
  it("uses the address in the challenge first", async () => {
    const { mcp, as, serverUrl } = await oauthScript(disposables);
    const resource = { resource: mcp.origin, authorization_servers: [as.origin] };
    mcp.answers.set("GET /elsewhere", resource);
    const challenge = { resourceMetadata: `${mcp.origin}/elsewhere` };
    const found = await discover(serverUrl, challenge, AUTOMATIC);
    expect(found).toMatchObject({ resource: mcp.origin, isFallback: false });
    expect(mcp.log).toEqual(["GET /elsewhere"]);
  });

  it.each([
    ["a document for a different server", { resource: "https://evil.example" }],
    ["a host that is down", json(503, {})],
  ])("shows no query of the server's URL, which may be a key: %s", async (_, answer) => {
    const { mcp, serverUrl } = await oauthScript(disposables);
    mcp.answers.set(`GET ${PRM_PATH}/mcp`, answer);
    await expect(discover(`${serverUrl}?key=canary`, {}, AUTOMATIC)).rejects.toMatchObject({
      isOAuthFailure: true,
      message: expect.not.stringContaining("canary") as string,
    });
    expect(mcp.requests[0]?.url).toContain("canary");
  });

  it("uses the well-known address with the path, then the one without", async () => {
    const { mcp, as, serverUrl } = await oauthScript(disposables);
    expect((await discover(serverUrl, {}, AUTOMATIC)).resource).toBe(serverUrl);
    mcp.answers.delete(`GET ${PRM_PATH}/mcp`);
    mcp.answers.set(`GET ${PRM_PATH}`, {
      resource: `${mcp.origin}/`,
      authorization_servers: [as.origin],
    });
    // Kept as it was written, with its slash.
    expect((await discover(serverUrl, undefined, AUTOMATIC)).resource).toBe(`${mcp.origin}/`);
    const path = `GET ${PRM_PATH}/mcp`;
    expect(mcp.log).toEqual([path, path, `GET ${PRM_PATH}`]);
  });

  it("uses the well-known address if the one in the challenge has nothing", async () => {
    const { mcp, serverUrl } = await oauthScript(disposables);
    const challenge = { resourceMetadata: `${mcp.origin}/nothing` };
    expect((await discover(serverUrl, challenge, AUTOMATIC)).resource).toBe(serverUrl);
  });

  it("does not fall back to 2025-03-26 if a challenge names metadata that is missing", async () => {
    const mcp = await scriptedHttp(disposables);
    const challenge = { resourceMetadata: `${mcp.origin}/nothing` };
    const failure = discover(`${mcp.origin}/mcp`, challenge, AUTOMATIC);
    await expect(failure).rejects.toMatchObject({ kind: "metadata" });
  });

  it.each([500, 503, 429])("is tried later after the status %i", async (status) => {
    const { mcp, serverUrl } = await oauthScript(disposables);
    mcp.answers.set(`GET ${PRM_PATH}/mcp`, (response) => {
      response.writeHead(status, { "retry-after": "7" }).end();
    });
    const failure = discover(serverUrl, undefined, AUTOMATIC);
    await expect(failure).rejects.toMatchObject({ kind: "network", retryAfterMs: 7000 });
    expect(mcp.requests).toHaveLength(1);
  });

  it("sends no resource indicator, or a configured one, if the settings say so", async () => {
    const { serverUrl } = await oauthScript(disposables);
    const none = await discover(serverUrl, undefined, { ...AUTOMATIC, resource: false });
    expect(none).not.toHaveProperty("resource");
    const own = await discover(serverUrl, undefined, { ...AUTOMATIC, resource: "urn:x" });
    expect(own.resource).toBe("urn:x");
  });
});

describe("isResourceOf", () => {
  it.each([
    ["https://a.example/mcp", "https://a.example/mcp", true],
    ["https://a.example/mcp/", "https://a.example/mcp", true],
    ["https://a.example", "https://a.example/mcp", true],
    ["https://A.example:443/mcp", "https://a.example/mcp/x", true],
    ["https://a.example/mcp", "https://a.example/mcp?key=1", true],
    ["https://a.example/mcp?key=1", "https://a.example/mcp?key=1", true],
    ["https://a.example/mcp?key=2", "https://a.example/mcp?key=1", false],
    ["https://a.example/mc", "https://a.example/mcp", false],
    ["https://a.example/mcp/x", "https://a.example/mcp", false],
    ["http://a.example/mcp", "https://a.example/mcp", false],
    ["https://a.example:8443/mcp", "https://a.example/mcp", false],
    ["https://b.example/mcp", "https://a.example/mcp", false],
    ["https://x@a.example/mcp", "https://a.example/mcp", false],
    ["https://a.example/mcp#x", "https://a.example/mcp", false],
    ["mcp", "https://a.example/mcp", false],
  ])("of %s for %s is %s", (resource, server, expected) => {
    expect(isResourceOf(resource, server)).toBe(expected);
  });
});

describe("discovery of the authorization server", () => {
  it("asks the three addresses of an issuer with a path in order", async () => {
    const as = await scriptedHttp(disposables, (origin) => ({
      [`GET /t${OIDC_PATH}`]: serverMetadata(`${origin}/t`),
    }));
    const { serverUrl } = await oauthScript(disposables, {
      prm: () => ({ authorization_servers: [`${as.origin}/t`] }),
    });
    const found = await discover(serverUrl, undefined, AUTOMATIC);
    expect(found.endpoints).toEqual({
      issuer: `${as.origin}/t`,
      tokenEndpoint: `${as.origin}/t/token`,
      revocationEndpoint: `${as.origin}/t/revoke`,
      tokenAuthMethods: ["none", "client_secret_basic", "client_secret_post"],
    });
    expect(as.log).toEqual([`GET ${AS_PATH}/t`, `GET ${OIDC_PATH}/t`, `GET /t${OIDC_PATH}`]);
  });

  it("asks the two addresses of an issuer without a path in order", async () => {
    const { as, serverUrl } = await oauthScript(disposables);
    as.answers.delete(`GET ${AS_PATH}`);
    as.answers.set(`GET ${OIDC_PATH}`, serverMetadata(as.origin));
    await discover(serverUrl, undefined, AUTOMATIC);
    expect(as.log).toEqual([`GET ${AS_PATH}`, `GET ${OIDC_PATH}`]);
  });

  it("takes a page for people as a sign that there is no metadata", async () => {
    const { as, serverUrl } = await oauthScript(disposables);
    as.answers.set(`GET ${AS_PATH}`, (response) => {
      response.writeHead(200, { "content-type": "text/html" }).end("<html>");
    });
    as.answers.set(`GET ${OIDC_PATH}`, serverMetadata(as.origin));
    expect((await discover(serverUrl, undefined, AUTOMATIC)).server.issuer).toBe(as.origin);
  });

  it("uses the first of several that works, and reports the first failure if none does", async () => {
    const first = await scriptedHttp(disposables);
    const second = await scriptedHttp(disposables, (origin) => ({
      [`GET ${AS_PATH}`]: serverMetadata(origin),
    }));
    const { serverUrl } = await oauthScript(disposables, {
      prm: () => ({ authorization_servers: [first.origin, second.origin] }),
    });
    const found = await discover(serverUrl, undefined, AUTOMATIC);
    expect(found.server.issuer).toBe(second.origin);
    second.answers.clear();
    await expect(discover(serverUrl, undefined, AUTOMATIC)).rejects.toMatchObject({
      kind: "metadata",
      message: expect.stringContaining(first.origin),
    });
  });

  it("contacts only the configured issuer", async () => {
    const other = await scriptedHttp(disposables, (origin) => ({
      [`GET ${AS_PATH}`]: serverMetadata(origin),
    }));
    const { as, serverUrl } = await oauthScript(disposables);
    const settings = { ...AUTOMATIC, issuer: other.origin };
    const found = await discover(serverUrl, undefined, settings);
    expect(found).toMatchObject({ server: { issuer: other.origin }, resource: serverUrl });
    other.answers.clear();
    await expect(discover(serverUrl, undefined, settings)).rejects.toThrow(other.origin);
    expect(as.requests).toEqual([]);
  });

  it("keeps nothing of the metadata that was not checked", async () => {
    const { serverUrl } = await oauthScript(disposables, {
      as: () => ({ userinfo_endpoint: "javascript:1", scopes_supported: ["a", 1], jwks_uri: "x" }),
    });
    const { server } = await discover(serverUrl, undefined, AUTOMATIC);
    expect(server).not.toHaveProperty("userinfo_endpoint");
    expect(server).not.toHaveProperty("jwks_uri");
    expect(server.scopes_supported).toEqual(["a"]);
  });

  it("needs no PKCE for client credentials", async () => {
    const { as, serverUrl } = await oauthScript(disposables, {
      as: () => ({
        code_challenge_methods_supported: undefined,
        authorization_endpoint: undefined,
      }),
    });
    const settings = { ...AUTOMATIC, grant: "client_credentials" } as const;
    expect((await discover(serverUrl, undefined, settings)).server.issuer).toBe(as.origin);
    const failure = discover(serverUrl, undefined, AUTOMATIC);
    await expect(failure).rejects.toMatchObject({ kind: "unsupported" });
  });
});

describe("discovery for servers of 2025-03-26", () => {
  it.each(["", "/"])("uses the metadata at the origin, whose issuer ends with %j", async (end) => {
    const mcp = await scriptedHttp(disposables, (origin) => ({
      [`GET ${AS_PATH}`]: { ...serverMetadata(origin), issuer: `${origin}${end}` },
    }));
    const found = await discover(`${mcp.origin}/v1/mcp`, undefined, AUTOMATIC);
    expect(found).toMatchObject({
      isFallback: true,
      isAssumed: false,
      server: { issuer: `${mcp.origin}${end}` },
    });
    expect(found).not.toHaveProperty("resource");
  });

  it("uses the default addresses if there is no metadata at all", async () => {
    const mcp = await scriptedHttp(disposables);
    const found = await discover(`${mcp.origin}/mcp`, {}, AUTOMATIC);
    const { server } = found;
    expect(found).toMatchObject({ isFallback: true, isAssumed: true });
    expect(server).toMatchObject({
      issuer: mcp.origin,
      authorization_endpoint: `${mcp.origin}/authorize`,
      token_endpoint: `${mcp.origin}/token`,
      registration_endpoint: `${mcp.origin}/register`,
    });
  });

  it("does not use the default addresses if there is resource metadata without a server", async () => {
    const { serverUrl } = await oauthScript(disposables, {
      prm: () => ({ authorization_servers: undefined }),
    });
    const failure = discover(serverUrl, undefined, AUTOMATIC);
    await expect(failure).rejects.toMatchObject({ kind: "metadata" });
  });

  it("takes a redirect to a login page as a sign that there is no metadata", async () => {
    const canary = await scriptedHttp(disposables);
    const mcp = await scriptedHttp(disposables, () => ({
      [`GET ${PRM_PATH}`]: redirect(canary.origin),
      [`GET ${PRM_PATH}/mcp`]: json(401, {}),
    }));
    expect((await discover(`${mcp.origin}/mcp`, {}, AUTOMATIC)).isFallback).toBe(true);
    expect(canary.requests).toEqual([]);
  });
});
