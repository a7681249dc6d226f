/**
 * Servers that need a sign-in, in the other ways of serving: a single server, HTTP, native tools. In the
 * full suite because each starts an authorization server; `oauth-refresh.test.ts` is in `npm test`.
 */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { openToolbox, resultOf, textOf, useTool, useToolParams } from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import { startHttpWorkbench } from "../support/http-workbench.ts";
import {
  type AuthorizationServer,
  listen,
  startAuthorizationServer,
} from "../support/oauth/authorization-server.ts";
import { Browser } from "../support/oauth/browser.ts";
import { startProtectedServer } from "../support/oauth/protected-server.ts";
import { NEEDS_AUTH, startWorld, statusOf, type World } from "../support/oauth/world.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { remoteConfig } from "../support/remote.ts";
import { startIn, startWorkbench } from "../support/workbench.ts";

const cleanup = perTest();
const LINK = /http:\/\/127\.0\.0\.1:\d+\/login\/[\w-]{22}/;
const CAN_OPEN_URLS = { capabilities: { elicitation: { url: {} } } };

/** A world whose server was used, and is signed out of now. */
async function signedOutWorld(): Promise<World> {
  const world = await startWorld(cleanup);
  await world.logIn();
  const { client, stop } = await startIn(cleanup, world.place);
  await openToolbox(client, "dev");
  await stop();
  expect((await world.run("logout", "dev/api")).code).toBe(0);
  return world;
}

describe("a single server that needs a sign-in", () => {
  it("is shown as it was, and a call asks the user", async () => {
    const world = await signedOutWorld();
    const place = { ...world.place, args: [...world.place.args, "--server", "dev/api"] };
    const browsers: Promise<unknown>[] = [];
    const { client, hello } = await startIn(cleanup, place, {
      ...CAN_OPEN_URLS,
      responders: {
        "elicitation/create": ({ url }) => {
          browsers.push(new Browser().open(String(url)));
          return { action: "accept" };
        },
      },
    });
    expect(hello.serverInfo.name).toBe("protected");
    const { tools } = resultOf(await client.request("tools/list")) as unknown as {
      tools: { name: string }[];
    };
    expect(tools.map(({ name }) => name)).toEqual(["count", "write", "whoami"]);
    const params = { name: "count", arguments: { id: "first" } };
    expect(textOf(await client.request("tools/call", params))).toBe("count first");
    await Promise.all(browsers);
    expect(browsers).toHaveLength(1);
    const completed = (): number =>
      client.notificationsOf("notifications/elicitation/complete").length;
    await client.when(() => completed() > 0, "the notification");
    expect(completed()).toBe(1);
    expect(world.server.calls).toEqual({ executed: 1, repeated: 0 });
  });

  it("says what to do if nothing is known about it", async () => {
    const world = await startWorld(cleanup);
    const place = { ...world.place, args: [...world.place.args, "--server", "dev/api"] };
    const { client } = await startIn(cleanup, place, { initialize: false });
    const response = await client.request("initialize", {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "raw-client", version: "1.0.0" },
    });
    expect(response.error?.message).toContain("mcp-workbench login dev/api");
    expect(response.error?.data).toMatchObject({ code: "SIGN_IN_REQUIRED" });
  });
});

describe("a server that asks for a sign-in only for its stream", () => {
  it("is ready, because calls work", async () => {
    const world = await startWorld(cleanup, { server: { protects: "stream", era: "legacy" } });
    const { client, pid } = await startIn(cleanup, world.place);
    expect(textOf(await useTool(client, "dev/api/count", { id: "first" }))).toBe("count first");
    // By the second attempt, the challenge to the first one was answered.
    const isTriedAgain = (): boolean => world.server.rejected[401] >= 2;
    await waitFor(isTriedAgain, GENEROUS_MS, "the stream to be tried again");
    const status = await waitFor(() => statusOf(world.place, pid), GENEROUS_MS, "the status");
    expect(status.state).toBe("ready");
    expect(textOf(await useTool(client, "dev/api/count", { id: "second" }))).toBe("count second");
    expect(world.authorization.requests).toEqual([]);
  });
});

