import { describe, expect, it } from "vitest";

import { perTest } from "../../test/support/disposables.ts";
import { AUTOMATIC, oauthScript, type OAuthScript } from "../../test/support/oauth-script.ts";
import { type Answer, json } from "../../test/support/scripted-http.ts";
import type { OAuthClient } from "../credentials/record.ts";
import { chooseClient } from "./choose-client.ts";
import { discover } from "./discover.ts";
import type { OAuthSettings } from "../config/types.ts";

const disposables = perTest();
const REDIRECT = "http://127.0.0.1:7999/callback";

async function choose(
  settings: Partial<OAuthSettings>,
  {
    as = {},
    register,
    redirectUris = [REDIRECT],
    known,
    knownIssuer,
  }: {
    as?: object;
    register?: Answer;
    redirectUris?: string[];
    known?: OAuthClient;
    /** `OWN` is the issuer of the script. */
    knownIssuer?: string;
  } = {},
): Promise<{ client: OAuthClient; script: OAuthScript; sent: Record<string, unknown> }> {
  const script = await oauthScript(disposables, {
    as: () => as,
    answers: { "POST /register": register ?? json(201, { client_id: "new" }) },
  });
  const all = { ...AUTOMATIC, ...settings };
  const discovery = await discover(script.serverUrl, undefined, all);
  const issuer = knownIssuer === "OWN" ? script.as.origin : knownIssuer;
  const options = { now: () => 1_000_000 };
  const client = await chooseClient(discovery, all, redirectUris, known, issuer, options);
  const body = script.as.requests.find(({ url }) => url === "/register")?.body;
  return { client, script, sent: JSON.parse(body ?? "{}") as Record<string, unknown> };
}

const CIMD = { client_id_metadata_document_supported: true };
const DOCUMENT = "https://client.example/client.json";

describe("a client for a device code", () => {
  it("is not registered where there is no such login, and the reason says so", async () => {
    const as = { device_authorization_endpoint: undefined };
    const register = json(400, { error: "invalid_client_metadata" });
    const chosen = choose({ grant: "device_code" }, { as, register, redirectUris: [] });
    await expect(chosen).rejects.toThrow("offers no login with a device code");
  });
});

describe("a configured client", () => {
  it.each<[Partial<OAuthSettings>, object, Partial<OAuthClient>]>([
    [{}, {}, { authMethod: "none" }],
    [{ clientSecret: "s" }, {}, { authMethod: "client_secret_basic", clientSecret: "s" }],
    [
      { clientSecret: "s" },
      { token_endpoint_auth_methods_supported: ["client_secret_post"] },
      { authMethod: "client_secret_post", clientSecret: "s" },
    ],
    [
      { clientSecret: "s" },
      { token_endpoint_auth_methods_supported: undefined },
      { authMethod: "client_secret_basic", clientSecret: "s" },
    ],
    [
      { clientSecret: "s", clientAuth: "client_secret_post" },
      {},
      { authMethod: "client_secret_post", clientSecret: "s" },
    ],
    [{ privateKey: "k" }, {}, { authMethod: "private_key_jwt" }],
  ])("with %o at a server with %o authenticates as %o", async (settings, as, expected) => {
    const own = { clientId: "own", clientMetadataUrl: DOCUMENT, ...settings };
    const { client, script } = await choose(own, { as: { ...as, ...CIMD } });
    expect(client).toEqual({
      kind: "static",
      clientId: "own",
      redirectUri: REDIRECT,
      ...expected,
    });
    expect(script.as.log).not.toContain("POST /register");
  });

  it("is not shown to an authorization server that it was not used with", async () => {
    const known = { kind: "static", clientId: "own", authMethod: "none" } as const;
    const old = "https://old.example";
    const failure = choose({ clientId: "own" }, { known, knownIssuer: old });
    await expect(failure).rejects.toMatchObject({
      kind: "client",
      message: expect.stringContaining(old),
    });
    await expect(choose({ clientId: "own" }, { known, knownIssuer: "OWN" })).resolves.toBeDefined();
  });
});

describe("a client metadata document", () => {
  it("is used where it is supported", async () => {
    const { client } = await choose({ clientMetadataUrl: DOCUMENT }, { as: CIMD });
    expect(client).toEqual({
      kind: "cimd",
      clientId: DOCUMENT,
      authMethod: "none",
      redirectUri: REDIRECT,
    });
  });

  it("is not used where it is not supported", async () => {
    expect((await choose({ clientMetadataUrl: DOCUMENT })).client.kind).toBe("dcr");
  });

  it.each(["http://client.example/c.json", "https://client.example", "client.json"])(
    "may not be at %s",
    async (clientMetadataUrl) => {
      const failure = choose({ clientMetadataUrl }, { as: CIMD });
      await expect(failure).rejects.toMatchObject({ kind: "client" });
    },
  );
});

