/** What belongs to one principal does not exist for the others, and ends with its token. */
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { useToolParams } from "../support/calls.ts";
import {
  accessTokenFile,
  addToken,
  clientWith,
  removeToken,
  replaceToken,
} from "../support/access-tokens.ts";
import { perBlock, perTest } from "../support/disposables.ts";
import {
  type Answer,
  type Begun,
  exchange,
  type HttpClient,
  type Message,
  messagesIn,
} from "../support/http-client.ts";
import { type HttpWorkbench, startHttpWorkbench } from "../support/http-workbench.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { toolbox, withOptions } from "../support/servers.ts";
import { receivedBy, witnessedServer } from "../support/witnessed-server.ts";

const cleanup = perTest();
const CAPABILITIES = { elicitation: {} };
/** Servers that ask something must not have other calls at the same time. */
const SERVERS = ["fx", "asking", "parking"];
const NO_SUCH_SESSION = "0123456789abcdef0123456789abcdef";

const start = (disposables = cleanup, http = {}): Promise<HttpWorkbench> =>
  startHttpWorkbench(disposables, {
    http,
    toolboxes: {
      dev: toolbox(
        Object.fromEntries(SERVERS.map((name) => [name, witnessedServer(disposables, name)])),
      ),
    },
  });

async function session(workbench: HttpWorkbench, token: string, path?: string) {
  const client = clientWith(workbench, token, path);
  await client.initialize(undefined, CAPABILITIES);
  return client;
}

/** Everything a client can see of an answer, except the time. */
function seen({ status, headers, text }: Answer): object {
  const { date: _, ...others } = headers;
  return { status, headers: others, text };
}

/** The calls of this tool that the server was asked to cancel. */
function cancelledCalls(workbench: HttpWorkbench): number {
  return linesWith(workbench, "notifications/cancelled");
}

const calls = (workbench: HttpWorkbench, tool: string): number =>
  linesWith(workbench, `"name":"${tool}"`);

/** How many lines with this text the servers have received. */
function linesWith(workbench: HttpWorkbench, text: string): number {
  const lines = SERVERS.flatMap((server) => receivedBy(workbench, "dev", server));
  return lines.filter((line) => line.includes(text)).length;
}

