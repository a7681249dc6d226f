/** The rig itself, with oauth4webapi as the client: what it promises is true without the workbench. */
import * as oauth from "oauth4webapi";
import { describe, expect, it } from "vitest";
import { perTest } from "../disposables.ts";
import {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  startAuthorizationServer,
} from "./authorization-server.ts";
import { Browser, type BrowserOptions } from "./browser.ts";
import { startProtectedServer } from "./protected-server.ts";

const cleanup = perTest();
const HTTP = { [oauth.allowInsecureRequests]: true };
const RESOURCE = "http://127.0.0.1:9/mcp";
const REDIRECT = "http://127.0.0.1:33418/callback";

async function discover(server: AuthorizationServer): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(server.issuer);
  const response = await oauth.discoveryRequest(issuer, { ...HTTP, algorithm: "oauth2" });
  return oauth.processDiscoveryResponse(issuer, response);
}

async function register(as: oauth.AuthorizationServer): Promise<oauth.Client> {
  const response = await oauth.dynamicClientRegistrationRequest(
    as,
    {
      client_name: "rig",
      redirect_uris: [REDIRECT],
      token_endpoint_auth_method: "none",
      application_type: "native",
      grant_types: ["authorization_code", "refresh_token"],
    },
    HTTP,
  );
  return oauth.processDynamicClientRegistrationResponse(response);
}