describe("a registered client", () => {
  const known: OAuthClient = {
    kind: "dcr",
    clientId: "known",
    authMethod: "none",
    redirectUri: REDIRECT,
  };

  it("is native, may refresh and has one redirect URI", async () => {
    const { client, sent } = await choose({}, { redirectUris: [REDIRECT, `${REDIRECT}2`] });
    expect(client).toEqual({
      kind: "dcr",
      clientId: "new",
      authMethod: "none",
      redirectUri: REDIRECT,
    });
    expect(sent).toEqual({
      client_name: "MCP Workbench",
      application_type: "native",
      redirect_uris: [REDIRECT],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    });
  });

  it("is a web application if it does not return to this machine", async () => {
    const { sent } = await choose({}, { redirectUris: ["https://workbench.example/callback"] });
    expect(sent["application_type"]).toBe("web");
  });

  it.each<[string[] | undefined, object, Partial<OAuthClient>]>([
    [
      ["client_secret_post"],
      { client_secret: "s" },
      { authMethod: "client_secret_post", clientSecret: "s" },
    ],
    [undefined, { client_secret: "s" }, { authMethod: "client_secret_basic", clientSecret: "s" }],
    [["none"], { client_secret: "s", token_endpoint_auth_method: "none" }, { authMethod: "none" }],
    [
      ["none"],
      { client_secret: "s", token_endpoint_auth_method: "client_secret_post" },
      { authMethod: "client_secret_post", clientSecret: "s" },
    ],
    [
      ["client_secret_basic"],
      { token_endpoint_auth_method: "client_secret_basic" },
      { authMethod: "none" },
    ],
    [
      ["client_secret_basic"],
      { client_secret: "s", client_secret_expires_at: 5000 },
      { authMethod: "client_secret_basic", clientSecret: "s", secretExpiresAt: 5_000_000 },
    ],
    [
      ["client_secret_basic"],
      { client_secret: "s", client_secret_expires_at: 0 },
      { authMethod: "client_secret_basic", clientSecret: "s" },
    ],
  ])(
    "authenticates as the server supports (%j) and answers (%o)",
    async (methods, answer, expected) => {
      const { client } = await choose(
        {},
        {
          as: { token_endpoint_auth_methods_supported: methods },
          register: json(201, { client_id: "new", ...answer }),
        },
      );
      expect(client).toEqual({ kind: "dcr", clientId: "new", redirectUri: REDIRECT, ...expected });
    },
  );

  it("is used again at the same issuer with the same redirect URI", async () => {
    const redirectUris = [`${REDIRECT}2`, REDIRECT];
    const { client } = await choose({}, { known, knownIssuer: "OWN", redirectUris });
    expect(client).toBe(known);
  });

  it.each<[string, Partial<OAuthClient>, string | undefined]>([
    ["at a different issuer", {}, "https://old.example"],
    ["at an unknown issuer", {}, undefined],
    ["with a different redirect URI", { redirectUri: "http://127.0.0.1:1/callback" }, "OWN"],
    ["with an expired secret", { clientSecret: "s", secretExpiresAt: 1_000_001 }, "OWN"],
    ["that was configured", { kind: "static" }, "OWN"],
  ])("is replaced %s", async (_, change, knownIssuer) => {
    const { client } = await choose(
      {},
      { known: { ...known, ...change }, ...(knownIssuer !== undefined && { knownIssuer }) },
    );
    expect(client.clientId).toBe("new");
  });

  it("is impossible without a registration endpoint, and the failure says what to configure", async () => {
    const failure = choose({}, { as: { registration_endpoint: undefined } });
    await expect(failure).rejects.toMatchObject({
      kind: "unsupported",
      message: expect.stringMatching(/redirect URI http:\/\/127.*"clientId"/),
    });
  });

  it.each<[number, object, string]>([
    [403, {}, "unsupported"],
    [404, {}, "unsupported"],
    [400, { error: "invalid_redirect_uri", error_description: "\u001b[2Jno" }, "client"],
    [400, { nothing: 1 }, "network"],
    [500, { error: "invalid_client" }, "network"],
    [201, { client_secret: "s" }, "unsupported"],
    [201, { client_id: "c", client_secret: "s", token_endpoint_auth_method: "tls" }, "unsupported"],
  ])("fails after status %i with %o", async (status, answer, kind) => {
    const failure = choose({}, { register: json(status, answer) });
    await expect(failure).rejects.toMatchObject({
      kind,
      message: expect.not.stringContaining("\u001b"),
    });
  });

  it("is not made for client credentials", async () => {
    const failure = choose({ grant: "client_credentials" });
    await expect(failure).rejects.toMatchObject({ kind: "client" });
  });
});