describe("another principal", () => {
  const shared = perBlock();
  let started: Promise<{ workbench: HttpWorkbench; own: string; other: string }> | undefined;
  const ready = () =>
    (started ??= (async () => {
      const workbench = await start(shared);
      const [own, other] = [await addToken(workbench, "own"), await addToken(workbench, "other")];
      return { workbench, own, other };
    })());

  it.each(["/mcp", "/mcp/dev", "/mcp/dev/fx"])(
    "gets the answer for an unknown session at %s, with every method",
    async (path) => {
      const { workbench, own, other } = await ready();
      const mine = await session(workbench, own, path);
      const ownStream = mine.listen();
      await ownStream.head();
      for (const token of [other, workbench.token as string]) {
        const stranger = clientWith(workbench, token, path);
        const attempts: ((id: string) => Promise<Answer>)[] = [
          (id) => stranger.request("ping", {}, { id: 1, headers: { "mcp-session-id": id } }).done(),
          (id) =>
            stranger.request("tools/list", {}, { id: 2, headers: { "mcp-session-id": id } }).done(),
          (id) =>
            stranger
              .post(
                { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } },
                { "mcp-session-id": id },
              )
              .done(),
          (id) =>
            stranger.post({ jsonrpc: "2.0", id: 1, result: {} }, { "mcp-session-id": id }).done(),
          (id) => stranger.listen({ "mcp-session-id": id }).done(),
          (id) => stranger.listen({ "mcp-session-id": id, "last-event-id": "1" }).done(),
          (id) => stranger.leave({ "mcp-session-id": id }),
        ];
        for (const attempt of attempts) {
          const answer = await attempt(mine.sessionId as string);
          expect(answer.status).toBe(404);
          expect(seen(answer)).toEqual(seen(await attempt(NO_SUCH_SESSION)));
        }
      }
      expect((await mine.ask("ping")).result).toEqual({});
      expect(ownStream.ended).toBe(false);
      ownStream.hangUp();
    },
  );

  it("cannot see tasks, in either era", async () => {
    const { workbench, own, other } = await ready();
    const [mine, stranger] = [await session(workbench, own), await session(workbench, other)];
    const begun = await mine.ask("tools/call", {
      ...useToolParams("dev/fx/begin", {}),
      task: { ttl: 60_000 },
    });
    const { taskId } = (begun.result as { task: { taskId: string } }).task;
    await stranger.ask("tools/call", useToolParams("dev/fx/hello", {}));
    expect((await stranger.ask("tasks/list")).result).toEqual({ tasks: [] });
    for (const method of ["tasks/get", "tasks/result", "tasks/cancel"])
      expect((await stranger.ask(method, { taskId })).error).toEqual({
        code: -32602,
        message: `Task "${taskId}" not found`,
      });
    // The same client name and version, which is all that distinguishes modern clients of a principal.
    const modern = clientWith(workbench, other, "/mcp/dev/fx");
    const answerTo = async (id: string): Promise<object> =>
      seen(await modern.modern("tasks/get", { taskId: id }, { id: 1 }).done());
    const asFor = (id: string, of: object): string => JSON.stringify(of).replaceAll(id, "ID");
    expect(asFor(taskId, await answerTo(taskId))).toBe(asFor("none", await answerTo("none")));
    expect((await mine.ask("tasks/result", { taskId })).result).toMatchObject({
      content: [{ text: `Result of ${taskId}` }],
    });
  });

  it("cannot answer or cancel what is going on", async () => {
    const { workbench, own, other } = await ready();
    const [mine, stranger] = [await session(workbench, own), await session(workbench, other)];
    const before = cancelledCalls(workbench);
    const call = mine.request("tools/call", useToolParams("dev/fx/ask", {}), { id: "same" });
    const question = await call.method("elicitation/create");
    await stranger.respond(question.id, { action: "accept", content: { sure: true } });
    await stranger.notify("notifications/cancelled", { requestId: "same" });
    await mine.respond(question.id, { action: "decline" });
    expect(messagesIn((await call.done()).text).at(-1)?.result).toMatchObject({
      content: [{ text: '{"action":"decline"}' }],
    });
    expect(cancelledCalls(workbench)).toBe(before);
  });

  it("cannot continue a parked call", async () => {
    const { workbench, own, other } = await ready();
    const [mine, stranger] = [clientWith(workbench, own), clientWith(workbench, other)];
    const ask = (client: HttpClient, more: object = {}): Promise<Answer> =>
      client
        .modern(
          "tools/call",
          { ...useToolParams("dev/fx/ask", {}), ...more },
          {
            id: 7,
            capabilities: CAPABILITIES,
          },
        )
        .done();
    const parked = resultOf(await ask(mine));
    const { requestState, inputRequests } = parked as {
      requestState: string;
      inputRequests: Record<string, unknown>;
    };
    const [key = ""] = Object.keys(inputRequests);
    const inputResponses = { [key]: { action: "accept", content: { sure: true } } };
    const before = calls(workbench, "ask");
    const made = requestState.replace(/[0-9a-f]{12}$/, "000000000000");
    const stolen = await ask(stranger, { requestState, inputResponses });
    expect(seen(stolen)).toEqual(seen(await ask(stranger, { requestState: made, inputResponses })));
    expect(calls(workbench, "ask")).toBe(before);
    expect(resultOf(await ask(mine, { requestState, inputResponses }))).toMatchObject({
      content: [{ text: '{"action":"accept","content":{"sure":true}}' }],
    });
  });

  it("does not get log messages about the calls of others", async () => {
    const { workbench, own, other } = await ready();
    const [mine, stranger] = [await session(workbench, own), await session(workbench, other)];
    // Both use the server, and the stranger wants to know everything.
    await stranger.ask("tools/call", useToolParams("dev/fx/hello", {}));
    await stranger.ask("logging/setLevel", { level: "debug" });
    const stream = stranger.listen();
    await stream.head();
    const ownStream = mine.listen();
    await ownStream.head();
    await mine.ask("tools/call", useToolParams("dev/fx/warn", {}));
    await ownStream.method("notifications/message");
    await stranger.ask("ping");
    expect(stream.messages.map(({ method }) => method)).not.toContain("notifications/message");
    for (const open of [stream, ownStream]) open.hangUp();
  });

  it("cannot use up the sessions of others", async () => {
    const workbench = await start(cleanup, { sessions: 2 });
    const [own, other] = [await addToken(workbench, "own"), await addToken(workbench, "other")];
    const mine = await session(workbench, own);
    for (let i = 0; i < 6; i++) await session(workbench, other);
    expect((await mine.ask("ping")).result).toEqual({});
    const ofOwner = await session(workbench, workbench.token as string);
    expect((await ofOwner.ask("ping")).result).toEqual({});
  });

  it("does not see the routes of the owner", async () => {
    const { workbench, own } = await ready();
    const get = (path: string, method: string): Promise<Answer> =>
      exchange(`${workbench.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${own}` },
      });
    for (const method of ["GET", "HEAD", "POST", "DELETE"]) {
      const [status, unknown] = [
        await get("/api/status", method),
        await get("/api/statuz", method),
      ];
      expect(status.status).toBe(404);
      const text = JSON.stringify(seen(status)).replaceAll("/api/status", "/api/statuz");
      expect(text).toBe(JSON.stringify(seen(unknown)));
    }
    expect((await get("/healthz", "GET")).status).toBe(200);
  });
});

