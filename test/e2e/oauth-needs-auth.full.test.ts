/**
 * What agents and users see of a server that needs a sign-in, and how a call gets past it. In the
 * full suite because it signs in with every kind of client; `npm test` has `oauth-refresh.test.ts`.
 */
import { describe, expect, it } from "vitest";
import {
  failureOf,
  openToolbox,
  resultOf,
  searchTools,
  textOf,
  useTool,
} from "../support/calls.ts";
import { connect } from "../support/clients/connect.ts";
import type { ClientKind, FidelityClient, Json } from "../support/clients/matrix-client.ts";
import { useToolParams } from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import { Browser } from "../support/oauth/browser.ts";
import { NEEDS_AUTH, startWorld, statusOf, type World } from "../support/oauth/world.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS, type RawClient } from "../support/raw-client.ts";
import { startIn } from "../support/workbench.ts";

const cleanup = perTest();

const MODERN = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "agent", version: "1.0.0" },
};

describe("a server that needs a sign-in", () => {
  /** An empty `elicitation` means forms only, in both eras. */
  it.each([
    ["legacy", { capabilities: { elicitation: {} } }, undefined],
    [
      "modern",
      { initialize: false },
      { ...MODERN, "io.modelcontextprotocol/clientCapabilities": { elicitation: {} } },
    ],
  ] as const)("tells a %s client that cannot ask its user what to do", async (_, options, meta) => {
    const world = await startWorld(cleanup);
    const { client, pid } = await startIn(cleanup, world.place, options);
    const how = meta === undefined ? {} : { meta };
    const response = await useTool(client, "dev/api/count", { id: "first" }, how);
    const { isError, content, _meta } = resultOf(response);
    const text = content.map((block) => block.text).join("\n");
    expect(isError).toBe(true);
    expect(text).toContain("'api'");
    expect(text).toContain("'dev'");
    expect(text).toContain("mcp-workbench login dev/api");
    const [link = ""] = /http:\/\/127\.0\.0\.1:\d+\/login\/[\w-]+/.exec(text) ?? [];
    expect(link).not.toBe("");
    expect(_meta?.[NEEDS_AUTH]).toBeDefined();
    // Nothing of the authorization server's parameters may be in a transcript.
    expect(response.line).not.toMatch(/code_challenge|client_id|state=|redirect_uri/);
    expect(world.server.calls.executed).toBe(0);

    const status = await waitFor(() => statusOf(world.place, pid), GENEROUS_MS, "the status");
    expect(status).toMatchObject({
      state: "needs-auth",
      restarts: 0,
      auth: {
        kind: "oauth",
        state: "needs-login",
        account: "default",
        login: expect.stringContaining("mcp-workbench login dev/api") as string,
      },
    });

    // The link is good for one sign-in, and the call works afterwards.
    const page = await new Browser().open(link);
    expect(page.status).toBe(200);
    const again = await useTool(client, "dev/api/count", { id: "first" }, how);
    expect(textOf(again)).toBe("count first");
    expect(world.server.calls).toEqual({ executed: 1, repeated: 0 });
    // Once no link is open, nothing listens there.
    const reused = await fetch(link, { redirect: "manual" }).catch(() => ({ status: 404 }));
    expect(reused.status).toBeGreaterThanOrEqual(400);
  });

  it("continues to be found by a search once its tools were known", async () => {
    const world = await startWorld(cleanup);
    await world.logIn();
    const first = await startIn(cleanup, world.place);
    await openToolbox(first.client, "dev");
    await first.stop();
    expect((await world.run("logout", "dev/api")).code).toBe(0);

    const { client } = await startIn(cleanup, world.place);
    expect(failureOf(await useTool(client, "dev/api/count", { id: "x" }))).toContain("login");
    expect(await searchTools(client, "counts a call")).toContain("count");
    const opened = await openToolbox(client, "dev");
    expect(opened.tools.map(({ name }) => name)).toContain("count");
  });

  it("is asked at once by every call, whatever failed before", async () => {
    const world = await startWorld(cleanup);
    world.authorization.fault = 503;
    const { client } = await startIn(cleanup, world.place);
    const isAsked = async (): Promise<boolean> =>
      resultOf(await useTool(client, "dev/api/count", { id: "x" }))._meta?.[NEEDS_AUTH] !==
      undefined;
    expect(await isAsked()).toBe(false);
    world.authorization.fault = undefined;
    await waitFor(isAsked, GENEROUS_MS, "the workbench to ask for a login");
    // More than a server that fails may be started within ten seconds.
    for (let i = 0; i < 6; i++) expect(await isAsked()).toBe(true);
  });

  it("may be open except for calls", async () => {
    const world = await startWorld(cleanup, { server: { protects: "calls" } });
    const { client } = await startIn(cleanup, world.place);
    const { tools } = await openToolbox(client, "dev");
    expect(tools.map(({ name }) => name)).toEqual(["count", "write", "whoami"]);
    const refused = resultOf(await useTool(client, "dev/api/count", { id: "first" }));
    expect(refused._meta?.[NEEDS_AUTH]).toBeDefined();
    await world.logIn();
    expect(textOf(await useTool(client, "dev/api/count", { id: "first" }))).toBe("count first");
    expect(world.server.calls).toEqual({ executed: 1, repeated: 0 });
  });

  it.each(["legacy", "modern", "sse"] as const)("may be %s only", async (era) => {
    const world = await startWorld(cleanup, { server: { era } });
    await world.logIn();
    const { client } = await startIn(cleanup, world.place);
    expect(textOf(await useTool(client, "dev/api/count", { id: "first" }))).toBe("count first");
    world.authorization.expireAccessTokens();
    expect(textOf(await useTool(client, "dev/api/count", { id: "second" }))).toBe("count second");
    expect(world.server.calls).toEqual({ executed: 2, repeated: 0 });
    expect(world.authorization.record.refreshes).toBe(1);
  });

  it("is not signed in to with `oauth: false`", async () => {
    const world = await startWorld(cleanup, { oauth: false });
    const { client } = await startIn(cleanup, world.place);
    const response = await useTool(client, "dev/api/count", { id: "first" });
    expect(failureOf(response)).not.toContain("login dev/api");
    expect(response.line).not.toContain(NEEDS_AUTH);
    expect(world.authorization.requests).toEqual([]);
  });
});

