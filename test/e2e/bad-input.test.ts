/** Whatever a client sends, the answer explains the problem, and everything else keeps working. */
import { beforeAll, describe, expect, it } from "vitest";
import { failureOf, textOf, useTool } from "../support/calls.ts";
import { perBlock, perTest } from "../support/disposables.ts";
import { type Params, type RawClient, type Response } from "../support/raw-client.ts";
import { dev, fixture } from "../support/servers.ts";
import { initialize, type RunningWorkbench, startWorkbench } from "../support/workbench.ts";

async function stillWorks(client: RawClient): Promise<void> {
  expect(textOf(await useTool(client, "dev/fx/echo", { text: "still fine" }))).toBe("still fine");
}

/** The answer to a line without a usable id. */
async function answerTo(client: RawClient, line: string): Promise<Response> {
  const before = client.responses.length;
  client.sendLine(line);
  return client.when(() => client.responses[before], `an answer to ${line.slice(0, 80)}`);
}

describe("a line that is not a message", () => {
  const cleanup = perBlock();
  let workbench: RunningWorkbench;
  beforeAll(async () => {
    workbench = await startWorkbench(cleanup, dev({ fx: fixture() }));
  });

  it.each([
    ["text", "hello"],
    ["half an object", '{"jsonrpc":"2.0","id":1,"method":"ping"'],
    ["a trailing comma", '{"jsonrpc":"2.0","id":1,"method":"ping",}'],
    ["two messages in one line", '{"jsonrpc":"2.0","id":1,"method":"ping"}{}'],
    ["single quotes", "{'jsonrpc':'2.0'}"],
    ["a megabyte of nothing", "x".repeat(1_000_000)],
    ["control characters", "\u0000\u0001\u001b[31m"],
  ])("is answered with a parse error: %s", async (_what, line) => {
    const answer = await answerTo(workbench.client, line);
    expect(answer).toMatchObject({ id: null, error: { code: -32700 } });
    await stillWorks(workbench.client);
  });

  it("is answered with a parse error: bytes that are not UTF-8", async () => {
    const { client } = workbench;
    const before = client.responses.length;
    client.child.stdin.write(Buffer.from([0xff, 0xfe, 0xc3, 0x28, 0x0a]));
    const answer = await client.when(() => client.responses[before], "an answer");
    expect(answer).toMatchObject({ id: null, error: { code: -32700 } });
    await stillWorks(client);
  });

  it.each([
    ["a number", "42"],
    ["null", "null"],
    ["a text", '"ping"'],
    ["an empty list", "[]"],
    ["a batch", '[{"jsonrpc":"2.0","id":"batch","method":"ping"}]'],
    ["an empty object", "{}"],
    ["no version", '{"id":"no-version","method":"ping"}'],
    ["another version", '{"jsonrpc":"1.0","id":"old-version","method":"ping"}'],
    ["neither method nor result", '{"jsonrpc":"2.0","id":"neither"}'],
    ["a method that is a number", '{"jsonrpc":"2.0","id":"number","method":7}'],
    ["an id that is an object", '{"jsonrpc":"2.0","id":{},"method":"ping"}'],
    ["an id that is a list", '{"jsonrpc":"2.0","id":[1],"method":"ping"}'],
    ["an id that is true", '{"jsonrpc":"2.0","id":true,"method":"ping"}'],
    [
      "parameters that are a text",
      '{"jsonrpc":"2.0","id":"params","method":"tools/list","params":"x"}',
    ],
  ])("is answered as an invalid request: %s", async (_what, line) => {
    const { client } = workbench;
    const known = /"id":("[^"]*")/.exec(line)?.[1];
    const answer = await answerTo(client, line);
    expect(answer.error?.code).toBeOneOf([-32600, -32602]);
    expect(answer.id).toBeOneOf([null, known === undefined ? null : JSON.parse(known)]);
    await stillWorks(client);
    // The answer may carry the id of a message that the client did not mean as a request.
    client.unmatched.splice(0);
  });

  it.each([
    ["an empty line", ""],
    ["an answer to nothing", '{"jsonrpc":"2.0","id":"nothing","result":{}}'],
    ["an error to nothing", '{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}'],
    ["an unknown notification", '{"jsonrpc":"2.0","method":"notifications/unheard","params":{}}'],
    ["a notification of a request", '{"jsonrpc":"2.0","method":"tools/list"}'],
    [
      "a second notifications/initialized",
      '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    ],
  ])("is not answered where there is nothing to answer: %s", async (_what, line) => {
    const { client } = workbench;
    const before = client.responses.length;
    client.sendLine(line);
    await client.request("ping");
    expect(client.responses).toHaveLength(before + 1);
  });

  it("does no harm when it is nested a hundred thousand levels deep", async () => {
    const { client } = workbench;
    const deep = "[".repeat(100_000) + "]".repeat(100_000);
    const response = await client.requestText("tools/list", `{"x":${deep}}`);
    expect(response.id).toBeTypeOf("number");
    await stillWorks(client);
  });
});

describe("messages that arrive in unusual pieces", () => {
  const cleanup = perBlock();
  let client: RawClient;
  beforeAll(async () => {
    ({ client } = await startWorkbench(cleanup, dev({ fx: fixture() })));
  });
  const request = (id: string): string =>
    JSON.stringify({
      jsonrpc: "2.0",
      id,
      method: "tools/call",
      params: {
        name: "use_tool",
        arguments: {
          tool: { toolbox: "dev", server: "fx", name: "echo" },
          arguments: { text: `é🎈 ${id}` },
        },
      },
    });

  it.each<[string, (line: string) => Buffer[]]>([
    ["byte by byte", (line) => [...Buffer.from(`${line}\n`)].map((byte) => Buffer.of(byte))],
    ["with a carriage return", (line) => [Buffer.from(`${line}\r\n`)]],
    ["with spaces around", (line) => [Buffer.from(`  ${line} \t\n`)]],
    ["with empty lines around", (line) => [Buffer.from(`\n\n${line}\n\n`)]],
  ])("are understood: %s", async (how, pieces) => {
    for (const piece of pieces(request(how))) {
      await new Promise((resolve) => client.child.stdin.write(piece, resolve));
    }
    const answer = await client.when(() => client.responsesTo(how)[0], "the answer");
    expect(textOf(answer)).toBe(`é🎈 ${how}`);
    client.unmatched.splice(0);
  });

  it("are understood: many in one piece", async () => {
    const before = client.responses.length;
    const ids = Array.from({ length: 40 }, (_, i) => `piece-${i}`);
    client.sendLine(ids.map(request).join("\n"));
    await client.when(() => client.responses.length >= before + ids.length, "all answers");
    expect(
      client.responses
        .slice(before)
        .map(({ id }) => id)
        .sort(),
    ).toEqual(ids.sort());
    client.unmatched.splice(0);
  });
});

describe("a request", () => {
  const cleanup = perTest();
  const shared = perBlock();
  let running: RawClient;
  beforeAll(async () => {
    running = (await startWorkbench(shared, dev({ fx: fixture() }))).client;
  });

  it("before initialize is refused, and initialize still works", async () => {
    const { client } = await startWorkbench(cleanup, dev({ fx: fixture() }), { initialize: false });
    for (const method of ["tools/list", "tools/call", "no/such/method"]) {
      const { error } = await client.request(method, {});
      expect(error?.code).toBeLessThan(0);
      expect(error?.message).toBeTypeOf("string");
    }
    const early = await client.request("tools/call", {
      name: "use_tool",
      arguments: { tool: { toolbox: "dev", server: "fx", name: "echo" }, arguments: {} },
    });
    expect(early.error?.message).toMatch(/initialize/i);
    await initialize(client);
    await stillWorks(client);
  });

  it("for an unknown method is answered with -32601", async () => {
    const client = running;
    for (const method of ["no/such/method", "", "__proto__", "constructor", "toString"]) {
      const { error } = await client.request(method, {});
      expect(error?.code).toBe(-32601);
    }
    await stillWorks(client);
  });

  it.each<[string, unknown]>([
    ["no parameters", undefined],
    ["no name", {}],
    ["a name that is a number", { name: 5 }],
    ["a name that is null", { name: null }],
    ["arguments that are a text", { name: "use_tool", arguments: "x" }],
    ["arguments that are a list", { name: "use_tool", arguments: [] }],
    ["_meta that is a text", { name: "no_such_tool", _meta: "x" }],
  ])("to call a tool with %s is refused", async (_what, params) => {
    const response = await running.request("tools/call", params as Params);
    expect(failureOf(response)).not.toBe("");
    await stillWorks(running);
  });

  it.each<[string, unknown]>([
    ["no parameters", undefined],
    ["empty parameters", {}],
    ["a version that is a number", { protocolVersion: 3, capabilities: {}, clientInfo: {} }],
    ["capabilities that are null", { protocolVersion: "2025-11-25", capabilities: null }],
  ])("to initialize with %s receives one answer and does no harm", async (_what, params) => {
    const { client } = await startWorkbench(cleanup, dev({ fx: fixture() }), { initialize: false });
    const { id, error } = await client.request("initialize", params as Params);
    expect(id).toBe(1);
    if (error === undefined) client.notify("notifications/initialized");
    else await initialize(client);
    await stillWorks(client);
  });

  it("to initialize a second time receives one answer and does no harm", async () => {
    const { client } = await startWorkbench(cleanup, dev({ fx: fixture() }));
    await stillWorks(client);
    const again = await client.request("initialize", {
      protocolVersion: "2024-11-05",
      capabilities: {},
      clientInfo: { name: "again", version: "1" },
    });
    await stillWorks(client);
    expect(client.responsesTo(again.id as number)).toHaveLength(1);
  });

  it("with an unknown cursor is refused or ignored, and the list still works", async () => {
    const client = running;
    for (const cursor of ["nonsense", 5, null]) await client.request("tools/list", { cursor });
    expect((await client.request("tools/list", {})).error).toBeUndefined();
  });
});
