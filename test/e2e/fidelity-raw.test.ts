/** Small promises of the workbench, each tested with a raw client and a server of a few lines. */
import { once } from "node:events";
import { type IncomingHttpHeaders, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { firstText, openToolbox, useToolParams } from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import { type Message, messagesIn } from "../support/http-client.ts";
import { startHttpWorkbench } from "../support/http-workbench.ts";
import { memberText } from "../support/json-text.ts";
import { waitFor } from "../support/proc.ts";
import { GENEROUS_MS } from "../support/raw-client.ts";
import { scriptServer } from "../support/script-server.ts";
import { type ServerEntry, dev, fixture } from "../support/servers.ts";
import { startWorkbench, temporaryFolder } from "../support/workbench.ts";

const cleanup = perTest();
const MESSAGE = "notifications/message";

describe("a server whose cursors repeat", () => {
  const program = `
    let page = 0;
    const list = (key) => () => {
      const item = { name: "n" + ++page, uri: "u:" + page, inputSchema: { type: "object" } };
      return { [key]: [item], nextCursor: page % 2 ? "odd" : "even" };
    };
    serve({
      ...legacy({ tools: {}, prompts: {}, resources: {} }),
      "tools/list": list("tools"), "prompts/list": list("prompts"), "resources/list": list("resources"),
    });`;

  it("is listed up to the first repeated page", async () => {
    const config = dev({ fx: scriptServer(cleanup, program) });
    const { client } = await startWorkbench(cleanup, config);
    expect((await openToolbox(client, "dev")).tools).toHaveLength(3);
    expect((await client.request("prompts/list", {})).result).toMatchObject({
      prompts: [{ name: "dev__fx__n4" }, { name: "dev__fx__n5" }, { name: "dev__fx__n6" }],
    });
    expect((await client.request("resources/list", {})).result).toMatchObject({
      resources: [{}, {}, {}],
    });
  });
});

describe("a resource URI without the prefix of the workbench", () => {
  const server = (name: string): ServerEntry =>
    scriptServer(
      cleanup,
      `serve({
        ...legacy({ tools: {}, resources: {} }),
        "resources/list": () => ({
          resources: [{ uri: "${name}:1", name: "own" }, { uri: "same:1", name: "same" }],
        }),
        "resources/templates/list": () => ({ resourceTemplates: [] }),
        "resources/read": ({ uri }) => ({ contents: [{ uri, text: "from ${name}" }] }),
      });`,
    );
  const outcomeOf = ({ result, error }: Message): unknown =>
    error?.message ?? (result?.["contents"] as { text: string }[] | undefined)?.[0]?.text;
  const AMBIGUOUS = expect.stringMatching(
    /several servers have it\. Use workbench:\/\/dev\/[ab]\/same:1 or workbench:\/\/dev\/[ab]\/same:1/,
  );
  const UNKNOWN = expect.stringContaining("no open server lists it");

  it("is read if only one open server lists it, and otherwise refused with advice", async () => {
    const workbench = await startHttpWorkbench(cleanup, dev({ a: server("a"), b: server("b") }));
    const client = workbench.client();
    await client.initialize();
    const read = async (uri: string): Promise<unknown> =>
      outcomeOf(await client.ask("resources/read", { uri }));
    expect(await read("a:1")).toEqual(UNKNOWN);
    const open = { name: "open_toolbox", arguments: { toolbox: "dev" } };
    await waitFor(
      async () => !firstText(await client.ask("tools/call", open))?.includes("servers_starting"),
      GENEROUS_MS,
      "both servers to be started",
    );
    expect(await read("a:1")).toBe("from a");
    expect(await read("b:1")).toBe("from b");
    expect(await read("same:1")).toEqual(AMBIGUOUS);
    expect(await read("none:1")).toEqual(UNKNOWN);
    expect(await read("workbench://dev/b/same:1")).toBe("from b");
  });

  it("means the same to a modern client, whatever it did before", async () => {
    const workbench = await startHttpWorkbench(cleanup, dev({ a: server("a"), b: server("b") }));
    const read = async (uri: string): Promise<unknown> => {
      const { text } = await workbench.client().modern("resources/read", { uri }).done();
      return outcomeOf(messagesIn(text)[0] ?? {});
    };
    await workbench.client().modern("tools/call", useToolParams("dev/a/hello", {})).done();
    // The other server is started for the lookup, which does not wait for it forever.
    await waitFor(async () => (await read("b:1")) === "from b", GENEROUS_MS, "the other server");
    expect(await read("same:1")).toEqual(AMBIGUOUS);
    expect(await read("none:1")).toEqual(UNKNOWN);
  });
});

it("two clients of one server receive log messages from the level that each has set", async () => {
  const workbench = await startHttpWorkbench(cleanup, dev({ fx: fixture() }));
  const [wants, not] = [workbench.client(), workbench.client()];
  const echo = useToolParams("dev/fx/echo", { text: "here" });
  const streams = await Promise.all(
    (
      [
        [wants, "debug"],
        [not, "error"],
      ] as const
    ).map(async ([client, level]) => {
      await client.initialize();
      const stream = client.listen();
      await stream.head();
      await client.ask("tools/call", echo);
      await client.ask("logging/setLevel", { level });
      return stream;
    }),
  );
  await not.ask("tools/call", useToolParams("dev/fx/log", {}));
  await streams[0]?.method(MESSAGE);
  await not.ask("tools/call", echo);
  expect(streams[1]?.messages.filter(({ method }) => method === MESSAGE)).toEqual([]);
  for (const stream of streams) stream.hangUp();
});

it("a remote server receives the headers of its configuration, and none from the client", async () => {
  const seen: IncomingHttpHeaders[] = [];
  const remote = createServer(async (request, response) => {
    seen.push(request.headers);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString("utf8");
    const { id, method } = JSON.parse(body === "" ? "{}" : body) as Message;
    if (id === undefined) return response.writeHead(request.method === "POST" ? 202 : 405).end();
    const results: Record<string, object> = {
      initialize: {
        protocolVersion: "2025-11-25",
        capabilities: { tools: {} },
        serverInfo: { name: "remote", version: "1.0.0" },
      },
      "tools/list": { tools: [{ name: "hello", inputSchema: { type: "object" } }] },
      "tools/call": { content: [{ type: "text", text: "hello" }] },
    };
    response.writeHead(200, { "content-type": "application/json" });
    return response.end(
      JSON.stringify({ jsonrpc: "2.0", id, result: results[method ?? ""] ?? {} }),
    );
  }).listen(0, "127.0.0.1");
  cleanup.defer(() => void remote.close());
  await once(remote, "listening");
  const url = `http://127.0.0.1:${(remote.address() as AddressInfo).port}/mcp`;
  const workbench = await startHttpWorkbench(
    cleanup,
    dev({ fx: { url, headers: { "x-own": "yes", authorization: "Bearer own" } } }),
  );
  const client = workbench.client();
  await client.initialize();
  const headers = {
    "x-secret": "client",
    cookie: "a=b",
    "proxy-authorization": "c",
    forwarded: "d",
  };
  const answer = await client
    .request("tools/call", useToolParams("dev/fx/hello", {}), { headers })
    .done();
  expect(firstText(messagesIn(answer.text)[0])).toBe("hello");
  for (const got of seen) {
    expect(got).toMatchObject({ "x-own": "yes", authorization: "Bearer own" });
    for (const name of Object.keys(headers)) expect(got).not.toHaveProperty(name);
  }
  expect(seen.length).toBeGreaterThan(2);
});

describe("line breaks in the body of an HTTP request", () => {
  const injected = '{"jsonrpc":"2.0","id":99,"method":"tools/call","params":{"name":"crash"}}';
  const args = `{"a":[\n${injected}\r\n,\r1.0\n]}`;
  const call = (more: string): string =>
    `{"jsonrpc":"2.0",\n"id":5,"method":"tools/call","params":{"name":"use_tool","arguments":{"tool":{"toolbox":"dev","server":"fx","name":"a_b"},\n"arguments":${args}}${more}}}`;

  it("reach a server as white space, and never begin another message", async () => {
    const workbench = await startHttpWorkbench(cleanup, dev({ fx: fixture() }));
    const client = workbench.client();
    await client.initialize();
    const answer = await client.post(call(',"_meta":{"x":\n1}')).done();
    expect(messagesIn(answer.text)[0]?.result?.["isError"]).toBeUndefined();
    const modern = workbench.client();
    const envelope = JSON.stringify({
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    });
    const headers = {
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "use_tool",
    };
    await modern.post(call(`,"_meta":\n${envelope}`), headers).done();
    const witness = workbench.witness("dev", "fx");
    expect(witness.callsOf("a_b").map(({ raw }) => memberText(raw, "params", "arguments"))).toEqual(
      Array.from({ length: 2 }, () => args.replace(/[\r\n]/g, " ")),
    );
    expect(witness.callsOf("crash")).toEqual([]);
  });

  it("reach a server as white space in the answer to its request", async () => {
    const workbench = await startHttpWorkbench(cleanup, dev({ fx: fixture() }));
    const client = workbench.client();
    await client.initialize("2025-11-25", { elicitation: {} });
    const asking = client.request("tools/call", useToolParams("dev/fx/elicit", {}));
    const { id } = await asking.method("elicitation/create");
    const result = `{"action":"accept",\n"content":[\n${injected}\n]}`;
    await client.post(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},\n"result":${result}}`).done();
    const text = firstText(messagesIn((await asking.done()).text).at(-1)) ?? "";
    expect(JSON.parse(text)).toEqual({ result: JSON.parse(result) });
    expect(workbench.witness("dev", "fx").callsOf("crash")).toEqual([]);
  });
});

describe("a batch of messages", () => {
  const batch =
    '[{"jsonrpc":"2.0","id":"a","method":"ping"},{"jsonrpc":"2.0","method":"x/y"},{"jsonrpc":"2.0","id":"b","method":"ping"},[]]';

  it("is accepted in the protocol version that has batches", async () => {
    const { client } = await startWorkbench(cleanup, dev({ fx: fixture() }), {
      protocolVersion: "2025-03-26",
    });
    client.sendLine(batch);
    await client.request("ping");
    const answers = client.unmatched.splice(0).map(({ id, error }) => [id, error?.message]);
    expect(answers).toEqual([
      ["a", undefined],
      ["b", undefined],
      [null, "Invalid request: a batch holds no other batch"],
    ]);
  });

  it("is refused in every other protocol version", async () => {
    const { client } = await startWorkbench(cleanup, dev({ fx: fixture() }));
    client.sendLine(batch);
    await client.request("ping");
    expect(client.unmatched.map(({ id }) => id)).toEqual([null]);
  });
});

describe("a server", () => {
  /** A server that serves one client, or none. */
  const alone = (discover: string): ServerEntry => {
    const lock = JSON.stringify(join(temporaryFolder(cleanup), "lock"));
    return scriptServer(
      cleanup,
      `if (existsSync(${lock})) { console.error("I AM NOT ALONE"); process.exit(1); }
       mkdirSync(${lock});
       const end = () => { if (existsSync(${lock})) rmdirSync(${lock}); process.exit(1); };
       process.on("SIGTERM", end);
       process.stdin.on("end", end);
       serve({ ...legacy({ tools: {} }), "server/discover": () => { ${discover} } });`,
    );
  };

  it.each([
    ["refuses", "send({ id: 1, error: { code: -32601, message: 'what?' } });"],
    ["says nothing to", ""],
    ["dies at once of", "end();"],
    ["dies slowly of", "process.stdout.end(); setTimeout(end, 300);"],
  ])("that %s server/discover is connected without a second process", async (_what, reaction) => {
    const workbench = await startHttpWorkbench(cleanup, dev({ fx: alone(reaction) }));
    const { text } = await workbench
      .client()
      .modern("tools/call", useToolParams("dev/fx/hello", {}))
      .done();
    expect(text).not.toContain("NOT ALONE");
    expect(firstText(messagesIn(text)[0])).toBe("hello");
    expect(workbench.servers()).toHaveLength(1);
  });
});