const resultOf = ({ text }: Answer): Message["result"] => messagesIn(text).at(-1)?.result;

const endOf = (stream: Begun, what: string): Promise<boolean> =>
  waitFor(() => stream.ended, GENEROUS_MS, what);

describe("the end of a token", () => {
  it.each([
    ["revoked", removeToken],
    ["rotated", replaceToken],
  ])("ends its sessions, streams, calls and parked calls when it is %s", async (_how, end) => {
    const workbench = await start();
    const [own, other] = [await addToken(workbench, "own"), await addToken(workbench, "other")];
    const mine = await session(workbench, own);
    const theirs = await session(workbench, other);
    const modern = clientWith(workbench, own);
    const theirStream = theirs.listen();
    const theirCall = theirs.request("tools/call", useToolParams("dev/fx/wait", {}), {
      id: "theirs",
    });
    const streams = {
      "the stream of the session": mine.listen(),
      "the subscription": modern.modern("subscriptions/listen", {
        notifications: { toolsListChanged: true },
      }),
    };
    await Promise.all([...Object.values(streams), theirStream].map((stream) => stream.head()));
    const answered = {
      "the call of the session": mine.request("tools/call", useToolParams("dev/fx/wait", {})),
      "the modern call": modern.modern("tools/call", useToolParams("dev/fx/wait", {})),
      "the call that asks": mine.request("tools/call", useToolParams("dev/asking/ask", {})),
    };
    await answered["the call that asks"].method("elicitation/create");
    const parked = await modern
      .modern("tools/call", useToolParams("dev/parking/ask", {}), { capabilities: CAPABILITIES })
      .done();
    expect(resultOf(parked)).toMatchObject({ resultType: "input_required" });
    const all = (): boolean => calls(workbench, "wait") === 3 && calls(workbench, "ask") === 2;
    await waitFor(all, GENEROUS_MS, "all calls to reach the server");

    await end(workbench, "own");
    for (const [what, stream] of [...Object.entries(streams), ...Object.entries(answered)])
      await endOf(stream, what);
    for (const call of Object.values(answered))
      expect(messagesIn(call.text).at(-1)?.error).toMatchObject({
        message: "Unauthorized: the token is not valid",
      });
    await waitFor(() => cancelledCalls(workbench) === 4, GENEROUS_MS, "the calls to be cancelled");
    for (const answer of [await mine.request("ping").done(), await mine.leave()]) {
      expect(answer.status).toBe(401);
      expect(answer.headers["www-authenticate"]).toBe("Bearer");
    }

    expect((await theirs.ask("ping")).result).toEqual({});
    expect([theirStream.ended, theirCall.ended]).toEqual([false, false]);
    theirStream.hangUp();
    await theirs.notify("notifications/cancelled", { requestId: "theirs" });
    await theirCall.done();
  });

  it("comes before a request whose body is still arriving", async () => {
    const workbench = await start();
    const token = await addToken(workbench, "own");
    const { request } = await import("node:http");
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: {} });
    const outgoing = request(`${workbench.url}/mcp`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        "content-length": body.length,
        expect: "100-continue",
      },
    });
    await new Promise((resolve) => {
      outgoing.once("continue", resolve);
      outgoing.flushHeaders();
    });
    // The stream shows when the workbench knows about it.
    const stream = (await session(workbench, token)).listen();
    await stream.head();
    await removeToken(workbench, "own");
    await endOf(stream, "the end of the token");
    const status = new Promise((resolve) =>
      outgoing.once("response", ({ statusCode }) => resolve(statusCode)),
    );
    outgoing.end(body);
    expect(await status).toBe(401);
  });

  it("is the end of all tokens if the file cannot be trusted, but not of the owner's", async () => {
    const workbench = await start();
    const token = await addToken(workbench, "own");
    const mine = await session(workbench, token);
    const ofOwner = await session(workbench, workbench.token as string);
    const stream = mine.listen();
    await stream.head();
    const file = accessTokenFile(workbench);
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replace('"name"', '"nome"'));
    await endOf(stream, "the stream");
    expect((await mine.request("ping").done()).status).toBe(401);
    expect((await ofOwner.ask("ping")).result).toEqual({});
    const reported = `Cannot use the access tokens in ${file}: it is damaged`;
    await waitFor(() => workbench.stderr().includes(reported), GENEROUS_MS, "the reason");
    expect(workbench.stderr()).not.toContain(token);
    writeFileSync(file, text);
    chmodSync(file, 0o600);
    expect((await session(workbench, token)).sessionId).toBeDefined();
  });
});

