/**
 * Servers with `"credentials": "perUser"`, over HTTP: two access tokens, a user of an identity provider and the owner
 * each sign in to a server that says who called. In the full suite because it runs two authorization servers;
 * `src/workbench/scopes.test.ts` and `src/sign-in/public-logins.test.ts` are in `npm test`.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { addToken, clientWith, replaceToken } from "../support/access-tokens.ts";
import { firstText, textOf, type ToolResult, useTool, useToolParams } from "../support/calls.ts";
import { runCli } from "../support/cli.ts";
import { connect } from "../support/clients/connect.ts";
import { perBlock } from "../support/disposables.ts";
import { freePort } from "../support/free-port.ts";
import { type HttpClient, type Message, messagesIn } from "../support/http-client.ts";
import { type HttpWorkbench, startHttpWorkbench } from "../support/http-workbench.ts";
import {
  type AuthorizationServer,
  startAuthorizationServer,
} from "../support/oauth/authorization-server.ts";
import { Browser } from "../support/oauth/browser.ts";
import { mustLogIn } from "../support/oauth/login.ts";
import { type ProtectedServer, startProtectedServer } from "../support/oauth/protected-server.ts";
import { NEEDS_AUTH, runIn } from "../support/oauth/world.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { startIn } from "../support/workbench.ts";
import type { Config } from "../support/servers.ts";

const AUDIENCE = "https://workbench.example.com/mcp";
const disposables = perBlock();

let service: AuthorizationServer;
let idp: AuthorizationServer;
let server: ProtectedServer;
let workbench: HttpWorkbench;
const tokens = new Map<string, string>();

beforeAll(async () => {
  service = await startAuthorizationServer(disposables);
  server = await startProtectedServer(disposables, { authorization: service, isPersonal: true });
  const secret = { client_secret: "secret-of-carol", grant_types: ["client_credentials"] };
  idp = await startAuthorizationServer(disposables, {
    tokenFormat: "jwt",
    clientCredentials: true,
    scopes: ["wb:dev"],
    clients: [{ client_id: "carol", ...secret, response_types: [], redirect_uris: [] }],
  });
  const port = await freePort();
  const config = {
    credentials: "file",
    log: { level: "debug" },
    http: {
      publicUrl: `http://127.0.0.1:${port}`,
      oauth: {
        issuer: idp.issuer,
        resource: "https://workbench.example.com",
        audiences: [AUDIENCE],
        scopes: { "wb:dev": { toolboxes: ["dev"] } },
      },
    },
    toolboxes: {
      dev: {
        description: "Diaries",
        mcpServers: { api: { url: server.url, credentials: "perUser" } },
      },
    },
  };
  workbench = await startHttpWorkbench(disposables, config as unknown as Config, {
    address: `127.0.0.1:${port}`,
  });
  for (const name of ["alice", "bob"]) tokens.set(name, await addToken(workbench, name));
  tokens.set("owner", workbench.token ?? "");
  tokens.set("carol", await tokenOfCarol());
});

async function tokenOfCarol(): Promise<string> {
  const response = await fetch(idp.tokenEndpoint, {
    method: "POST",
    headers: { authorization: `Basic ${btoa("carol:secret-of-carol")}` },
    body: new URLSearchParams({
      grant_type: "client_credentials",
      scope: "wb:dev",
      resource: AUDIENCE,
    }),
  });
  const { access_token: token } = (await response.json()) as { access_token?: string };
  if (token === undefined) throw new Error(`no token: ${response.status}`);
  return token;
}

type Era = "legacy" | "modern";
type Ask = (method: string, params?: object) => Promise<Message>;

/** Requests of a user, in one of the eras. */
async function as(user: string, era: Era = "legacy", path?: string): Promise<Ask> {
  const client: HttpClient = clientWith(workbench, tokens.get(user) ?? "", path);
  if (era === "modern")
    return async (method, params) => {
      const { text } = await client.modern(method, params as never).done();
      return messagesIn(text).at(-1) ?? {};
    };
  await client.initialize();
  return (method, params) => client.ask(method, params as never);
}

const call = (ask: Ask, tool: string): Promise<Message> =>
  ask("tools/call", useToolParams(`dev/api/${tool}`, {}));
const whoami = async (user: string, era?: Era): Promise<Message> =>
  call(await as(user, era), "whoami");
const resultIn = ({ result }: Message): ToolResult => result as ToolResult;
const needsSignIn = (message: Message): { url?: string; user?: string } | undefined =>
  resultIn(message)._meta?.[NEEDS_AUTH] as { url?: string } | undefined;
const linkIn = (message: Message): string => {
  const url = needsSignIn(message)?.url ?? "";
  expect(url.startsWith(`${workbench.url}/login/`)).toBe(true);
  expect(firstText(message)).toContain(url);
  return url;
};
/** Everything that a user can find out about the server without calling its tools. */
async function seenBy(user: string, era: Era): Promise<string> {
  const ask = await as(user, era);
  const searched = { name: "search_tools", arguments: { query: "reads the diary of ada" } };
  const opened = { name: "open_toolbox", arguments: { toolbox: "dev" } };
  const answers = [
    await ask("tools/call", searched),
    await ask("tools/call", opened),
    await ask("resources/list"),
    await ask("prompts/list"),
    await ask("tools/list"),
    await (await as(user, era, "/mcp/dev/api"))("tools/list"),
  ];
  return JSON.stringify(answers);
}
const signIn = async (link: string, account: string): Promise<number | undefined> =>
  (await new Browser({ user: account }).open(link)).status;

