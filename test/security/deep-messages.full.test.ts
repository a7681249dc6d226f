/**
 * A message that cannot be handled fails for its sender, and for no one else. In the full suite
 * because it sends many messages of megabytes; the limits themselves have unit tests in `src/wire`.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { openToolbox, textOf, useTool, useToolParams } from "../support/calls.ts";
import { type Disposables, perTest } from "../support/disposables.ts";
import { messagesIn } from "../support/http-client.ts";
import { startHttpWorkbench } from "../support/http-workbench.ts";
import type { RawClient } from "../support/raw-client.ts";
import { scriptServer } from "../support/script-server.ts";
import { type ServerEntry, dev, fixture } from "../support/servers.ts";
import { startWorkbench } from "../support/workbench.ts";

const DEEP = 10_000;
const deepList = "[".repeat(DEEP) + "]".repeat(DEEP);
const deepObject = `${'{"a":'.repeat(DEEP)}1${"}".repeat(DEEP)}`;

const cleanup = perTest();

/** A server that writes something before it answers a call; `id` and `token` are those of the call. */
function saying(disposables: Disposables, line: string, answer?: string): ServerEntry {
  return scriptServer(
    disposables,
    `const deepList = "[".repeat(${DEEP}) + "]".repeat(${DEEP});
     const deepObject = '{"a":'.repeat(${DEEP}) + "1" + "}".repeat(${DEEP});
     const keys = Array.from({ length: 150_000 }, (_, i) => '"k' + i + '":1').join(",");
     const say = (text) => process.stdout.write(text + "\\n");
     process.stdin.on("data", (data) => {
       for (const line of String(data).split("\\n")) {
         if (!line.includes('"tools/call"')) continue;
         const { id, params } = JSON.parse(line);
         const token = JSON.stringify(params._meta?.progressToken ?? null);
         say(${line});
         say(${answer ?? '`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"done"}]}}`'});
       }
     });
     serve({ ...legacy({ tools: {}, logging: {} }), "tools/call": () => undefined });`,
  );
}

const LINES: Record<string, string> = {
  "progress with a deep message":
    '`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${token},"progress":1,"message":${deepList}}}`',
  "a deep log message":
    '`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":${deepObject}}}`',
  "a cancellation of a deep id":
    '`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${deepList}}}`',
  "a request with deep parameters":
    '`{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":${deepList}}}`',
  "a request with a deep id": '`{"jsonrpc":"2.0","id":${deepList},"method":"ping"}`',
  "a notification with too many members":
    '`{"jsonrpc":"2.0","method":"notifications/x","params":{${keys}}}`',
  "a notification of megabytes":
    '`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":"${"x".repeat(2_000_000)}"}}`',
};

const withProgress = { meta: { progressToken: "p" } };

