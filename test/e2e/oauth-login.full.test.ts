/**
 * `login`, `logout` and `auth` with a real authorization server and a browser. In the full suite
 * because every test starts several programs; the tests of servers that need a sign-in log in, too.
 */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { textOf, useTool } from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import { Browser } from "../support/oauth/browser.ts";
import { logIn } from "../support/oauth/login.ts";
import { isPrivate, runIn, startWorld, type World } from "../support/oauth/world.ts";
import { startIn } from "../support/workbench.ts";

const cleanup = perTest();
const DEVICE = "urn:ietf:params:oauth:grant-type:device_code";
const REDIRECT = "http://127.0.0.1/callback";

/** Calls a tool in a new process, which has nothing but the stored credential. */
async function call({ run }: World, path: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run("call", path, ...args);
  if (code !== 0) throw new Error(`call ended with code ${code}: ${stdout}${stderr}`);
  return stdout.trim();
}

const whoAmI = (world: World): Promise<string> => call(world, "dev/api/whoami");

describe("mcp-workbench login", () => {
  it("registers itself, signs in, and stores a private credential", async () => {
    const world = await startWorld(cleanup);
    const { authorization, server, place } = world;
    const event = await world.logIn({ browser: new Browser({ user: "grace" }) });
    expect(event).toMatchObject({ event: "signed-in", server: "dev/api", account: "default" });
    expect(Date.parse(event.expiresAt ?? "")).toBeGreaterThan(Date.now());
    expect(await whoAmI(world)).toBe("grace");
    expect(authorization.record.registrations).toMatchObject([
      { application_type: "native", token_endpoint_auth_method: "none" },
    ]);
    expect(authorization.record.authorizations[0]).toMatchObject({
      resource: server.url,
      code_challenge_method: "S256",
      scope: expect.stringContaining("mcp:read") as string,
    });
    expect(authorization.record.requests).toMatchObject([
      { grant: "authorization_code", result: "ok", resource: server.url },
    ]);
    const folder = join(place.env["XDG_STATE_HOME"] ?? "", "mcp-workbench/credentials");
    const files = readdirSync(folder).filter((name) => name.endsWith(".json"));
    expect(files).toHaveLength(1);
    expect([folder, ...files.map((name) => join(folder, name))].every(isPrivate)).toBe(true);
  });

  it("uses a client that was registered by hand, with a secret and a path in the issuer", async () => {
    const client_secret = "by-hand-secret-1234";
    const world = await startWorld(cleanup, {
      authorization: {
        path: "/tenant",
        registration: false,
        tokenFormat: "jwt",
        clients: [
          {
            client_id: "by-hand",
            client_secret,
            redirect_uris: [REDIRECT],
            application_type: "native",
            token_endpoint_auth_method: "client_secret_basic",
            grant_types: ["authorization_code", "refresh_token"],
          },
        ],
      },
      oauth: { clientId: "by-hand", clientSecret: client_secret },
    });
    await world.logIn();
    expect(await whoAmI(world)).toBe("ada");
    expect(world.authorization.record.last.clientId).toBe("by-hand");
  });

  it("reads the secret of its client where the configuration refers to, also to refresh and to log out", async () => {
    const client_secret = "canary-by-hand-secret";
    const world = await startWorld(cleanup, {
      authorization: {
        registration: false,
        clients: [
          {
            client_id: "by-hand",
            client_secret,
            redirect_uris: [REDIRECT],
            application_type: "native",
            token_endpoint_auth_method: "client_secret_basic",
            grant_types: ["authorization_code", "refresh_token"],
          },
        ],
      },
      oauth: { clientId: "by-hand", clientSecret: "${file:client-secret}" },
    });
    const file = join(world.place.dir, "client-secret");
    const missing = await logIn(world.place, "dev/api", { browser: new Browser() });
    expect(missing.events.at(-1)).toMatchObject({ event: "failed" });
    expect(missing.events.at(-1)?.reason).toContain(`${file} does not exist or is empty`);

    writeFileSync(file, `${client_secret}\n`, { mode: 0o600 });
    await world.logIn();
    world.authorization.expireAccessTokens();
    // In a process that serves.
    const { client } = await startIn(cleanup, world.place);
    expect(textOf(await useTool(client, "dev/api/whoami"))).toBe("ada");
    expect(world.authorization.record.refreshes).toBe(1);
    expect(client.stderr).not.toContain("canary");
    const { stdout, stderr } = await world.run("logout", "dev/api", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ servers: [{ removed: true, revoked: true }] });
    expect(stdout + stderr).not.toContain("canary");
    expect(world.authorization.record.revoked).not.toEqual([]);
  });

  it("uses its metadata document where the authorization server supports that", async () => {
    const client_id = "https://client.example/workbench.json";
    const document = {
      client_id,
      client_name: "Workbench",
      redirect_uris: [REDIRECT],
      application_type: "native",
      grant_types: ["authorization_code", "refresh_token"],
      token_endpoint_auth_method: "none",
    };
    const world = await startWorld(cleanup, {
      authorization: { clientDocuments: { [client_id]: document } },
      oauth: { clientMetadataUrl: client_id },
    });
    await world.logIn();
    expect(await whoAmI(world)).toBe("ada");
    expect(world.authorization.record.last.clientId).toBe(client_id);
    expect(world.authorization.record.registrations).toEqual([]);
  });

  it("--device signs in with a code on another device", async () => {
    const world = await startWorld(cleanup, {
      authorization: {
        deviceFlow: true,
        clients: [
          {
            client_id: "terminal",
            redirect_uris: [],
            response_types: [],
            application_type: "native",
            token_endpoint_auth_method: "none",
            grant_types: [DEVICE, "refresh_token"],
          },
        ],
      },
      oauth: { clientId: "terminal" },
    });
    const browser = new Browser();
    const { code, events } = await logIn(world.place, "dev/api", {
      args: ["--device"],
      onEvent: async ({ event, url, code: typed }) => {
        if (event !== "device" || url === undefined) return undefined;
        const page = new URL(url);
        page.searchParams.set("user_code", typed ?? "");
        await browser.open(page.href);
        return undefined;
      },
    });
    expect(code).toBe(0);
    expect(events).toMatchObject([
      { event: "device", code: expect.stringMatching(/^\w{4}-\w{4}$/) as string },
      { event: "signed-in", server: "dev/api" },
    ]);
    expect(await whoAmI(world)).toBe("ada");
    expect(world.authorization.record.count(DEVICE, "ok")).toBe(1);
  });

  it("takes the pasted address when the browser cannot reach this machine", async () => {
    const world = await startWorld(cleanup);
    const browser = new Browser({ stopsAtCallback: true });
    await world.logIn({
      browser: null,
      onEvent: async ({ url }) => (url === undefined ? undefined : (await browser.open(url)).url),
    });
    expect(await whoAmI(world)).toBe("ada");
  });

  it.each([
    ["state", "forged-state"],
    ["iss", "https://evil.example"],
  ])("refuses a pasted address with a wrong %s, and sends no code", async (name, value) => {
    const world = await startWorld(cleanup);
    const browser = new Browser({ stopsAtCallback: true });
    // A wrong address may be a mistake of the user, so the program may go on waiting for another.
    const run = await logIn(world.place, "dev/api", {
      givesUp: true,
      onEvent: async ({ url }) => {
        if (url === undefined) return undefined;
        const returned = new URL((await browser.open(url)).url);
        returned.searchParams.set(name, value);
        return returned.href;
      },
    });
    expect(run.code).not.toBe(0);
    expect(run.events.map(({ event }) => event)).not.toContain("signed-in");
    expect(world.authorization.record.count()).toBe(0);
  });

  it("sends nobody to the browser if the tokens could not be stored", async () => {
    const world = await startWorld(cleanup);
    const folder = join(world.place.env["XDG_STATE_HOME"] ?? "", "mcp-workbench");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "credentials"), "not a folder");
    const { code, events, stderr } = await logIn(world.place, "dev/api");
    expect(code).not.toBe(0);
    expect(events).toMatchObject([{ event: "failed", code: "FOLDER_UNUSABLE" }]);
    expect(stderr).not.toContain("replaces it");
    expect(world.authorization.requests).toEqual([]);
  });

  it("reports that the user denied, without asking for a token", async () => {
    const world = await startWorld(cleanup);
    const browser = new Browser({ denies: true });
    const { code, events } = await logIn(world.place, "dev/api", { browser });
    expect(code).not.toBe(0);
    expect(events.at(-1)).toMatchObject({ event: "failed" });
    expect(world.authorization.record.count()).toBe(0);
  });

  it("--import - takes tokens from standard input, which are refreshed like others", async () => {
    const first = await startWorld(cleanup);
    await first.logIn();
    const { accessToken, refreshToken, clientId } = first.authorization.record.last;
    const place = { ...first.place, env: { ...first.place.env, XDG_STATE_HOME: first.place.home } };
    const tokens = {
      access_token: accessToken,
      refresh_token: refreshToken,
      token_type: "Bearer",
      expires_in: 3600,
      client_id: clientId,
    };
    const { code, events, stderr } = await logIn(place, "dev/api", {
      args: ["--import", "-"],
      input: JSON.stringify(tokens),
    });
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(events.at(-1)).toMatchObject({ event: "signed-in", server: "dev/api" });
    const imported: World = { ...first, place, run: (...args) => runIn(place, ...args) };
    expect(await whoAmI(imported)).toBe("ada");
    first.authorization.expireAccessTokens();
    expect(await whoAmI(imported)).toBe("ada");
    expect(first.authorization.record.refreshes).toBe(1);
  });

  it("keeps two accounts of one service side by side", async () => {
    const world = await startWorld(cleanup, {
      others: (url) => ({ work: { url, oauth: { account: "work" } } }),
    });
    const { place } = world;
    await world.logIn({ browser: new Browser({ user: "private-ada" }) });
    const browser = new Browser({ user: "work-ada" });
    const { events } = await logIn(place, "dev/work", { browser });
    expect(events.at(-1)).toMatchObject({ event: "signed-in", account: "work" });
    expect(await call(world, "dev/api/whoami")).toBe("private-ada");
    expect(await call(world, "dev/work/whoami")).toBe("work-ada");
  });
});