describe("native tools of a server that needs a sign-in", () => {
  it("are registered, and named with the reason for the missing connection", async () => {
    const world = await signedOutWorld();
    const config = JSON.parse(readFileSync(world.place.configFile, "utf8")) as object;
    world.place.writeConfig(JSON.stringify({ ...config, toolMode: "dynamic" }));
    const { client } = await startIn(cleanup, world.place);
    const opened = await client.request("tools/call", {
      name: "open_toolbox",
      arguments: { toolbox: "dev" },
    });
    expect(JSON.parse(textOf(opened))).toMatchObject({
      servers_connected: 0,
      tools_registered: 3,
      servers_failed: [{ server: "api", reason: expect.stringMatching(LINK) as string }],
    });
    const called = await client.request("tools/call", {
      name: "dev__api__count",
      arguments: { id: "first" },
    });
    expect(resultOf(called)._meta?.[NEEDS_AUTH]).toBeDefined();
  });
});

describe("a workbench over HTTP", () => {
  it.each([
    ["offers a link to clients of this machine", [], true],
    ["offers only the command if clients may be elsewhere", ["--allow-host", "wb.example"], false],
  ])("%s", async (_, args, hasLink) => {
    const authorization = await startAuthorizationServer(cleanup);
    const { url } = await startProtectedServer(cleanup, { authorization });
    const config = { toolboxes: { dev: { description: "d", mcpServers: { api: { url } } } } };
    const workbench = await startHttpWorkbench(cleanup, config, { args });
    const client = workbench.client();
    await client.initialize();
    const answer = await client.ask("tools/call", useToolParams("dev/api/count", { id: "x" }));
    const text = JSON.stringify(answer);
    expect(text).toContain("mcp-workbench login dev/api");
    expect(LINK.test(text)).toBe(hasLink);
  });
});

describe("a server that asks for a sign-in in the result of a tool", () => {
  /** Executes a tool only with a token, and says so in the result. */
  async function startPoliteServer(authorization: AuthorizationServer) {
    const executed: string[] = [];
    const http = createServer();
    const origin = await listen(http, cleanup);
    const metadata = `${origin}/.well-known/oauth-protected-resource`;
    const challenge = `Bearer resource_metadata="${metadata}", scope="mcp:read"`;
    const results: Record<string, (sent: string) => object> = {
      initialize: () => ({
        protocolVersion: "2025-11-25",
        capabilities: { tools: {} },
        serverInfo: { name: "polite", version: "1" },
      }),
      "tools/list": () => ({ tools: [{ name: "act", inputSchema: { type: "object" } }] }),
      "tools/call": (sent) => {
        if (authorization.record.find(sent) === undefined)
          return {
            content: [{ type: "text", text: "Sign in first" }],
            isError: true,
            _meta: { "mcp/www_authenticate": [challenge] },
          };
        executed.push(sent);
        return { content: [{ type: "text", text: "done" }] };
      },
    };
    http.on("request", (request, response) => {
      const answer = async (): Promise<object | undefined> => {
        if (request.url === new URL(metadata).pathname)
          return { resource: `${origin}/mcp`, authorization_servers: [authorization.issuer] };
        if (request.method !== "POST") return undefined;
        const { id, method } = (await json(request)) as { id?: number; method: string };
        const sent = (request.headers.authorization ?? "").replace("Bearer ", "");
        const result = results[method]?.(sent);
        return result && { jsonrpc: "2.0", id, result };
      };
      void answer().then((body) => {
        if (body === undefined) response.writeHead(request.method === "POST" ? 202 : 405).end();
        else
          response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
      });
    });
    return { url: `${origin}/mcp`, executed };
  }

  it("gets the call again with a token, once", async () => {
    const authorization = await startAuthorizationServer(cleanup);
    const { url, executed } = await startPoliteServer(authorization);
    const { client } = await startWorkbench(
      cleanup,
      remoteConfig({ api: { url } }, { credentials: "file" }),
      {
        ...CAN_OPEN_URLS,
        responders: {
          "elicitation/create": async ({ url: link }) => {
            await new Browser().open(String(link));
            return { action: "accept" };
          },
        },
      },
    );
    expect(textOf(await useTool(client, "dev/api/act"))).toBe("done");
    expect(executed).toHaveLength(1);
    authorization.expireAccessTokens();
    expect(textOf(await useTool(client, "dev/api/act"))).toBe("done");
    expect(executed).toHaveLength(2);
    expect(authorization.record.refreshes).toBe(1);
  });
});
