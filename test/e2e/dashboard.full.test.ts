/**
 * The dashboard over plain HTTP: sessions, its routes and events, and who cannot use it. In the full
 * suite because it starts several workbenches; the unit tests of src/dashboard are in `npm test`.
 */
import { readFileSync, readdirSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { useToolParams } from "../support/calls.ts";
import { addToken, clientWith } from "../support/access-tokens.ts";
import { auditRows } from "../support/audit.ts";
import { type ChangingServer, changingServer } from "../support/changing-server.ts";
import { dashboardLink, untilCallsWait } from "../support/dashboard.ts";
import { perBlock, perTest } from "../support/disposables.ts";
import { type HttpWorkbench, startHttpWorkbench } from "../support/http-workbench.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { dev, fixture, toolbox } from "../support/servers.ts";
import { SharedPlace, serverPid } from "../support/shared.ts";
import { UiClient } from "../support/ui-client.ts";
import { runCommand } from "../support/workbench.ts";

const MARKUP = `</script><img src=x onerror="alert(1)">`;
const SECRET = "sk-proj-0123456789abcdefghijklmnop";
const TOOL = { name: "risky", description: MARKUP, inputSchema: { type: "object" } };

const cleanup = perBlock();
const perOne = perTest();
let workbench: HttpWorkbench;
let server: ChangingServer;
let ui: UiClient;

beforeAll(async () => {
  server = changingServer(cleanup, { tools: [TOOL], instructions: MARKUP });
  workbench = await startHttpWorkbench(cleanup, {
    toolboxes: {
      dev: toolbox({ fx: { ...fixture(), env: { API_KEY: SECRET } }, changing: server.entry }),
    },
    policy: { rules: [{ tools: ["changing/risky"], action: "ask" }] },
    countTokens: true,
    dashboard: { payloads: true },
    approvals: { waitMs: 60_000 },
    log: { level: "info" },
  });
  ui = new UiClient(workbench.url);
  await ui.login(dashboardLink(workbench));
});

describe("a link to the dashboard", () => {
  it("signs in once, with a cookie that scripts and other sites cannot use", async () => {
    const link = dashboardLink(workbench);
    const first = new UiClient(workbench.url);
    const { status, headers, body } = await first.login(link);
    expect(status).toBe(200);
    expect(body).toMatchObject({ pid: workbench.pid });
    const cookie = headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(
      new RegExp(`^mcp_workbench_ui_${workbench.port}=[\\w-]{43}; Path=/ui; `),
    );
    for (const part of ["HttpOnly", "SameSite=Strict"]) expect(cookie).toContain(`; ${part}`);
    expect((await first.get("/ui/api/session")).body.csrf).toBe(first.csrf);

    const second = await new UiClient(workbench.url).login(link);
    expect(second.status).toBe(401);
    expect(second.body.error).toMatchObject({
      code: "unauthorized",
      hint: "Run: mcp-workbench dashboard",
    });

    const events = await first.events(perOne);
    await events.when("hello");
    expect((await first.post("/ui/logout", {})).headers.get("set-cookie")).toContain("Max-Age=0");
    expect(await events.when("bye")).toEqual({ type: "bye", reason: "session" });
    await events.ended;
    expect((await first.get("/ui/api/session")).status).toBe(401);
  });

  it("ends the earlier session of its browser", async () => {
    const page = new UiClient(workbench.url);
    await page.login(dashboardLink(workbench));
    const events = await page.events(perOne);
    await events.when("hello");
    const earlier = page.cookie;
    await page.login(dashboardLink(workbench));
    expect(await events.when("bye")).toEqual({ type: "bye", reason: "session" });
    const old = await page.fetch("/ui/api/session", { headers: { cookie: earlier } });
    expect(old.status).toBe(401);
    expect((await page.get("/ui/api/session")).status).toBe(200);
  });

  it("is printed for scripts, with the workbench it belongs to", () => {
    const { stdout } = runCommand(workbench, "dashboard", "--no-browser", "--json");
    const printed = JSON.parse(stdout) as Record<string, unknown>;
    expect(Object.keys(printed)).toEqual(["link", "pid", "config", "opened"]);
    expect(printed).toMatchObject({ pid: workbench.pid, opened: false });
  });

  it("is not given if no workbench with a dashboard runs, and says what to do", () => {
    const elsewhere = { ...workbench, env: { ...workbench.env, XDG_STATE_HOME: workbench.dir } };
    const { code, stderr } = runCommand(elsewhere, "dashboard", "--no-browser");
    expect(code).not.toBe(0);
    expect(stderr).toContain("No workbench is running");
    expect(stderr).toContain("mcp-workbench serve --http 7333");
    const wrong = runCommand(workbench, "dashboard", "open");
    expect(wrong.stderr).toContain("dashboard confirm ID");
  });
});

describe("the files of the page", () => {
  it.each([
    ["/ui/", "text/html; charset=utf-8"],
    ["/ui/app.js", "text/javascript; charset=utf-8"],
    ["/ui/style.css", "text/css; charset=utf-8"],
  ])("%s comes with a strict policy and is not kept", async (path, type) => {
    const { status, headers } = await new UiClient(workbench.url).fetch(path);
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe(type);
    const policy = headers.get("content-security-policy")?.split("; ") ?? [];
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
      ]),
    );
    expect(policy.join()).not.toMatch(/unsafe|\*/);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("cache-control")).toBe("no-store");
  });

  it("contain no inline script or style", async () => {
    const { body } = await new UiClient(workbench.url).fetch<string>("/ui/");
    expect(body).not.toMatch(/<style|style=|<script(?![^>]* src=)|\son\w+=/);
    expect((await ui.fetch("/ui")).headers.get("location")).toBe("/ui/");
  });
});