describe("a server that each user signs in to", () => {
  it("asks each user for a sign-in, and is called as the account of the user", async () => {
    const refused = await whoami("alice");
    expect(resultIn(refused).isError).toBe(true);
    expect(needsSignIn(refused)).toMatchObject({ user: "alice", state: "needs-login" });
    expect(firstText(refused)).not.toContain("on this computer");
    expect(await signIn(linkIn(refused), "ada")).toBe(200);
    expect(firstText(await whoami("alice"))).toBe("ada");
    expect(firstText(await whoami("alice", "modern"))).toBe("ada");
    for (const other of ["bob", "carol", "owner"])
      expect(needsSignIn(await whoami(other))).toBeDefined();
  });

  it.each(["legacy", "modern"] as const)(
    "shows nothing that one user sees to others, in the %s era",
    async (era) => {
      const own = await seenBy("alice", era);
      for (const text of ["notes_of_ada", "diary of ada"]) expect(own).toContain(text);
      for (const other of ["bob", "carol", "owner"])
        expect(await seenBy(other, era)).not.toMatch(/_of_ada|diary of ada"|for ada/);
    },
  );

  it.each(["legacy", "modern"] as const)(
    "does not let others use what belongs to one user, in the %s era",
    async (era) => {
      const { result } = await (await as("alice", era))("resources/list");
      const [{ uri = "" } = {}] = (result as { resources: { uri: string }[] }).resources;
      expect(uri).toContain("ada");
      const own = await (await as("alice", era))("resources/read", { uri });
      expect(JSON.stringify(own)).toContain("diary of ada");
      for (const other of ["bob", "carol", "owner"]) {
        const ask = await as(other, era);
        const read = await ask("resources/read", { uri });
        const used = await call(ask, "notes_of_ada");
        expect(JSON.stringify([read, used])).not.toContain("diary of ada");
        expect(read.error ?? resultIn(used).isError).toBeTruthy();
      }
    },
  );

  it("does not let others continue the session of one user", async () => {
    const own = clientWith(workbench, tokens.get("alice") ?? "");
    await own.initialize();
    for (const other of ["bob", "carol", "owner"]) {
      const client = clientWith(workbench, tokens.get(other) ?? "");
      client.sessionId = own.sessionId;
      const { status, text } = await client
        .request("tools/call", useToolParams("dev/api/whoami", {}))
        .done();
      expect(status).toBe(404);
      expect(text).not.toContain("ada");
    }
  });

  it("keeps users apart when several have signed in", async () => {
    for (const [user, account, era] of [
      ["bob", "bea", "legacy"],
      ["carol", "cleo", "modern"],
    ] as const) {
      expect(await signIn(linkIn(await whoami(user, era)), account)).toBe(200);
      expect(firstText(await whoami(user, era))).toBe(account);
    }
    // The owner uses this machine, so the link need not lead through the address for others.
    expect(await signIn(needsSignIn(await whoami("owner"))?.url ?? "", "otto")).toBe(200);
    const accounts = { alice: "ada", bob: "bea", carol: "cleo", owner: "otto" };
    await Promise.all(
      Object.entries(accounts).flatMap(([user, account]) =>
        (["legacy", "modern"] as const).map(async (era) => {
          expect(firstText(await whoami(user, era))).toBe(account);
          const seen = await seenBy(user, era);
          expect(seen).toContain(`notes_of_${account}`);
          const others = Object.values(accounts).filter((other) => other !== account);
          for (const other of others) expect(seen).not.toContain(`notes_of_${other}`);
        }),
      ),
    );
  });

  it("is the owner's over stdio and for commands", async () => {
    const { client } = await startIn(disposables, workbench);
    expect(textOf(await useTool(client, "dev/api/whoami"))).toBe("otto");
    const { stdout } = await runIn(workbench, "call", "dev/api/whoami");
    expect(stdout).toContain("otto");
  });
});

describe("a link for a sign-in", () => {
  /** A user who has not signed in, and the link. */
  async function newUser(name: string): Promise<string> {
    tokens.set(name, await addToken(workbench, name));
    return linkIn(await whoami(name));
  }

  it("begins nothing before a person has confirmed for whom it is", async () => {
    const link = await newUser("dora");
    const before = service.requests.length;
    const page = await fetch(link);
    const text = await page.text();
    expect(text).toContain("dora");
    expect(text).toContain(new URL(server.url).origin);
    expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    const [cookie = ""] = page.headers.getSetCookie();
    expect(cookie).toMatch(/HttpOnly; SameSite=Lax/);
    // A form of another site comes without the cookie, or without its value.
    const post = (headers: Record<string, string>, body: string): Promise<Response> =>
      fetch(link, {
        method: "POST",
        redirect: "manual",
        headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
        body,
      });
    const value = /name="confirm" value="([\w-]+)"/.exec(text)?.[1] ?? "";
    const own = cookie.split(";")[0] ?? "";
    expect((await post({}, `confirm=${value}`)).status).toBe(403);
    expect((await post({ cookie: own }, "")).status).toBe(403);
    const foreign = { cookie: own, origin: "https://evil.example" };
    expect((await post(foreign, `confirm=${value}`)).status).toBe(403);
    expect(service.requests.slice(before).filter((one) => one.includes("/auth"))).toEqual([]);
    expect(needsSignIn(await whoami("dora"))).toBeDefined();
    expect((await post({ cookie: own }, `confirm=${value}`)).status).toBe(303);
  });

  it("cannot be completed in another browser than the one in which it was confirmed", async () => {
    const link = await newUser("erin");
    // Erin confirms, and sends the address of the authorization server to another person.
    const erin = new Browser({ user: "eve", stopsAtCallback: true });
    const { url } = await erin.open(link);
    const authorize = erin.visited.find((one) => one.startsWith(`${service.issuer}/auth?`)) ?? "";
    const other = new Browser({ user: "vic" });
    expect(await other.open(authorize)).toMatchObject({ status: 403 });
    expect(needsSignIn(await whoami("erin"))).toBeDefined();
    // What is missing is the browser; the login itself was not used up.
    expect((await fetch(url)).status).toBe(403);
  });

  it("works once", async () => {
    const link = await newUser("finn");
    expect(await signIn(link, "flo")).toBe(200);
    expect((await fetch(link)).status).toBe(404);
    expect(firstText(await whoami("finn"))).toBe("flo");
  });

  it.each(["sdk-v1", "sdk-v2-legacy", "sdk-v2-modern"] as const)(
    "is given to %s to open, and the same call continues",
    async (kind) => {
      const token = await addToken(workbench, `gil-${kind}`);
      const client = await connect(kind, {
        transport: "http",
        url: `${workbench.url}/mcp`,
        headers: { authorization: `Bearer ${token}` },
      });
      disposables.defer(() => client.close());
      const result = client.request("tools/call", useToolParams("dev/api/whoami", {}) as never);
      const { inbox } = client;
      const { params } = await inbox.until(
        () => inbox.questions.find(({ method }) => method === "elicitation/create"),
        "a question",
      );
      expect(await signIn(String(params["url"]), `gus-${kind}`)).toBe(200);
      expect(await result).toMatchObject({ content: [{ text: `gus-${kind}` }] });
    },
  );
});

describe("the owner", () => {
  const users = async (): Promise<(string | undefined)[]> => {
    const { stdout } = await runIn(workbench, "auth", "--json");
    const { servers } = JSON.parse(stdout) as {
      servers: { auth: { user?: string; state: string } }[];
    };
    return servers.filter(({ auth }) => auth.state === "signed-in").map(({ auth }) => auth.user);
  };

  it("sees who has signed in, without anything secret", async () => {
    expect(await users()).toEqual(
      expect.arrayContaining([undefined, "alice", "bob", "oauth:carol"]),
    );
    const where = { home: workbench.home, cwd: workbench.dir, env: workbench.env };
    const { stdout } = await runCli(where, ["status", "--json"]);
    expect(stdout).toContain('"user": "alice"');
    for (const token of server.tokens) expect(stdout).not.toContain(token);
    for (const token of server.tokens) expect(workbench.stderr()).not.toContain(token);
  });

  it("signs a user in and out", async () => {
    await mustLogIn(workbench, "dev/api", {
      args: ["--user", "bob"],
      browser: new Browser({ user: "ben" }),
    });
    // Before, bob was signed in with another account, which is used until the change is noticed.
    const isBen = async (): Promise<boolean> => firstText(await whoami("bob")) === "ben";
    await waitFor(isBen, GENEROUS_MS, "the new sign-in to be used");
    expect((await runIn(workbench, "logout", "dev/api", "--user", "bob")).code).toBe(0);
    expect(await users()).not.toContain("bob");
    const isOut = async (): Promise<boolean> => needsSignIn(await whoami("bob")) !== undefined;
    await waitFor(isOut, GENEROUS_MS, "the old sign-in not to be used any more");
    expect(firstText(await whoami("alice"))).toBe("ada");
  });

  it("ends the sign-ins of a token with the token, and a new one of the name inherits nothing", async () => {
    tokens.set("alice", await replaceToken(workbench, "alice"));
    expect(firstText(await whoami("alice"))).toBe("ada");
    const { code } = await runIn(workbench, "token", "revoke", "alice");
    expect(code).toBe(0);
    expect(await users()).not.toContain("alice");
    tokens.set("alice", await addToken(workbench, "alice"));
    expect(needsSignIn(await whoami("alice"))).toBeDefined();
    expect(await seenBy("alice", "legacy")).not.toContain("notes_of_ada");
  });
});
