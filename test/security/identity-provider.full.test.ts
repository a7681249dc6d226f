/**
 * Users of an identity provider: oidc-provider issues the tokens, and the workbench is the resource. In the
 * full suite because it starts both several times; `src/access/users` is in `npm test`.
 */
import { beforeAll, describe, expect, it, vi } from "vitest";
import { addToken, clientWith } from "../support/access-tokens.ts";
import { perBlock } from "../support/disposables.ts";
import { exchange, type HttpClient } from "../support/http-client.ts";
import { type HttpWorkbench, startHttpWorkbench } from "../support/http-workbench.ts";
import {
  type AuthorizationServer,
  startAuthorizationServer,
} from "../support/oauth/authorization-server.ts";
import { createProvider } from "../support/oauth/provider.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { type Config, fixture, toolbox } from "../support/servers.ts";

const RESOURCE = "https://workbench.example.com";
const AUDIENCE = `${RESOURCE}/mcp`;
const METADATA = "/.well-known/oauth-protected-resource";
const disposables = perBlock();
const newClient = (id: string) => ({
  client_id: id,
  client_secret: `secret-of-${id}`,
  grant_types: ["client_credentials"],
  response_types: [],
  redirect_uris: [],
});
const PROVIDER = {
  tokenFormat: "jwt" as const,
  clientCredentials: true,
  scopes: ["wb:dev", "wb:ops:read", "mail"],
  clients: ["alice", "bob"].map(newClient),
};

let idp: AuthorizationServer;
let workbench: HttpWorkbench;

const configWith = (oauth: object | undefined): Config =>
  ({
    http: { ...(oauth && { oauth }) },
    toolboxes: {
      dev: toolbox({ fx: fixture() }),
      ops: toolbox({ fx: fixture() }),
      secret: toolbox({ fx: fixture() }),
    },
  }) as Config;
const settings = (changes: object = {}): object => ({
  issuer: idp.issuer,
  resource: RESOURCE,
  audiences: [AUDIENCE],
  scopes: {
    "wb:dev": { toolboxes: ["dev"] },
    "wb:ops:read": { toolboxes: ["ops"], readOnly: true },
  },
  ...changes,
});

beforeAll(async () => {
  idp = await startAuthorizationServer(disposables, PROVIDER);
  workbench = await startHttpWorkbench(disposables, configWith(settings()));
});

async function tokenFor(
  user: string,
  scope: string,
  { resource = AUDIENCE, issuer = idp }: { resource?: string; issuer?: AuthorizationServer } = {},
): Promise<string> {
  const response = await fetch(issuer.tokenEndpoint, {
    method: "POST",
    headers: { authorization: `Basic ${btoa(`${user}:secret-of-${user}`)}` },
    body: new URLSearchParams({ grant_type: "client_credentials", scope, resource }),
  });
  const { access_token: token } = (await response.json()) as { access_token?: string };
  if (token === undefined) throw new Error(`no token: ${response.status}`);
  return token;
}

const get = (path: string) => exchange(`${workbench.url}${path}`, { method: "GET" });
const initialize = async (token: string, path = "/mcp") => {
  const client = clientWith(workbench, token, path);
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: CLIENT };
  return client.request("initialize", params).done();
};
const CLIENT = { name: "test", version: "1" };
const challengeOf = async (token: string, path?: string): Promise<string> => {
  const { status, headers } = await initialize(token, path);
  expect(status).toBe(401);
  return String(headers["www-authenticate"]);
};

async function session(token: string, path?: string): Promise<HttpClient> {
  const client = clientWith(workbench, token, path);
  await client.initialize();
  return client;
}