const WITHOUT_FILE_EVENTS = `--import=data:text/javascript,${encodeURIComponent(
  'import fs from "node:fs"; import { syncBuiltinESMExports } from "node:module"; fs.watch = () => { throw new Error("ENOSPC"); }; syncBuiltinESMExports();',
)}`;

describe("a login in a terminal", () => {
  it.each([
    ["", {}],
    [", also where the system reports no changes of files", { NODE_OPTIONS: WITHOUT_FILE_EVENTS }],
  ])("wakes a workbench that runs%s", async (_, env) => {
    const world = await startWorld(cleanup);
    const place = { ...world.place, env: { ...world.place.env, ...env } };
    const { client, pid } = await startIn(cleanup, place);
    expect(failureOf(await useTool(client, "dev/api/whoami"))).toContain("login");
    await world.logIn();
    const isAwake = async (): Promise<boolean> =>
      (await statusOf(world.place, pid))?.auth?.state === "signed-in";
    await waitFor(isAwake, GENEROUS_MS, "the workbench to notice the login");
    expect(textOf(await useTool(client, "dev/api/whoami"))).toBe("ada");
  });
});

describe("a client that can open an address for its user", () => {
  const KINDS = ["sdk-v1", "sdk-v2-legacy", "sdk-v2-modern"] as const;

  async function start(kind: ClientKind, world: World): Promise<FidelityClient> {
    const { command, args, env, dir: cwd } = world.place;
    const client = await connect(kind, { transport: "stdio", command, args, env, cwd });
    cleanup.defer(() => client.close());
    return client;
  }

  const count = (client: FidelityClient, id: string, tool = "count"): Promise<Json> =>
    client.request("tools/call", useToolParams(`dev/api/${tool}`, { id }));

  const textIn = (result: Json): string => (result["content"] as { text: string }[])[0]?.text ?? "";

  /** The address that the client was asked to open. */
  async function asked({ inbox }: FidelityClient, mark = 0): Promise<string> {
    const { params } = await inbox.until(
      () => inbox.questions.slice(mark).find(({ method }) => method === "elicitation/create"),
      "a question",
    );
    expect(params).toMatchObject({ mode: "url" });
    expect(String(params["message"])).toContain("api");
    return String(params["url"]);
  }

  it.each([
    ...KINDS.map((kind) => [kind, "a server", {}] as const),
    ["sdk-v1", "a server over HTTP+SSE", { server: { era: "sse" } }] as const,
    ["sdk-v2-modern", "a server over HTTP+SSE", { server: { era: "sse" } }] as const,
  ])("%s is asked for %s, and the same call continues", async (kind, _, options) => {
    const world = await startWorld(cleanup, options);
    const client = await start(kind, world);
    const call = count(client, "first");
    const url = await asked(client);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/login\/[\w-]+$/);
    expect((await new Browser().open(url)).status).toBe(200);
    expect(await call).toMatchObject({ content: [{ type: "text", text: "count first" }] });
    expect(world.server.calls).toEqual({ executed: 1, repeated: 0 });
    expect(world.authorization.record.count("authorization_code", "ok")).toBe(1);
  });

  it.each(["sdk-v1", "sdk-v2-modern"] as const)(
    "%s is asked if no server of a toolbox can be opened without it",
    async (kind) => {
      const world = await startWorld(cleanup);
      const client = await start(kind, world);
      const params = { name: "open_toolbox", arguments: { toolbox: "dev" } };
      const call = client.request("tools/call", params);
      expect((await new Browser().open(await asked(client))).status).toBe(200);
      expect(textIn(await call)).toContain('"servers_connected":1');
      expect(client.inbox.questions).toHaveLength(1);
    },
  );

  it("gets the reason and the command if its user declines to open a toolbox", async () => {
    const client = await start("sdk-v1", await startWorld(cleanup));
    client.inbox.declineNext = true;
    const params = { name: "open_toolbox", arguments: { toolbox: "dev" } };
    const result = await client.request("tools/call", params);
    expect(result).toMatchObject({ isError: true, _meta: { [NEEDS_AUTH]: { server: "api" } } });
    expect(textIn(result)).toMatch(/Could not connect to any server.*mcp-workbench login dev\/api/);
  });

  it.each(KINDS)("%s is asked for a further permission, and keeps the first", async (kind) => {
    const world = await startWorld(cleanup);
    await world.logIn();
    const client = await start(kind, world);
    await count(client, "first");
    const call = count(client, "second", "write");
    expect((await new Browser().open(await asked(client))).status).toBe(200);
    expect(await call).toMatchObject({ content: [{ type: "text", text: "write second" }] });
    const scope = String(world.authorization.record.authorizations.at(-1)?.["scope"]).split(" ");
    expect(scope).toEqual(expect.arrayContaining(["mcp:read", "mcp:write"]));
    expect(world.server.calls).toEqual({ executed: 2, repeated: 0 });
  });

  it.each(KINDS)("%s gets the text if its user declines", async (kind) => {
    const world = await startWorld(cleanup);
    const client = await start(kind, world);
    client.inbox.declineNext = true;
    const result = await count(client, "first");
    expect(result).toMatchObject({ isError: true });
    expect(textIn(result)).toContain("mcp-workbench login dev/api");
    expect(client.inbox.questions).toHaveLength(1);
    expect(world.server.calls.executed).toBe(0);
  });
});

describe("a tool that needs a further permission", () => {
  it("is explained, and works after a login in any process", async () => {
    const world = await startWorld(cleanup);
    await world.logIn();
    const { client, pid } = await startIn(cleanup, world.place);
    const write = (): ReturnType<RawClient["request"]> =>
      useTool(client, "dev/api/write", { id: "first" });
    const refused = resultOf(await write());
    expect(refused._meta?.[NEEDS_AUTH]).toBeDefined();
    const status = await waitFor(() => statusOf(world.place, pid), GENEROUS_MS, "the status");
    expect(status.auth?.state).toBe("needs-scope");
    // The other tools still work.
    expect(textOf(await useTool(client, "dev/api/count", { id: "x" }))).toBe("count x");
    await world.logIn();
    expect(textOf(await write())).toBe("write first");
    expect(world.server.calls).toEqual({ executed: 2, repeated: 0 });
  });
});