describe("mcp-workbench logout", () => {
  it("revokes the tokens and forgets them; auth shows the state before and after", async () => {
    const world = await startWorld(cleanup);
    const { authorization } = world;
    const states = async (): Promise<unknown> => {
      const { code, stdout } = await world.run("auth", "--json");
      expect(code).toBe(0);
      return JSON.parse(stdout);
    };
    await world.logIn();
    expect(JSON.stringify(await states())).toContain('"signed-in"');
    const { refreshToken = "" } = authorization.record.last;
    expect((await world.run("logout", "dev/api")).code).toBe(0);
    expect(authorization.record.revoked).toContain(refreshToken);
    expect(await authorization.isRefreshTokenAlive(refreshToken)).toBe(false);
    expect(JSON.stringify(await states())).toContain('"needs-login"');
    const { code, stdout, stderr } = await world.run("call", "dev/api/whoami");
    expect(code).not.toBe(0);
    expect(stdout + stderr).toContain("mcp-workbench login dev/api");
  });
});

describe("a machine without a user", () => {
  it("gets tokens with its own credentials, without any login", async () => {
    const world = await startWorld(cleanup, {
      authorization: {
        clientCredentials: true,
        clients: [
          {
            client_id: "machine",
            client_secret: "machine-secret-1234",
            redirect_uris: [],
            response_types: [],
            grant_types: ["client_credentials"],
          },
        ],
      },
      oauth: {
        grant: "client_credentials",
        clientId: "machine",
        clientSecret: "${MACHINE_SECRET}",
        scopes: ["mcp:read"],
      },
      env: { MACHINE_SECRET: "machine-secret-1234" },
    });
    expect(await call(world, "dev/api/count", "id=once")).toBe("count once");
    world.authorization.expireAccessTokens();
    expect(await call(world, "dev/api/count", "id=twice")).toBe("count twice");
    expect(world.authorization.record.count("client_credentials", "ok")).toBe(2);
    expect(world.server.calls).toEqual({ executed: 2, repeated: 0 });
  });
});