describe("a client without a token", () => {
  it("learns where to get one, for each address", async () => {
    const { status, headers } = await exchange(`${workbench.url}/mcp/dev`, { method: "GET" });
    expect(status).toBe(401);
    expect(headers["www-authenticate"]).toBe(
      `Bearer scope="wb:dev", resource_metadata="${RESOURCE}${METADATA}/mcp/dev"`,
    );
    const { text } = await get(`${METADATA}/mcp/dev`);
    expect(JSON.parse(text)).toEqual({
      resource: `${RESOURCE}/mcp/dev`,
      authorization_servers: [idp.issuer],
      scopes_supported: ["wb:dev"],
      bearer_methods_supported: ["header"],
      resource_name: "mcp-workbench",
    });
    expect(JSON.parse((await get(`${METADATA}/mcp`)).text)).toMatchObject({
      resource: `${RESOURCE}/mcp`,
      scopes_supported: ["wb:dev", "wb:ops:read"],
    });
    expect(JSON.parse((await get(METADATA)).text)).toMatchObject({ resource: RESOURCE });
  });

  it("does not learn what exists beyond the scopes", async () => {
    const seen = async (path: string): Promise<object> => {
      const { status, headers, text } = await get(path);
      const challenge = String(headers["www-authenticate"]).replace(/mcp\/\w+/, "mcp/NAME");
      return { status, challenge, text };
    };
    expect(await seen(`${METADATA}/mcp/secret`)).toEqual(await seen(`${METADATA}/mcp/nothing`));
    expect(await seen("/mcp/secret")).toEqual(await seen("/mcp/nothing"));
    expect((await get(`${METADATA}/mcp/secret`)).status).toBe(404);
    // The scope names the toolbox, and none of its servers.
    const ofServer = async (name: string): Promise<object> => {
      const { status, text } = await get(`${METADATA}/mcp/dev/${name}`);
      return { status, text: text.replace(name, "NAME") };
    };
    expect(await ofServer("fx")).toMatchObject({ status: 200 });
    expect(await ofServer("fx")).toEqual(await ofServer("nothing"));
    expect((await get(`${METADATA}/api/status`)).status).toBe(401);
  });
});

describe("a user", () => {
  it("uses what the scopes allow, and learns which scope is missing", async () => {
    const token = await tokenFor("alice", "wb:dev");
    const client = await session(token);
    const { result } = await client.ask("tools/call", {
      name: "open_toolbox",
      arguments: { toolbox: "dev" },
    });
    expect(result).toMatchObject({ content: [{ type: "text" }] });
    const { status, headers } = await initialize(token, "/mcp/ops");
    expect(status).toBe(403);
    expect(headers["www-authenticate"]).toBe(
      `Bearer error="insufficient_scope", scope="wb:ops:read", resource_metadata="${RESOURCE}${METADATA}/mcp/ops"`,
    );
    expect((await initialize(token, "/mcp/secret")).status).toBe(404);
    expect((await initialize(token, "/mcp/nothing")).status).toBe(404);
    expect((await initialize(await tokenFor("alice", "mail"))).status).toBe(403);
  });

  it("may only read where the scope says so", async () => {
    const token = await tokenFor("alice", "wb:dev wb:ops:read");
    const tools = async (path: string): Promise<number> => {
      const { result } = await (await session(token, path)).ask("tools/list");
      return (result as { tools: unknown[] }).tools.length;
    };
    expect(await tools("/mcp/dev/fx")).toBeGreaterThan(0);
    // The server states no class of its tools, so none of them is known to read.
    expect(await tools("/mcp/ops/fx")).toBe(0);
  });

  it("keeps the session with a new token, and no other user can use it", async () => {
    const client = await session(await tokenFor("alice", "wb:dev"));
    const id = client.sessionId;
    const status = async (user: string, scope: string): Promise<number> => {
      const other = clientWith(workbench, await tokenFor(user, scope));
      other.sessionId = id;
      return (await other.request("ping").done()).status;
    };
    expect(await status("alice", "wb:dev")).toBe(200);
    expect(await status("bob", "wb:dev")).toBe(404);
    expect(await status("alice", "wb:dev wb:ops:read")).toBe(404);
  });

  it("is no owner", async () => {
    const authorization = `Bearer ${await tokenFor("alice", "wb:dev")}`;
    for (const path of ["/api/status", "/metrics", "/ui/"])
      expect(
        (await exchange(`${workbench.url}${path}`, { headers: { authorization } })).status,
      ).toBe(404);
  });

  it("is served beside access tokens and the owner", async () => {
    const token = await addToken(workbench, "ci", { toolboxes: ["secret"] });
    expect((await initialize(token, "/mcp/secret")).status).toBe(200);
    expect((await initialize(workbench.token ?? "", "/mcp/secret")).status).toBe(200);
  });
});