/** Opens the authorization page, and returns the URL with which the browser returned. */
async function authorize(
  as: oauth.AuthorizationServer,
  client: oauth.Client,
  verifier: string,
  options: BrowserOptions = {},
): Promise<URL> {
  const url = new URL(as.authorization_endpoint ?? "");
  const parameters = {
    client_id: client.client_id,
    response_type: "code",
    redirect_uri: REDIRECT,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    state: "the-state",
    resource: RESOURCE,
    scope: "mcp:read",
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return new URL((await new Browser({ stopsAtCallback: true, ...options }).open(url.href)).url);
}

async function signIn(
  server: AuthorizationServer,
  options: { client?: oauth.Client; browser?: BrowserOptions } = {},
) {
  const as = await discover(server);
  const client = options.client ?? (await register(as));
  const verifier = oauth.generateRandomCodeVerifier();
  const returned = await authorize(as, client, verifier, options.browser);
  const parameters = oauth.validateAuthResponse(as, client, returned, "the-state");
  const response = await oauth.authorizationCodeGrantRequest(
    as,
    client,
    oauth.None(),
    parameters,
    REDIRECT,
    verifier,
    { ...HTTP, additionalParameters: { resource: RESOURCE } },
  );
  const tokens = await oauth.processAuthorizationCodeResponse(as, client, response);
  const refresh = async (refreshToken = tokens.refresh_token ?? "") => {
    const answer = await oauth.refreshTokenGrantRequest(
      as,
      client,
      oauth.None(),
      refreshToken,
      HTTP,
    );
    return oauth.processRefreshTokenResponse(as, client, answer);
  };
  return { as, client, tokens, refresh };
}

const start = (options: AuthorizationServerOptions = {}): Promise<AuthorizationServer> =>
  startAuthorizationServer(cleanup, options);

describe("the authorization server of the tests", () => {
  it.each([
    ["opaque tokens", {}],
    ["JWT tokens", { tokenFormat: "jwt" }],
    ["a path in its issuer", { path: "/tenant" }],
  ] as const)("signs in a client that registered itself, with %s", async (_, options) => {
    const server = await start(options);
    const { as, tokens, client } = await signIn(server, { browser: { user: "grace" } });
    expect(as.authorization_response_iss_parameter_supported).toBe(true);
    expect(tokens.token_type).toBe("bearer");
    expect(tokens.access_token.split(".")).toHaveLength("tokenFormat" in options ? 3 : 1);
    expect(server.record.find(tokens.access_token)).toMatchObject({
      account: "grace",
      clientId: client.client_id,
      resource: RESOURCE,
      scopes: ["mcp:read"],
    });
    expect(server.record.requests).toMatchObject([{ grant: "authorization_code", result: "ok" }]);
    expect(server.record.authorizations[0]).toMatchObject({ resource: RESOURCE });
    expect(server.record.registrations).toHaveLength(1);
  });

  it("detects that a refresh token is used twice, and revokes the whole family", async () => {
    const server = await start();
    const { tokens, refresh } = await signIn(server);
    const renewed = await refresh();
    expect(await server.isRefreshTokenAlive(tokens.refresh_token ?? "")).toBe(false);
    expect(await server.isRefreshTokenAlive(renewed.refresh_token ?? "")).toBe(true);
    await expect(refresh()).rejects.toMatchObject({ error: "invalid_grant" });
    expect(await server.isRefreshTokenAlive(renewed.refresh_token ?? "")).toBe(false);
    expect(server.record.count("refresh_token", "ok")).toBe(1);
    expect(server.record.count("refresh_token", "invalid_grant")).toBe(1);
  });

  it("can expire tokens, be down, be slow to recover, and revoke grants", async () => {
    const server = await start({ accessTokenSeconds: () => 600 });
    const { tokens, refresh } = await signIn(server);
    expect(tokens.expires_in).toBe(600);
    server.expireAccessTokens();
    expect(server.record.find(tokens.access_token)).toBeUndefined();
    server.tokenFault = 503;
    await expect(refresh()).rejects.toBeInstanceOf(Error);
    server.tokenFault = "reset";
    await expect(refresh()).rejects.toBeInstanceOf(Error);
    expect(server.record.count(undefined, "fault")).toBe(2);
    server.tokenFault = undefined;
    const renewed = await refresh();
    expect(server.record.find(renewed.access_token)).toBeDefined();
    await server.revokeGrants();
    expect(server.record.find(renewed.access_token)).toBeUndefined();
    await expect(refresh(renewed.refresh_token)).rejects.toMatchObject({ error: "invalid_grant" });
  });

  it("lets the user deny", async () => {
    const server = await start();
    const denied = signIn(server, { browser: { denies: true } });
    await expect(denied).rejects.toMatchObject({ error: "access_denied" });
  });

  it("accepts a client by its metadata document", async () => {
    const client_id = "https://client.example/metadata.json";
    const document = {
      client_id,
      client_name: "documented",
      redirect_uris: [REDIRECT],
      grant_types: ["authorization_code", "refresh_token"],
      token_endpoint_auth_method: "none",
      application_type: "native",
    };
    const server = await start({
      registration: false,
      clientDocuments: { [client_id]: document },
    });
    const { as } = await signIn(server, { client: { client_id } });
    expect(as["client_id_metadata_document_supported"]).toBe(true);
    expect(as.registration_endpoint).toBeUndefined();
  });

  it("gives tokens to machines", async () => {
    const client = { client_id: "machine", client_secret: "machine-secret-1" };
    const server = await start({
      clientCredentials: true,
      clients: [
        { ...client, grant_types: ["client_credentials"], redirect_uris: [], response_types: [] },
      ],
    });
    const as = await discover(server);
    const response = await oauth.clientCredentialsGrantRequest(
      as,
      client,
      oauth.ClientSecretBasic(client.client_secret),
      { resource: RESOURCE, scope: "mcp:read" },
      HTTP,
    );
    const tokens = await oauth.processClientCredentialsResponse(as, client, response);
    expect(server.record.find(tokens.access_token)).toMatchObject({ clientId: "machine" });
  });

  it("signs in a device", async () => {
    const client = { client_id: "device" };
    const grant = "urn:ietf:params:oauth:grant-type:device_code";
    const server = await start({
      deviceFlow: true,
      clients: [
        {
          ...client,
          grant_types: [grant, "refresh_token"],
          redirect_uris: [],
          response_types: [],
          token_endpoint_auth_method: "none",
          application_type: "native",
        },
      ],
    });
    const as = await discover(server);
    const started = await oauth.processDeviceAuthorizationResponse(
      as,
      client,
      await oauth.deviceAuthorizationRequest(
        as,
        client,
        oauth.None(),
        { resource: RESOURCE, scope: "mcp:read" },
        HTTP,
      ),
    );
    await new Browser().open(started.verification_uri_complete ?? "");
    const response = await oauth.deviceCodeGrantRequest(
      as,
      client,
      oauth.None(),
      started.device_code,
      { ...HTTP, additionalParameters: { resource: RESOURCE } },
    );
    const tokens = await oauth.processDeviceCodeResponse(as, client, response);
    expect(server.record.find(tokens.access_token)).toMatchObject({ account: "ada" });
  });
});

describe("the protected server of the tests", () => {
  const post = (url: string, method: string, params: object, token?: string): Promise<Response> =>
    fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
  const call = (name: string) => ({ name, arguments: { id: "first" } });

  it("challenges, checks scopes, and counts", async () => {
    const authorization = await start();
    const server = await startProtectedServer(cleanup, { authorization, era: "legacy" });
    const { tokens } = await signIn(authorization);
    const challenged = await post(server.url, "tools/call", call("count"));
    expect(challenged.status).toBe(401);
    const header = challenged.headers.get("www-authenticate") ?? "";
    const address = /resource_metadata="([^"]+)"/.exec(header)?.[1] ?? "";
    expect(await (await fetch(address)).json()).toMatchObject({
      resource: server.url,
      authorization_servers: [authorization.issuer],
    });
    const answered = await post(server.url, "tools/call", call("count"), tokens.access_token);
    expect(await answered.text()).toContain("count first");
    const refused = await post(server.url, "tools/call", call("write"), tokens.access_token);
    expect(refused.status).toBe(403);
    expect(refused.headers.get("www-authenticate")).toContain('scope="mcp:write"');
    expect(server.calls).toEqual({ executed: 1, repeated: 0 });
    expect(server.rejected).toEqual({ 401: 1, 403: 1 });
    expect([...server.tokens]).toEqual([tokens.access_token]);
  });

  it("may protect calls alone", async () => {
    const authorization = await start();
    const server = await startProtectedServer(cleanup, {
      authorization,
      era: "legacy",
      protects: "calls",
    });
    expect((await post(server.url, "tools/list", {})).status).toBe(200);
    expect((await post(server.url, "tools/call", call("count"))).status).toBe(401);
  });
});
