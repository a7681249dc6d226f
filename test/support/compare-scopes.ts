/**
 * What a token may not use does not exist for it. A workbench with servers that the token may not use
 * is compared, byte for byte, with one in which these servers were never configured.
 */
import { Agent, request } from "node:http";
import { describe, expect, it } from "vitest";
import { encodeHeaderValue } from "../../src/wire/header-value.ts";
import { useToolParams } from "./calls.ts";
import { addToken, clientWith } from "./access-tokens.ts";
import { perBlock } from "./disposables.ts";
import { type Answer, type Begun, HttpClient, type HeaderMap } from "./http-client.ts";
import { waitFor } from "./proc.ts";
import { GENEROUS_MS } from "./raw-client.ts";
import { type HttpWorkbench, startHttpWorkbench } from "./http-workbench.ts";
import { type Config, toolbox } from "./servers.ts";
import { receivedBy, witnessedServer } from "./witnessed-server.ts";

type Mode = "proxy" | "dynamic";
type Attempt = readonly [method: string, params: Readonly<Record<string, unknown>>];

const LIMITS = { toolboxes: ["dev"], servers: ["lab/open2"] };
const HIDDEN = [
  ["ops", "vault"],
  ["lab", "hidden"],
] as const;
const DEVELOPMENT = "For development";

/** Both workbenches have `dev/open` and `lab/open2`; one has more, which the token may not use. */
function config(cleanup: ReturnType<typeof perBlock>, mode: Mode, isWhole: boolean): Config {
  const server = (name: string) => ({ [name]: witnessedServer(cleanup, name) });
  return {
    toolMode: mode,
    toolboxes: {
      ...(isWhole && { ops: toolbox(server("vault"), "Vault of the operators") }),
      dev: toolbox(server("open"), DEVELOPMENT),
      lab: toolbox({ ...(isWhole && server("hidden")), ...server("open2") }, "For experiments"),
    },
  };
}

/** Ways to write the names of what is hidden. */
const SPELLINGS: readonly (readonly [toolbox: string, server: string])[] = [
  ...HIDDEN,
  ["OPS", "vault"],
  ["ops", "VAULT"],
  ["ops", "vaul"],
  ["ops ", "vault"],
  ["ops", "vault\u0000"],
  ["dev/../ops", "vault"],
  ["..", "ops/vault"],
  ["%6fps", "%76ault"],
  ["\uff4fps", "vault"],
  ["o\u200bps", "vault"],
  ["dev", "vault"],
  ["dev", "hidden"],
  ["lab", "Hidden"],
  ["lab", "open2/../hidden"],
  ["lab", "hidden/"],
  ["__proto__", "vault"],
];

function attempts(legacy: boolean, spellings: number): readonly Attempt[] {
  const call = (name: string, args: object = {}): Attempt => [
    "tools/call",
    { name, arguments: args },
  ];
  const byName = SPELLINGS.slice(0, spellings).flatMap(([box, server]): Attempt[] => {
    const native = `${box}__${server}__`;
    const uri = `workbench://${box}/${server}/note://${server}/1`;
    return [
      ["tools/call", useToolParams(`${box}/${server}/hello`, {})],
      call("use_tool", { tool: { toolbox: box, server, name: "hello" }, arguments: {} }),
      call("use_tool", { tool: `${native}hello`, arguments: {} }),
      call("use_tool", { toolbox: box, server, tool: "hello" }),
      call("use_tool", { tool: { toolbox: box, server, name: "none" }, arguments: {} }),
      call(`${native}hello`),
      call("open_toolbox", { toolbox: box }),
      call("open_toolbox", { toolbox: `${box}/${server}` }),
      call("open_toolbox", { toolbox: server }),
      call("close_toolbox", { toolbox: box }),
      call("search_tools", { query: `hello ${server}`, toolbox: box }),
      ["prompts/get", { name: `${native}greet` }],
      ["resources/read", { uri }],
      ["resources/read", { uri: `workbench://${box}/${server}` }],
      ["completion/complete", completion({ type: "ref/prompt", name: `${native}greet` })],
      ["completion/complete", completion({ type: "ref/resource", uri })],
      ...(legacy ? ([["resources/subscribe", { uri }]] as const) : []),
    ];
  });
  const tasks = ["vault-task-1", "hidden-task-1", "open-task-1"].flatMap((taskId): Attempt[] =>
    ["tasks/get", "tasks/result", "tasks/cancel"].map((method) => [method, { taskId }]),
  );
  const queries = ["hello", "vault", "hidden", "Lets vault hello", "let open wait", "zzz"];
  return [
    ...["tools", "prompts", "resources"].map((kind): Attempt => [`${kind}/list`, {}]),
    ["resources/templates/list", {}],
    ...(legacy ? ([["tasks/list", {}]] as const) : []),
    ...queries.flatMap((query): Attempt[] => [
      call("search_tools", { query }),
      call("search_tools", { query, limit: 50, detail: "full" }),
    ]),
    call("open_toolbox", { toolbox: "dev" }),
    call("open_toolbox", { toolbox: "lab" }),
    ...byName,
    ...tasks,
    call("hello"),
    call("use_tool", { tool: "hello" }),
    ["resources/read", { uri: "note://vault/1" }],
    ["resources/read", { uri: "note://hidden/7" }],
    ["resources/read", { uri: "note://open/1" }],
    ["completion/complete", completion({ type: "ref/resource", uri: "note://vault/{id}" })],
    ["tools/call", useToolParams("dev/open/hello", {})],
    ["tools/call", useToolParams("lab/open2/hello", {})],
    call("dev__open__hello"),
    ["prompts/get", { name: "lab__open2__greet" }],
    ["resources/read", { uri: "workbench://dev/open/note://open/1" }],
  ];
}