it("a changed address and changed scopes are announced without a restart", async () => {
  const resource = "https://moved.example.com";
  const host = { headers: { host: "moved.example.com" } };
  const metadata = (): Promise<{ status: number; text: string }> =>
    exchange(`${workbench.url}${METADATA}/mcp/dev`, { method: "GET", ...host });
  expect((await metadata()).status).toBe(403);
  const request = ["openid", "api://workbench/dev"];
  const scopes = {
    "wb:dev": { toolboxes: ["dev"], request },
    staff: { toolboxes: ["ops"], request: [] },
  };
  workbench.writeConfig(configWith(settings({ resource, scopes })));
  await waitFor(async () => (await metadata()).status === 200, GENEROUS_MS, "the new address");
  expect(JSON.parse((await metadata()).text)).toMatchObject({
    resource: `${resource}/mcp/dev`,
    scopes_supported: request,
  });
  const challenge = async (path: string): Promise<unknown> =>
    (await exchange(`${workbench.url}${path}`, { method: "GET", ...host })).headers[
      "www-authenticate"
    ];
  expect(await challenge("/mcp/dev")).toContain(`Bearer scope="${request.join(" ")}", `);
  expect(await challenge("/mcp/ops")).toBe(
    `Bearer resource_metadata="${resource}${METADATA}/mcp/ops"`,
  );
  // The tokens have the scope itself.
  expect((await initialize(await tokenFor("alice", "wb:dev"), "/mcp/dev")).status).toBe(200);
  workbench.writeConfig(configWith(settings()));
  await waitFor(async () => (await metadata()).status === 403, GENEROUS_MS, "the old address");
});

describe("a token is refused", () => {
  it("for another audience", async () => {
    const token = await tokenFor("alice", "wb:dev", { resource: "https://other.example.com" });
    expect(await challengeOf(token)).toContain(
      'error="invalid_token", error_description="the token is for a different audience"',
    );
  });

  it("of another issuer", async () => {
    const issuer = await startAuthorizationServer(disposables, PROVIDER);
    expect(await challengeOf(await tokenFor("alice", "wb:dev", { issuer }))).toMatch(/issuer|key/);
  });

  it("after its expiry", async () => {
    // The identity provider is in this process; its tokens are valid for an hour.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 2 * 3_600_000 });
    const token = await tokenFor("alice", "wb:dev").finally(() => vi.useRealTimers());
    expect(await challengeOf(token)).toContain("has expired");
  });

  it("with a key that was withdrawn, while those with a new key are accepted", async () => {
    const { issuer, record } = idp;
    const before = await tokenFor("bob", "wb:dev");
    idp.replaceProvider(await createProvider({ ...PROVIDER, issuer, record }));
    const after = await tokenFor("bob", "wb:dev");
    expect((await initialize(after)).status).toBe(200);
    expect(await challengeOf(before)).toContain("unknown key");
  });

  it("in the address", async () => {
    const token = await tokenFor("alice", "wb:dev");
    const response = await fetch(`${workbench.url}/mcp?access_token=${token}`);
    expect(response.status).toBe(401);
  });

  it("when the configuration does not accept its algorithm any longer, and its session ends", async () => {
    const token = await tokenFor("alice", "wb:dev");
    const client = await session(token);
    const stream = client.listen();
    await stream.head();
    workbench.writeConfig(configWith(settings({ algorithms: ["RS256"] })));
    await stream.done();
    expect(await challengeOf(token)).toContain("algorithm");
    workbench.writeConfig(configWith(undefined));
    await waitFor(
      async () => (await get(METADATA)).status === 401,
      GENEROUS_MS,
      "the setting is gone",
    );
    expect(await challengeOf(token)).toBe("Bearer");
  });
});