describe("a server that sends", () => {
  it.each(Object.entries(LINES))("%s disturbs neither its calls nor others", async (_, line) => {
    const config = dev({ bad: saying(cleanup, line), good: fixture() });
    const { client } = await startWorkbench(cleanup, config, {
      capabilities: { elicitation: {}, sampling: {} },
    });
    expect(textOf(await useTool(client, "dev/bad/hello", {}, withProgress))).toBe("done");
    expect(textOf(await useTool(client, "dev/good/echo", { text: "fine" }))).toBe("fine");
    expect(client.notificationsOf("notifications/progress")).toEqual([]);
  });

  it.each([
    ["passes as it is", '"jsonrpc":"2.0","id":${id},"result":@', '"text":"deep"'],
    ["is refused if its id is hidden", '"result":@,"id":${id},"x":1', "over 128 levels deep"],
  ])("a deep answer %s", async (_, answer, expected) => {
    const content = '"content":[{"type":"text","text":"deep"}]';
    const nested = `{${content},"structuredContent":\${'{"a":'.repeat(2000)}1\${"}".repeat(2000)}}`;
    const bad = saying(cleanup, '""', `\`{${answer.replace("@", () => nested)}}\``);
    const { client } = await startWorkbench(cleanup, dev({ bad, good: fixture() }));
    const { line } = await useTool(client, "dev/bad/hello", {});
    // The line itself would fill pages.
    expect(line.includes(expected)).toBe(true);
    expect(textOf(await useTool(client, "dev/good/echo", { text: "fine" }))).toBe("fine");
  });

  it("a request of more than 8 MB gets an error, and one of 8 MB does not", async () => {
    const bad = scriptServer(
      cleanup,
      `const answers = {};
       let callId;
       onResponse(({ id, result, error }) => {
         answers[id] = result?.action ?? error.message;
         if (Object.keys(answers).length < 2) return;
         const text = answers.refused + "|" + answers.accepted;
         send({ id: callId, result: { content: [{ type: "text", text }] } });
       });
       const ask = (id, bytes) => send({ id, method: "elicitation/create",
         params: { message: "x".repeat(bytes), requestedSchema: { type: "object", properties: {} } } });
       const call = (params, id) => {
         callId = id;
         ask("accepted", 8 * 1024 ** 2 - 300);
         ask("refused", 9_000_000);
       };
       serve({ ...legacy({ tools: {} }), "tools/call": call });`,
    );
    const { client } = await startWorkbench(cleanup, dev({ bad }), {
      capabilities: { elicitation: {} },
      responders: { "elicitation/create": () => ({ action: "accept", content: {} }) },
    });
    const [refused, accepted] = textOf(await useTool(client, "dev/bad/hello", {})).split("|");
    expect(refused).toMatch(/more than 8388608 bytes/);
    expect(accepted).toBe("accept");
  });

  it("a deep tool keeps its other tools", async () => {
    const bad = scriptServer(
      cleanup,
      `const deep = (depth) => (depth === 0 ? {} : { a: deep(depth - 1) });
       const tools = [
         { name: "deep", inputSchema: deep(500) },
         { name: "hello", inputSchema: { type: "object" } },
       ];
       serve({ ...legacy({ tools: {} }), "tools/list": () => ({ tools }) });`,
    );
    const { client } = await startWorkbench(cleanup, dev({ bad }));
    const { tools } = await openToolbox(client, "dev");
    expect(tools.map(({ name }) => name)).toEqual(["hello"]);
    await client.when(() => /WARN .*tools left out: 1/.test(client.stderr), "the warning");
  });

  it.each(["/mcp", "/mcp/dev/bad"])("deep progress at %s harms no other client", async (path) => {
    const [progress = ""] = Object.values(LINES);
    const workbench = await startHttpWorkbench(cleanup, dev({ bad: saying(cleanup, progress) }), {
      args: ["--no-auth"],
    });
    const [client, other] = [workbench.client(path), workbench.client()];
    await client.initialize();
    await other.initialize();
    const call =
      path === "/mcp" ? useToolParams("dev/bad/hello", {}) : { name: "hello", arguments: {} };
    const answer = await client.ask("tools/call", { ...call, _meta: { progressToken: "p" } });
    expect(answer.error).toBeUndefined();
    expect((await other.ask("ping")).error).toBeUndefined();
  });

  it("deep progress over the event stream of a remote server", async () => {
    const server = createServer((request, response) => {
      let body = "";
      request.on("data", (chunk) => (body += String(chunk)));
      request.on("end", () => {
        const { id, method, params } = JSON.parse(body || "{}") as {
          id?: number;
          method?: string;
          params?: { _meta?: { progressToken?: unknown } };
        };
        const json = (result: unknown): void => {
          response.writeHead(200, { "content-type": "application/json" });
          response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
        };
        if (request.method !== "POST") response.writeHead(405).end();
        else if (id === undefined) response.writeHead(202).end();
        else if (method === "initialize")
          json({
            protocolVersion: "2025-11-25",
            capabilities: { tools: {} },
            serverInfo: { name: "remote", version: "1" },
          });
        else if (method === "tools/list")
          json({ tools: [{ name: "hello", inputSchema: { type: "object" } }] });
        else {
          const token = JSON.stringify(params?._meta?.progressToken ?? null);
          const progress = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${token},"progress":1,"message":${deepList}}}`;
          const answer = JSON.stringify({ jsonrpc: "2.0", id, result: { content: [] } });
          response.writeHead(200, { "content-type": "text/event-stream" });
          response.end(`data: ${progress}\n\ndata: ${answer}\n\n`);
        }
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    cleanup.defer(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const bad = { url: `http://127.0.0.1:${port}/mcp`, protocol: "2025-11-25" };
    const { client } = await startWorkbench(cleanup, dev({ bad: bad as never, good: fixture() }));
    const answer = await useTool(client, "dev/bad/hello", {}, withProgress);
    expect(answer.error).toBeUndefined();
    expect(textOf(await useTool(client, "dev/good/echo", { text: "fine" }))).toBe("fine");
  });
});

async function answers(client: RawClient, line: string): Promise<unknown> {
  client.sendLine(line);
  const answer = await client.when(() => client.responsesTo("x")[0], "the answer");
  client.unmatched.splice(0);
  return answer.error?.message;
}

describe("a client over stdio that sends", () => {
  const modern = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":${deepObject}}`;

  it.each([
    ["tools/call", `{"name":${deepList}}`],
    ["tools/call", `{"name":"use_tool","arguments":{"tool":${deepObject}}}`],
    ["prompts/get", `{"name":${deepList}}`],
    ["tasks/get", `{"taskId":${deepList}}`],
    ["logging/setLevel", `{"level":${deepList}}`],
    ["resources/subscribe", `{"uri":${deepList}}`],
    ["tools/list", `{${modern}}`],
  ])("a deep %s gets an error (%#)", async (method, params) => {
    const { client } = await startWorkbench(cleanup, dev({ fx: fixture() }));
    const line = `{"jsonrpc":"2.0","id":"x","method":"${method}","params":${params}}`;
    expect(await answers(client, line)).toMatch(/too complex: it is over 128 levels deep/);
    expect((await client.request("ping")).error).toBeUndefined();
  });

  it.each(["cancelled", "progress"])(
    "a deep notifications/%s is still served afterwards",
    async (name) => {
      const { client } = await startWorkbench(cleanup, dev({ fx: fixture() }));
      const params = `{"requestId":${deepList},"progressToken":${deepList},"progress":1}`;
      client.sendLine(`{"jsonrpc":"2.0","method":"notifications/${name}","params":${params}}`);
      expect((await client.request("ping")).error).toBeUndefined();
      client.unmatched.splice(0);
    },
  );

  it("too many members gets an error, and 8 MB of text do not", async () => {
    const { client } = await startWorkbench(cleanup, dev({ fx: fixture() }));
    const keys = Array.from({ length: 150_000 }, (_, i) => `"k${i}":1`).join(",");
    const line = `{"jsonrpc":"2.0","id":"x","method":"prompts/get","params":{${keys}}}`;
    expect(await answers(client, line)).toMatch(/it has too many members, strings and elements/);
    const text = "é".repeat(4_000_000);
    expect(textOf(await useTool(client, "dev/fx/echo", { text }))).toBe(text);
  });
});

describe("a client over HTTP that sends", () => {
  it("too many members gets an error, and 8 MB of text do not", async () => {
    const workbench = await startHttpWorkbench(cleanup, dev({ fx: fixture() }), {
      args: ["--no-auth"],
    });
    const client = workbench.client();
    await client.initialize();
    const keys = Array.from({ length: 150_000 }, (_, i) => [`k${i}`, 1]);
    const body = { jsonrpc: "2.0", id: 7, method: "ping", params: Object.fromEntries(keys) };
    const refused = await client.post(body).done();
    expect(refused.status).toBe(400);
    const [message] = messagesIn(refused.text);
    expect(message?.error?.message).toMatch(/too complex: it has too many members/);
    const text = "x".repeat(8_000_000);
    const echoed = await client.ask("tools/call", useToolParams("dev/fx/echo", { text }));
    expect(JSON.stringify(echoed).length).toBeGreaterThan(8_000_000);
  });

  it("more large bodies than there is room for is asked to try again later", async () => {
    const silent = scriptServer(
      cleanup,
      'serve({ ...legacy({ tools: {} }), "tools/call": () => undefined });',
    );
    const config = dev({ silent }, { http: { bodyBytes: 1024 * 1024 } });
    const workbench = await startHttpWorkbench(cleanup, config, { args: ["--no-auth"] });
    const client = workbench.client();
    await client.initialize();
    const params = useToolParams("dev/silent/hello", { text: "x".repeat(900_000) });
    const held = Array.from({ length: 12 }, () => client.request("tools/call", params));
    const refused = await Promise.any(
      held.map(async (one) => {
        const { status, headers } = await one.head();
        if (status !== 503) throw new Error(`status ${status}`);
        return headers["retry-after"];
      }),
    );
    expect(refused).toBe("1");
    expect((await client.ask("ping")).error).toBeUndefined();
    for (const one of held) one.hangUp();
  });
});