const completion = (ref: object): object & Record<string, unknown> => ({
  ref,
  argument: { name: "x", value: "" },
});

/** The name in the parameters, as a header that can carry any character. */
function named({ name, uri, taskId }: Attempt[1]): HeaderMap {
  const value = name ?? uri ?? taskId;
  return typeof value === "string" ? { "mcp-name": encodeHeaderValue(value) } : {};
}

/** Everything a client can see of an answer, except the time and the id of its session. */
function seen({ status, headers, text }: Answer): object {
  const { date: _, "mcp-session-id": id, ...others } = headers;
  return { status, headers: { ...others, session: id !== undefined }, text };
}

/** Sends a path that no URL parser has changed. */
function send(
  { port }: HttpWorkbench,
  token: string,
  path: string,
  method: string,
  body?: object,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? "" : JSON.stringify(body);
    const isModern = text.includes("server/discover");
    const outgoing = request({ host: "127.0.0.1", port, path, method, agent: false });
    outgoing.setHeader("authorization", `Bearer ${token}`);
    outgoing.setHeader("accept", "application/json, text/event-stream");
    if (body !== undefined) outgoing.setHeader("content-type", "application/json");
    else outgoing.setHeader("mcp-session-id", "0123456789abcdef0123456789abcdef");
    if (isModern) outgoing.setHeader("mcp-protocol-version", "2026-07-28");
    if (isModern) outgoing.setHeader("mcp-method", "server/discover");
    outgoing.on("error", reject);
    outgoing.on("response", (response) => {
      let read = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (read += chunk));
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text: read }),
      );
    });
    outgoing.end(text);
  });
}

const PATHS = [
  "/mcp/ops",
  "/mcp/ops/vault",
  "/mcp/lab/hidden",
  "/mcp/OPS/vault",
  "/mcp/ops/VAULT",
  "/mcp/ops/",
  "/mcp/ops/vault/",
  "/mcp//ops",
  "/mcp//ops/vault",
  "//mcp/ops",
  "/mcp/ops//vault",
  "/mcp/./ops",
  "/mcp/dev/../ops",
  "/mcp/dev/../ops/vault",
  "/mcp/lab/open2/../hidden",
  "/mcp/%6fps/%76ault",
  "/mcp/%256fps",
  "/mcp/ops%2Fvault",
  "/mcp/lab/open2%2F..%2Fhidden",
  "/mcp/lab%2fhidden",
  "/mcp/ops%00",
  "/mcp/ops%00/vault",
  "/mcp/%EF%BD%8Fps/vault",
  "/mcp/o%E2%80%8Bps",
  "/mcp/%C0%AFops",
  "/mcp/%zz",
  "/mcp/ops?toolbox=dev",
  "/mcp/ops;dev/vault",
  "/mcp/ops/vault#x",
  "/mcp/dev/vault",
  "/mcp/dev/hidden",
  "/mcp/__proto__",
  "/mcp/__proto__/vault",
  "/mcp/constructor/name",
  "/MCP/ops",
  "/mcp\\ops",
  "/api/status",
  "/mcp/vault",
  "/mcp/hidden",
];