describe("a request of another origin", () => {
  const login = { method: "POST", body: '{"code":"x"}' };
  const json = { "content-type": "application/json" };

  it.each<[string, string, RequestInit, number]>([
    ["without a session", "/ui/api/overview", { headers: { cookie: "" } }, 401],
    ["without a session for events", "/ui/events", { headers: { cookie: "" } }, 401],
    ["with another origin", "/ui/api/overview", { headers: { origin: "http://evil.test" } }, 403],
    ["from another port", "/ui/", { headers: { origin: "http://127.0.0.1:1" } }, 403],
    [
      "that a browser marks",
      "/ui/api/overview",
      { headers: { "sec-fetch-site": "same-site" } },
      403,
    ],
    ["that logs in", "/ui/login", { ...login, headers: { ...json, origin: "null" } }, 403],
    ["of a form", "/ui/login", { ...login, headers: { "content-type": "text/plain" } }, 415],
    ["with a wrong code", "/ui/login", { ...login, headers: json }, 401],
    ["of another method", "/ui/api/overview", { method: "PUT" }, 405],
    ["that deletes", "/ui/", { method: "DELETE" }, 405],
    ["that asks what is allowed", "/ui/api/overview", { method: "OPTIONS" }, 405],
    ["with the code in the query", "/ui/login?code=x", { method: "POST" }, 415],
    ["at another path", "/ui/api/nothing", {}, 404],
    ["at a path with two slashes", "/ui//api/overview", {}, 404],
    ["at a path that is written differently", "/ui/%61pi/overview", {}, 404],
    ["at a path in other letters", "/UI/api/overview", {}, 401],
    ["at a path of objects", "/ui/api/../api/constructor", {}, 404],
  ])("%s is refused", async (_, path, init, status) => {
    expect((await ui.fetch(path, init)).status).toBe(status);
  });

  it("learns which methods there are, and nothing about other origins", async () => {
    const origin = workbench.url;
    const { headers } = await ui.fetch("/ui/api/overview", {
      method: "OPTIONS",
      headers: { origin, "access-control-request-method": "POST" },
    });
    expect(headers.get("allow")).toBe("GET, POST");
    expect([...headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
  });

  it("is refused without the CSRF header, and a wrong one", async () => {
    for (const csrf of ["", "x", `${ui.csrf} `.repeat(2)]) {
      const { status, body } = await ui.post(
        "/ui/api/tokens/create",
        { name: "stolen" },
        { headers: { "x-workbench-csrf": csrf } },
      );
      expect(status).toBe(403);
      expect(body.error?.code).toBe("csrf");
    }
    expect((await ui.get("/ui/api/tokens")).body.tokens).toEqual([]);
  });

  it("is refused without an origin, if it could change something", async () => {
    const bare = await fetch(`${workbench.url}/ui/login`, { ...login, headers: json });
    expect(bare.status).toBe(403);
  });

  it.each(["evil.test", `evil.test:80`, "localhost", "127.0.0.1:1"])(
    "is refused under the name %s, whatever resolves to this machine",
    async (host) => {
      const status = await new Promise((resolve, reject) => {
        request(`${workbench.url}/ui/`, { headers: { host } }, (response) => {
          response.resume();
          resolve(response.statusCode);
        })
          .on("error", reject)
          .end();
      });
      expect(status).toBe(403);
    },
  );

  it("is refused if its body is too large or not an object", async () => {
    const large = await ui.fetch("/ui/api/config/check", {
      method: "POST",
      headers: { ...json, "x-workbench-csrf": ui.csrf },
      body: JSON.stringify({ text: "x".repeat(1024 * 1024), version: "" }),
    });
    expect(large.status).toBe(413);
    for (const body of ["[]", "{", '"x"', `{"text":1}`]) {
      const { status } = await ui.fetch("/ui/api/config/check", {
        method: "POST",
        headers: { ...json, "x-workbench-csrf": ui.csrf },
        body,
      });
      expect(status).toBe(400);
    }
  });
});

describe("an access token", () => {
  it("does not reach the dashboard, with or without a session", async () => {
    const token = await addToken(workbench, "ci");
    const bearer = { authorization: `Bearer ${token}` };
    const nothing = await ui.fetch("/nothing", { headers: bearer });
    for (const path of ["/ui/", "/ui/app.js", "/ui/api/overview", "/ui/events"]) {
      const { status, body } = await ui.fetch(path, { headers: bearer });
      expect(status).toBe(404);
      expect(JSON.stringify(body)).toBe(JSON.stringify(nothing.body).replace("/nothing", path));
    }
    const wrong = await ui.fetch("/ui/", {
      headers: { authorization: "Bearer wrong-token-123456" },
    });
    expect(wrong.status).toBe(401);
    const owner = await ui.fetch("/ui/api/overview", {
      headers: { authorization: `Bearer ${workbench.token ?? ""}`, cookie: "" },
    });
    expect(owner.status).toBe(401);
    await ui.post("/ui/api/tokens/revoke", { name: "ci" });
  });
});

describe("servers, tools and calls", () => {
  it("are shown, restarted and tried, and pages see it live", async () => {
    const events = await ui.events(perOne);
    expect(await events.when("hello")).toMatchObject({ pid: workbench.pid });

    const fx = { toolbox: "dev", server: "fx" };
    const restarted = await ui.post("/ui/api/server/restart", fx);
    expect(restarted.body).toMatchObject({ ...fx, state: "ready", kind: "local" });
    const { pid } = restarted.body;
    const local = await ui.post("/ui/api/server/sign-in", fx);
    expect([local.status, local.body.error?.message]).toEqual([
      409,
      "This server needs no sign-in",
    ]);
    await events.when("servers", ({ servers }) => servers.some((one) => one.pid === pid));
    const again = await ui.post("/ui/api/server/restart", fx);
    expect(again.body.pid).not.toBe(pid);
    expect((await ui.post("/ui/api/server/restart", { ...fx, server: "no" })).status).toBe(404);

    const { body: page } = await ui.get("/ui/api/servers", { q: "FX", state: "ready" });
    expect(page).toMatchObject({ total: 1, toolboxes: [{ name: "dev", servers: 2 }] });
    expect((await ui.get("/ui/api/servers", { state: "odd" })).status).toBe(400);
    expect((await ui.get("/ui/api/servers", { offset: "1", limit: "1" })).body).toMatchObject({
      total: 2,
      offset: 1,
      items: [{ server: "changing" }],
    });
    const detail = await ui.get("/ui/api/server", fx);
    expect(detail.body.target).toContain("tools-server.mjs");
    expect(JSON.stringify(detail.body)).not.toContain(SECRET);
    expect((await ui.get("/ui/api/server", { toolbox: "dev" } as never)).status).toBe(400);

    const found = await ui.get("/ui/api/tools", { q: "echo" });
    expect(found.body.items[0]).toMatchObject({ ...fx, name: "echo" });
    const all = await ui.get("/ui/api/tools", { ...fx, limit: "3" });
    expect(all.body.items).toHaveLength(3);
    expect(all.body.total).toBeGreaterThan(3);
    const tool = await ui.get("/ui/api/tool", { ...fx, name: "echo" });
    expect(tool.body).toMatchObject({ class: "destructive", policy: "allow", name: "echo" });
    expect(tool.body.inputSchema).toMatchObject({ type: "object" });
    expect((await ui.get("/ui/api/tool", { ...fx, name: "none" })).status).toBe(404);

    const tried = await ui.post("/ui/api/tool/call", {
      ...fx,
      name: "echo",
      arguments: { text: MARKUP },
    });
    expect(tried.body).toMatchObject({ outcome: "ok", error: null, blocks: [{ text: MARKUP }] });
    expect(tried.headers.get("content-type")).toBe("application/json");
    const failed = await ui.post("/ui/api/tool/call", { ...fx, name: "none", arguments: {} });
    expect(failed.body).toMatchObject({ outcome: "error", error: { code: "tool-not-found" } });
    const odd = await ui.post("/ui/api/tool/call", { ...fx, name: "echo", arguments: [] as never });
    expect(odd.status).toBe(400);
    const [sent] = workbench.witness("dev", "fx").callsOf("echo");
    expect(sent?.raw).toContain(`"arguments":${JSON.stringify({ text: MARKUP })}`);
    const audited = await waitFor(
      () => auditRows(workbench).find(({ tool: name }) => name === "echo"),
      GENEROUS_MS,
      "the entry of the call",
    );
    expect(audited).toMatchObject({
      principal: { kind: "owner" },
      client: { name: "mcp-workbench-dashboard" },
      outcome: "ok",
    });

    const { calls } = await events.when("calls", (event) =>
      event.calls.some(({ subject, state }) => subject === "echo" && state === "ok"),
    );
    const call = calls.find(({ subject }) => subject === "echo");
    expect(call).toMatchObject({ principal: { kind: "owner", name: "owner" }, ...fx, code: null });
    expect(call?.tokensOut).toBeGreaterThan(0);
    expect(call?.bytesOut).toBeGreaterThan(0);
    const shown = await ui.get("/ui/api/call", { id: call?.id ?? "" });
    expect(shown.body.arguments).toContain("onerror");
    expect(shown.body.result).toContain("onerror");
    const failures = await ui.get("/ui/api/calls", { state: "failed", q: "none" });
    expect(failures.body.items).toMatchObject([{ subject: "none", state: "error" }]);
    expect((await ui.get("/ui/api/call", { id: "0" })).status).toBe(404);
    expect((await ui.get("/ui/api/overview")).body).toMatchObject({
      toolboxes: 1,
      servers: { ready: 1 },
      savedTokens: expect.any(Number),
    });
    expect((await ui.get("/ui/api/savings")).body.isCounting).toBe(true);
  });

  it("show what other clients do, and what is logged", async () => {
    const events = await ui.events(perOne);
    await events.when("hello");
    const client = clientWith(workbench, workbench.token ?? "");
    await client.initialize();
    await client.ask("tools/call", useToolParams("dev/fx/echo", { text: SECRET }));
    const { calls } = await events.when("calls", (event) =>
      event.calls.some(({ state, client: by }) => state === "ok" && by?.name === "http-client"),
    );
    const { body } = await ui.get("/ui/api/call", { id: calls.at(-1)?.id ?? "" });
    expect(body.arguments).not.toContain(SECRET);

    workbench.writeConfig(readFileSync(workbench.configFile, "utf8").replace("info", "debug"));
    await events.when("log", ({ lines }) =>
      lines.some(({ text }) => text.includes("configuration applied")),
    );
    await events.when("changed", ({ topics }) => topics.includes("config"));
    const { body: logs } = await ui.get("/ui/api/logs", { level: "info", q: "applied" });
    expect(logs.lines).toMatchObject([{ level: "info" }]);
    expect((await ui.get("/ui/api/logs", { level: "loud" })).status).toBe(400);
  });
});

describe("approvals and definitions", () => {
  it("are answered in the dashboard, and calls wait for that", async () => {
    const since = Date.now();
    const events = await ui.events(perOne);
    await events.when("hello");
    await untilCallsWait(workbench, since);
    const risky = { toolbox: "dev", server: "changing", name: "risky" };
    const asks = (): ReturnType<typeof ui.post<"/ui/api/tool/call">> =>
      ui.post("/ui/api/tool/call", { ...risky, arguments: {} });
    const waiting = asks();
    const pending = await waitFor(
      async () => (await ui.get("/ui/api/approvals")).body.pending[0],
      GENEROUS_MS,
      "the question",
    );
    expect(pending).toMatchObject({ client: "owner", tool: "risky" });
    await events.when("changed", ({ topics }) => topics.includes("approvals"));
    const { id } = pending;
    const answer = (decision: "always" | "deny") =>
      ui.post("/ui/api/approvals/answer", { id, decision });
    expect((await ui.post("/ui/api/approvals/answer", { id, decision: "x" as never })).status).toBe(
      400,
    );
    expect((await answer("always")).status).toBe(200);
    expect((await waiting).body).toMatchObject({
      outcome: "ok",
      text: expect.stringContaining("called"),
    });
    expect((await answer("deny")).status).toBe(404);
    const { body } = await ui.get("/ui/api/approvals");
    expect(body.always).toMatchObject([{ tool: "risky", sameArgumentsOnly: false }]);
    const left = await ui.post("/ui/api/approvals/withdraw", { id: body.always[0]?.id ?? "" });
    expect(left.body.always).toEqual([]);
    expect((await ui.post("/ui/api/approvals/withdraw", { id })).status).toBe(404);
  });

  it("are compared, and approved only as they were shown", async () => {
    const events = await ui.events(perOne);
    const at = { toolbox: "dev", server: "changing" };
    expect((await ui.get("/ui/api/pins")).body).toMatchObject({ mode: "off", hasFile: false });
    const fresh = await ui.get("/ui/api/pins/diff", at);
    expect(fresh.body.differences.map(({ change }) => change)).toContain("added");
    const trust = (digest: string) => ui.post("/ui/api/pins/trust", { ...at, digest });
    expect((await trust("0")).status).toBe(409);
    expect((await trust(fresh.body.digest)).body.differences).toEqual([]);

    server.define({
      tools: [{ ...TOOL, description: "It reads." }],
      instructions: MARKUP,
    });
    await waitFor(
      async () =>
        (await ui.get("/ui/api/pins")).body.servers.some(({ state }) => state === "changed"),
      GENEROUS_MS,
      "the change",
    );
    await events.when("changed", ({ topics }) => topics.includes("pins"));
    const changed = await ui.get("/ui/api/pins/diff", at);
    expect(changed.body.differences).toMatchObject([
      { what: "tools", name: "risky", change: "changed", values: [{ path: "description" }] },
    ]);
    expect((await trust(fresh.body.digest)).status).toBe(409);
    expect((await trust(changed.body.digest)).status).toBe(200);
    const { body: pins } = await ui.get("/ui/api/pins");
    expect(pins.servers).toMatchObject([{ state: "new" }, { ...at, state: "same", approved: 1 }]);
    expect((await ui.get("/ui/api/pins/diff", { ...at, server: "none" })).status).toBe(404);
  });
});

describe("access tokens", () => {
  it("are created, replaced and revoked, and shown once", async () => {
    const created = await ui.post("/ui/api/tokens/create", {
      name: "laptop",
      toolboxes: ["dev"],
      readOnly: true,
      expires: "30d",
    });
    expect(created.body.token).toMatch(/^mwb_/);
    expect(created.body.tokens).toMatchObject([{ name: "laptop", readOnly: true, expired: false }]);
    const client = clientWith(workbench, created.body.token);
    expect((await client.initialize()).status).toBe(200);
    const list = JSON.stringify((await ui.get("/ui/api/tokens")).body);
    expect(list).not.toContain(created.body.token.slice(-43));
    for (const body of [
      { name: "laptop" },
      { name: "x", toolboxes: ["none"] },
      { name: "y", expires: "soon" },
      { name: "" },
    ])
      expect((await ui.post("/ui/api/tokens/create", body)).status).toBe(400);
    const replaced = await ui.post("/ui/api/tokens/rotate", { name: "laptop" });
    expect(replaced.body.token).not.toBe(created.body.token);
    expect((await ui.post("/ui/api/tokens/revoke", { name: "laptop" })).body.tokens).toEqual([]);
    expect((await ui.post("/ui/api/tokens/revoke", { name: "laptop" })).status).toBe(400);
  });
});

describe("the configuration", () => {
  const text = (): string => readFileSync(workbench.configFile, "utf8");

  it("is shown without secrets, checked, saved with a backup, and undone", async () => {
    const before = text();
    const { body: view } = await ui.get("/ui/api/config");
    expect(view).toMatchObject({ file: workbench.configFile, isInEffect: true, proposals: [] });
    expect(view.text).toContain("«secret 1»");
    expect(view.text).not.toContain(SECRET);

    const { version } = view;
    const broken = view.text.replace('"countTokens"', '"countTokns"');
    const plan = await ui.post("/ui/api/config/check", { text: broken, version });
    expect(plan.body.problems).toMatchObject([{ severity: "error", line: 1 }]);
    expect((await ui.post("/ui/api/config/save", { text: broken, version })).status).toBe(422);

    const edited = view.text.replace("Tools for tests", "Changed in the dashboard");
    const good = await ui.post("/ui/api/config/check", { text: edited, version });
    expect(good.body).toMatchObject({ problems: [], confirm: [] });
    expect(good.body.diff).toContain("Changed in the dashboard");
    expect(good.body.diff).not.toContain(SECRET);
    const saved = await ui.post("/ui/api/config/save", { text: edited, version });
    expect(saved.body.proposal).toBeNull();
    expect(readFileSync(saved.body.backup ?? "", "utf8")).toBe(before);
    expect(text()).toBe(before.replace("Tools for tests", "Changed in the dashboard"));
    await waitFor(
      async () =>
        (await ui.get("/ui/api/servers")).body.toolboxes[0]?.description ===
        "Changed in the dashboard",
      GENEROUS_MS,
      "the change to be applied",
    );
    expect((await ui.post("/ui/api/config/save", { text: edited, version })).status).toBe(409);

    const { undo } = saved.body.view;
    expect(undo).toMatchObject({
      what: "dashboard",
      diff: expect.stringContaining("Tools for tests"),
    });
    expect((await ui.post("/ui/api/config/undo", { at: "then" })).status).toBe(409);
    expect((await ui.post("/ui/api/config/undo", { at: undo?.at ?? "" })).status).toBe(200);
    expect(text()).toBe(before);
  });

  it("gets new commands only after a confirmation in the terminal", async () => {
    const events = await ui.events(perOne);
    await events.when("hello");
    const before = text();
    const { body: view } = await ui.get("/ui/api/config");
    const added = view.text.replace(
      '"mcpServers":{',
      '"mcpServers":{"new":{"command":"touch","args":["owned"]},',
    );
    const change = { text: added, version: view.version };
    const plan = await ui.post("/ui/api/config/check", change);
    expect(plan.body.confirm).toEqual(["start dev/new: touch owned"]);
    const saved = await ui.post("/ui/api/config/save", change);
    const { proposal } = saved.body;
    expect(saved.body.backup).toBeNull();
    expect(proposal?.command).toBe(`mcp-workbench dashboard confirm ${proposal?.id ?? ""}`);
    expect(text()).toBe(before);
    const discarded = await ui.post("/ui/api/config/discard", { id: proposal?.id ?? "" });
    expect(discarded.body.proposals).toEqual([]);
    expect((await ui.post("/ui/api/config/discard", { id: proposal?.id ?? "" })).status).toBe(404);

    const { body: second } = await ui.post("/ui/api/config/save", change);
    const id = second.proposal?.id ?? "";
    const refused = runCommand(workbench, "dashboard", "confirm", id);
    expect(refused.stderr).toContain("--yes is required");
    expect(text()).toBe(before);
    const stateFile = join(workbench.env["XDG_STATE_HOME"] ?? "", "mcp-workbench");
    expect(readdirSync(stateFile)).toContain("dashboard-proposals.json");
    const confirmed = runCommand(workbench, "dashboard", "confirm", id, "--yes");
    expect(confirmed.stderr).toContain("start dev/new: touch owned");
    expect(confirmed.code).toBe(0);
    expect(text()).toContain('"touch"');
    expect(text()).toContain(SECRET);
    await waitFor(
      async () => (await ui.get("/ui/api/servers", { q: "new" })).body.total === 1,
      GENEROUS_MS,
      "the server",
    );
    await events.when("changed", ({ topics }) => topics.includes("servers"));
    expect(runCommand(workbench, "dashboard", "confirm", id, "--yes").code).not.toBe(0);

    // To remove it needs no confirmation; to undo that does.
    const { body: now } = await ui.get("/ui/api/config");
    const without = { text: view.text, version: now.version };
    const { body: removed } = await ui.post("/ui/api/config/save", without);
    expect(text()).toBe(before);
    const { body: back } = await ui.post("/ui/api/config/undo", {
      at: removed.view.undo?.at ?? "",
    });
    expect(back.proposals).toMatchObject([{ confirm: ["start dev/new: touch owned"] }]);
    expect(text()).toBe(before);
    const again = back.proposals[0]?.id ?? "";
    const { stdout } = runCommand(workbench, "dashboard", "confirm", again, "--yes", "--json");
    const printed = Object.keys(JSON.parse(stdout) as object);
    expect(printed.toSorted()).toEqual(["backup", "changed", "diff", "file"]);
  });
});

describe("the dashboard of a shared workbench", () => {
  it("listens on this machine from the first link on, and shows what all clients use", async () => {
    const shared = new SharedPlace(perOne, dev({ fx: fixture() }));
    const client = await shared.client(perOne);
    const pid = await serverPid(client);
    const link = dashboardLink(shared.place);
    const { origin } = new URL(link);
    expect(origin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const page = new UiClient(origin);
    expect((await page.login(link)).body.pid).toBe(shared.record.pid);
    expect((await page.get("/ui/api/servers")).body.items).toMatchObject([{ pid, state: "ready" }]);
    expect((await page.get("/ui/api/overview")).body.sessions).toBe(1);
    const tried = await page.post("/ui/api/tool/call", {
      toolbox: "dev",
      server: "fx",
      name: "status",
      arguments: {},
    });
    expect(tried.body.outcome).toBe("ok");
    // A tool is tried in the process that all clients use.
    expect(tried.body.blocks[0]?.text).toContain(`"pid":${pid},`);
    expect(shared.place.witness("dev", "fx").starts).toBe(1);
    for (const path of ["/mcp", "/api/status", "/healthz", "/metrics"])
      expect((await page.fetch(path)).status).toBe(404);
    const events = await page.events(perOne);
    await events.when("hello");
    expect(runCommand(shared.place, "stop").code).toBe(0);
    expect(await events.when("bye")).toEqual({ type: "bye", reason: "shutdown" });
  });
});