describe("a token that may only read", () => {
  const shared = perBlock();
  let started: Promise<{ workbench: HttpWorkbench; token: string }> | undefined;
  const READ = { overrides: { hello: { class: "read" }, wait: { class: "write" } } };
  const ready = () =>
    (started ??= (async () => {
      const servers = {
        fx: withOptions(witnessedServer(shared, "fx"), READ),
        // Nothing is known about its tools.
        asking: witnessedServer(shared, "asking"),
      };
      const workbench = await startHttpWorkbench(shared, { toolboxes: { dev: toolbox(servers) } });
      return { workbench, token: await addToken(workbench, "reader", { readOnly: true }) };
    })());
  const called = (workbench: HttpWorkbench): string[] =>
    SERVERS.flatMap((server) => receivedBy(workbench, "dev", server)).filter((line) =>
      /"tools\/call"|acme/.test(line),
    );

  it.each(["legacy", "modern"] as const)(
    "calls only tools that read, as a %s client",
    async (era) => {
      const { workbench, token } = await ready();
      const before = called(workbench).length;
      const at = async (path?: string) => {
        const client = clientWith(workbench, token, path);
        if (era === "legacy") await client.initialize();
        return async (method: string, params = {}): Promise<Message> => {
          if (era === "legacy") return client.ask(method, params);
          return messagesIn((await client.modern(method, params).done()).text).at(-1) as Message;
        };
      };
      const ask = await at();
      const open = { name: "open_toolbox", arguments: { toolbox: "dev" } };
      const opened = await waitFor(
        async () => {
          const answer = JSON.stringify(await ask("tools/call", open));
          return !answer.includes("servers_starting") && answer;
        },
        GENEROUS_MS,
        "the servers to be started",
      );
      expect(opened).toContain("Lets fx hello");
      expect(opened).not.toMatch(/Lets fx (wait|warn|ask)|Lets asking/);
      const found = await ask("tools/call", { name: "search_tools", arguments: { query: "warn" } });
      expect(JSON.stringify(found)).not.toContain("Lets");
      for (const tool of ["fx/wait", "fx/warn", "fx/begin", "asking/hello", "fx/Hello"])
        expect((await ask("tools/call", useToolParams(`dev/${tool}`, {}))).result).toMatchObject({
          isError: true,
        });
      const ofServer = await at("/mcp/dev/fx");
      const { tools } = (await ofServer("tools/list")).result as { tools: { name: string }[] };
      expect(tools.map(({ name }) => name)).toEqual(["hello"]);
      for (const name of ["wait", "warn", "begin"]) {
        const { result, error } = await ofServer("tools/call", { name, arguments: {} });
        expect(error !== undefined || (result as { isError?: boolean }).isError).toBe(true);
      }
      for (const method of ["acme/delete", "tools/delete", "resources/delete", "tasks/delete"])
        expect((await ofServer(method, { name: "acme" })).error).toBeDefined();
      expect(called(workbench)).toHaveLength(before);

      const { result } = await ask("tools/call", useToolParams("dev/fx/hello", {}));
      expect(result).toMatchObject({ content: [{ text: "Called hello of fx" }] });
      const read = await ofServer("resources/read", { uri: "note://fx/1" });
      expect(read.result).toMatchObject({ contents: [{ text: "Read by fx" }] });
      expect(called(workbench)).toHaveLength(before + 1);
    },
  );

  it("sends servers no notifications of their own", async () => {
    const { workbench, token } = await ready();
    const before = called(workbench).length;
    for (const path of ["/mcp", "/mcp/dev/fx"]) {
      const client = await session(workbench, token, path);
      await client.ask("prompts/list");
      await client.notify("notifications/acme/delete", { all: true });
      await client.ask("resources/read", { uri: "workbench://dev/fx/note://fx/1" });
    }
    expect(called(workbench)).toHaveLength(before);
  });
});