const CLIENT_INFO = { name: "http-client", version: "1.0.0" };
const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: CLIENT_INFO },
};
const DISCOVER = {
  jsonrpc: "2.0",
  id: 1,
  method: "server/discover",
  params: {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
      "io.modelcontextprotocol/clientInfo": CLIENT_INFO,
    },
  },
};

/** Compares the two workbenches: at these paths, with this many spellings of every hidden name. */
export function compareScopes(mode: Mode, paths: readonly string[], spellings: number): void {
  describe(`a limited token in ${mode} mode`, () => {
    compare(mode, paths, spellings);
  });
}

function compare(mode: Mode, paths: readonly string[], spellings: number): void {
  const cleanup = perBlock();

  /** The workbench with hidden servers, and the one without, each with the client's token. */
  interface Rig {
    readonly whole: HttpWorkbench;
    readonly part: HttpWorkbench;
    readonly token: string;
    readonly partToken: string;
  }
  let started: Promise<Rig> | undefined;
  const rig = (): Promise<Rig> => (started ??= start());

  async function start(): Promise<Rig> {
    const [whole, part] = await Promise.all([
      startHttpWorkbench(cleanup, config(cleanup, mode, true)),
      startHttpWorkbench(cleanup, config(cleanup, mode, false)),
    ]);
    const token = await addToken(whole, "limited", LIMITS);
    const partToken = await addToken(part, "unlimited");
    // The owner uses what is hidden: it runs, its tools are known, and it has tasks.
    const owner = whole.client();
    await owner.initialize();
    for (const [box, server] of [...HIDDEN, ["dev", "open"]]) {
      await owner.ask("tools/call", { name: "open_toolbox", arguments: { toolbox: box } });
      const at = whole.client(`/mcp/${box}/${server}`);
      await at.initialize();
      await at.ask("tools/call", { name: "begin", arguments: {}, task: { ttl: 60_000 } });
    }
    await owner.ask("tools/call", { name: "search_tools", arguments: { query: "hello" } });
    // The workbench lists what else a new server has, in the background.
    const isListed = (): boolean =>
      HIDDEN.every(([box, server]) =>
        ["prompts/list", "resources/list", "resources/templates/list"].every((method) =>
          receivedBy(whole, box, server).some((line) => line.includes(method)),
        ),
      );
    await waitFor(isListed, GENEROUS_MS, "the lists of the hidden servers");
    return { whole, part, token, partToken };
  }

  const hiddenLines = (whole: HttpWorkbench): number =>
    HIDDEN.reduce((sum, [box, server]) => sum + receivedBy(whole, box, server).length, 0);

  const pathsOf = (path: string, { whole, part, token, partToken }: Rig): HttpClient[] => {
    const clients = [clientWith(whole, token, path), clientWith(part, partToken, path)];
    for (const client of clients) {
      const agent = new Agent({ keepAlive: true });
      client.agent = agent;
      cleanup.defer(() => agent.destroy());
    }
    return clients;
  };

  it.each(paths)("gets the same answers at %s as if nothing else were configured", async (path) => {
    const both = await rig();
    const before = hiddenLines(both.whole);
    const legacy = pathsOf(path, both);
    const hello = await Promise.all(legacy.map((client) => client.initialize()));
    expect(seen(hello[0] as Answer)).toEqual(seen(hello[1] as Answer));
    expect(hello[0]?.status).toBe(200);
    // Each finds out about the servers first.
    for (const client of legacy)
      for (const name of ["dev", "lab"])
        await client.ask("tools/call", { name: "open_toolbox", arguments: { toolbox: name } });
    for (const [method, params] of attempts(true, spellings)) {
      const [got, expected] = await Promise.all(
        legacy.map((client) => client.request(method, params).done()),
      );
      expect({ method, params, ...seen(got as Answer) }).toEqual({
        method,
        params,
        ...seen(expected as Answer),
      });
    }
    const modern = pathsOf(path, both);
    for (const [method, params] of [
      ["server/discover", {}],
      ...attempts(false, spellings),
    ] as Attempt[]) {
      const [got, expected] = await Promise.all(
        modern.map((client) => client.modern(method, params, { headers: named(params) }).done()),
      );
      expect({ method, params, ...seen(got as Answer) }).toEqual({
        method,
        params,
        ...seen(expected as Answer),
      });
    }
    expect(hiddenLines(both.whole)).toBe(before);
    expect(receivedBy(both.whole, "dev", "open").length).toBeGreaterThan(0);
  });

  it("cannot name hidden servers in the path, in any spelling", async () => {
    const both = await rig();
    const { whole, part, token, partToken } = both;
    const before = hiddenLines(whole);
    for (const path of PATHS)
      for (const [method, body] of [
        ["POST", INITIALIZE],
        ["POST", DISCOVER],
        ["GET", undefined],
        ["DELETE", undefined],
        ["PUT", undefined],
      ] as const) {
        const [got, expected] = await Promise.all([
          send(whole, token, path, method, body),
          send(part, partToken, path, method, body),
        ]);
        expect({ path, method, ...seen(got) }).toEqual({ path, method, ...seen(expected) });
        expect(got.status).toBeGreaterThanOrEqual(400);
      }
    expect(hiddenLines(whole)).toBe(before);
  });

  it("cannot subscribe to what is hidden", async () => {
    const both = await rig();
    const before = hiddenLines(both.whole);
    const uris = ["dev/open", "lab/open2", "lab/hidden", "ops/vault"].map(
      (place) => `workbench://${place}/note://${place.split("/")[1]}/1`,
    );
    const notifications = {
      toolsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: [...uris, "note://vault/1"],
    };
    const streams = pathsOf("/mcp", both).map((client) =>
      client.modern("subscriptions/listen", { notifications }),
    );
    const [got, expected] = await Promise.all(
      streams.map((stream) => stream.method("notifications/subscriptions/acknowledged")),
    );
    expect(got).toEqual(expected);
    expect(JSON.stringify(got)).not.toMatch(/vault|hidden/);
    for (const stream of streams) stream.hangUp();
    expect(hiddenLines(both.whole)).toBe(before);
  });

  it("is not notified of changes to what is hidden", async () => {
    const { whole, token } = await rig();
    const owner = whole.client();
    const limited = clientWith(whole, token);
    for (const client of [owner, limited]) {
      await client.initialize();
      await client.ask("tools/list");
      await client.ask("tools/call", { name: "open_toolbox", arguments: { toolbox: "dev" } });
    }
    const listen = (client: HttpClient): Begun[] => [
      client.listen(),
      client.modern("subscriptions/listen", { notifications: { toolsListChanged: true } }),
    ];
    const [ofOwner, ofLimited] = [listen(owner), listen(limited)];
    await Promise.all([...ofOwner, ...ofLimited].map((stream) => stream.head()));
    for (const [, modern] of [ofOwner, ofLimited])
      await modern?.method("notifications/subscriptions/acknowledged");
    const changes = (stream: Begun): number =>
      stream.messages.filter(({ method }) => method === "notifications/tools/list_changed").length;
    const initial = ofLimited.map(changes);
    const changed = async (streams: readonly Begun[], before: readonly number[]): Promise<void> => {
      for (const [i, stream] of streams.entries())
        await stream.when(
          () => (changes(stream) > (before[i] ?? 0) ? true : undefined),
          "notification about tools",
        );
    };

    const next = config(cleanup, mode, true);
    const { ops, lab, dev } = next.toolboxes as Record<string, ReturnType<typeof toolbox>>;
    const hidden = { ...lab?.mcpServers["hidden"], toolFilters: ["hello"] };
    const servers = { ...lab?.mcpServers, hidden } as ReturnType<typeof toolbox>["mcpServers"];
    const withHidden = {
      ...next.toolboxes,
      ops: toolbox(ops?.mcpServers ?? {}, "Changed"),
      lab: toolbox(servers, "For experiments"),
    };
    const ownerBefore = ofOwner.map(changes);
    whole.writeConfig({ ...next, toolboxes: withHidden });
    await changed(ofOwner, ownerBefore);

    const open = { ...dev?.mcpServers["open"], toolFilters: ["!warn", "*"] };
    const visible = toolbox({ open } as ReturnType<typeof toolbox>["mcpServers"], "Changed, too");
    whole.writeConfig({ ...next, toolboxes: { ...withHidden, dev: visible } });
    await changed(ofLimited, initial);
    // Notifications that are sent for the first change would have come before.
    await limited.ask("ping");
    expect(ofLimited.map((stream, i) => changes(stream) - (initial[i] ?? 0))).toEqual([1, 1]);
    for (const stream of [...ofOwner, ...ofLimited]) stream.hangUp();
  });
}
