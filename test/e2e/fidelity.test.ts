/** Nothing is lost in between: results, arguments and errors arrive as they were written. */
import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { resultOf, textOf, useTool } from "../support/calls.ts";
import { perBlock } from "../support/disposables.ts";
import { memberText } from "../support/json-text.ts";
import { ODD_OBJECTS } from "../support/odd-json.ts";
import type { Response } from "../support/raw-client.ts";
import { dev, fixture } from "../support/servers.ts";
import { type RunningWorkbench, startWorkbench } from "../support/workbench.ts";

const ORDERS = ["sdk", "python", "spaced", "fixture", "odd"];

const cleanup = perBlock();
let workbench: RunningWorkbench;
beforeAll(async () => {
  const servers = ORDERS.map((order) => [order, fixture("--key-order", order)] as const);
  workbench = await startWorkbench(cleanup, dev(Object.fromEntries(servers)));
});

const raw = (server: string, json: string): Promise<Response> =>
  useTool(workbench.client, `dev/${server}/raw`, { json });
const resultText = async (response: Promise<Response>): Promise<string | undefined> =>
  memberText((await response).line, "result");
const sha = (text: string | undefined): string =>
  createHash("sha256")
    .update(text ?? "")
    .digest("hex");

describe.each(ORDERS)("a result from a server that writes its responses in the %s way", (order) => {
  it.each(ODD_OBJECTS)("keeps %s, byte for byte", async (_what, json) => {
    expect(await resultText(raw(order, json))).toBe(json);
  });

  it("keeps arbitrary JSON, byte for byte", async () => {
    const anyResult = fc.tuple(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(2));
    await fc.assert(
      fc.asyncProperty(anyResult, async ([result, indent]) => {
        const json = JSON.stringify(result, null, indent).replaceAll("\n", " ");
        expect(await resultText(raw(order, json))).toBe(json);
      }),
      { numRuns: 40 },
    );
  });

  const lengths = order === "sdk" ? [100_000, 1_048_576, 4_000_000] : [100_000, 1_048_576];
  it.each(lengths)("keeps all of its %d characters", async (length) => {
    const block = String.raw`"\u0041 été 🎈 1.0 \"id\":7}",12345678901234567890,`;
    const json = `{"content":[],"x":[${block.repeat(Math.ceil(length / block.length))}1.0]}`;
    expect(sha(await resultText(raw(order, json)))).toBe(sha(json));
  });

  it("keeps an error with code, message and data, byte for byte", async () => {
    const json = String.raw`{"data":{"id":7,"n":12345678901234567890,"why":["\u0041",1.0]},"message":"no","code":-32042,"x":1}`;
    const response = await useTool(workbench.client, `dev/${order}/fail`, { json });
    expect(memberText(response.line, "error")).toBe(json);
    expect(response.result).toBeUndefined();
  });
});

describe("the result of a tool", () => {
  it("keeps images, audio, links, embedded resources, unknown types, annotations and _meta", async () => {
    const {
      content,
      _meta: meta,
      ...rest
    } = resultOf(await useTool(workbench.client, "dev/sdk/rich", {}));
    expect(content.map(({ type }) => type)).toEqual([
      "image",
      "audio",
      "resource_link",
      "resource",
      "resource",
      "hologram",
      "text",
    ]);
    expect(content[0]).toMatchObject({ mimeType: "image/png", _meta: { "fixture/block": 1 } });
    expect(content[1]?.annotations).toEqual({ audience: ["user"], priority: 0.5, "x-more": true });
    expect(content[2]).toMatchObject({ uri: "fixture://item/1", size: 12, "x-new": [1] });
    expect(content[4]?.resource).toEqual({ uri: "fixture://item/3", blob: "AAEC" });
    expect(content[5]).toEqual({ type: "hologram", voxels: [[0, 1]], note: expect.any(String) });
    expect(meta).toEqual({ "fixture/result": "kept", nested: { deep: [null] } });
    expect(rest).toEqual({ "x-result": { kept: true } });
  });

  it.each([{ a: [1, { b: null }] }, [1, 2], "text", 0, false, null, {}].map((value) => [value]))(
    "keeps structuredContent that is %j",
    async (value) => {
      const response = await useTool(workbench.client, "dev/sdk/structured", { value });
      expect(resultOf(response)).toStrictEqual({
        content: [{ type: "text", text: JSON.stringify(value) }],
        structuredContent: value,
      });
    },
  );

  it("keeps isError as the tool set it", async () => {
    expect(resultOf(await useTool(workbench.client, "dev/sdk/tool_error", {}))).toEqual({
      content: [{ type: "text", text: "the tool went wrong" }],
      isError: true,
    });
  });

  it.each([-32602, -32601, -32603, -32000, -32002, -32042, 1, 0])(
    "that is a JSON-RPC error keeps code %d and its data",
    async (code) => {
      const data = { why: ["asked", { deep: null }] };
      const response = await useTool(workbench.client, "dev/python/fail", { code, data });
      expect(response.error).toEqual({ code, message: "failed as asked", data });
    },
  );
});

describe("a call of a tool", () => {
  const lastCall = (tool: string) => {
    const call = workbench.witness("dev", "sdk").callsOf(tool).at(-1);
    if (call === undefined) throw new Error(`${tool} never reached the server`);
    return call;
  };
  const send = (args: string, more = ""): Promise<Response> =>
    workbench.client.requestText(
      "tools/call",
      `{"name":"use_tool","arguments":{"tool":{"toolbox":"dev","server":"sdk","name":"a_b"},"arguments":${args}}${more}}`,
    );

  it.each([
    ["numbers", '{"n":12345678901234567890,"f":1.0,"e":1E5,"z":-0}'],
    ["the order of keys", '{"b":1,"a":{"2":0,"1":0}}'],
    ["escapes", String.raw`{"s":"\u0041\/\ud800 🎈 \u0000","\u0061b":1}`],
    ["spaces", '{ "a" : [ 1 , 2 ] }'],
    ["repeated keys", '{"a":1,"a":2}'],
    [
      "members named like the frame",
      '{"tool":{"name":"x"},"arguments":{"id":1},"name":"y","_meta":{}}',
    ],
    ["__proto__", '{"__proto__":{"polluted":true}}'],
    ["nothing", "{}"],
  ])("reaches the server with its arguments byte for byte: %s", async (_what, args) => {
    expect((await send(args)).error).toBeUndefined();
    expect(memberText(lastCall("a_b").raw, "params", "arguments")).toBe(args);
  });

  it("reaches the server whatever the order and the spacing of its own members", async () => {
    const id = workbench.client.nextId();
    workbench.client.sendLine(
      `{ "params" : { "arguments" : { "arguments" : {"n":1.0} , "tool" : { "name" : "a_b" , "server" : "sdk" , "toolbox" : "dev" } } , "name" : "use_tool" } , "method" : "tools/call" , "id" : ${id} , "jsonrpc" : "2.0" }`,
    );
    await workbench.client.when(() => workbench.client.responsesTo(id).length === 1, "the answer");
    expect(memberText(lastCall("a_b").raw, "params", "arguments")).toBe('{"n":1.0}');
  });

  it("reaches the server with a megabyte of arguments", async () => {
    const args = JSON.stringify({ text: 'été "quoted" 🎈\n'.repeat(80_000) });
    expect((await send(args)).error).toBeUndefined();
    expect(sha(memberText(lastCall("a_b").raw, "params", "arguments"))).toBe(sha(args));
  });

  it("reaches the server with its _meta, byte for byte", async () => {
    const meta = '{"trace/id":"tr-1","n":12345678901234567890,"f":1.0,"deep":{"b":1,"a":[null]}}';
    await send("{}", `,"_meta":${meta}`);
    expect(memberText(lastCall("a_b").raw, "params", "_meta")).toBe(meta);
  });

  it("reaches the server without _meta if it had none", async () => {
    await send("{}");
    expect(memberText(lastCall("a_b").raw, "params", "_meta")).toBeUndefined();
  });

  it("reaches the server with unknown parameters", async () => {
    await send("{}", ',"task":{"ttl":60000},"x-new":[1.0]');
    const { raw: line } = lastCall("a_b");
    expect(memberText(line, "params", "task")).toBe('{"ttl":60000}');
    expect(memberText(line, "params", "x-new")).toBe("[1.0]");
    expect(memberText(line, "params", "name")).toBe('"a_b"');
  });
});

describe("many calls at once", () => {
  it("each receive their own answer, whatever their ids look like", async () => {
    const ids = [0, "0", -1, 700_007, "700007", "", 'ü🎈"\\', 1e15, "a".repeat(500), 2 ** 31];
    const answers = await Promise.all(
      ids.map((id) => useTool(workbench.client, "dev/sdk/echo", { text: `for ${id}` }, { id })),
    );
    expect(answers.map((answer) => answer.id)).toEqual(ids);
    expect(answers.map(textOf)).toEqual(ids.map((id) => `for ${id}`));
  });

  it("receive an id back that JavaScript cannot hold", async () => {
    const { client } = workbench;
    const line =
      '{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/call","params":{"name":"use_tool","arguments":{"tool":{"toolbox":"dev","server":"sdk","name":"echo"},"arguments":{"text":"big id"}}}}';
    client.sendLine(line);
    const answer = await client.when(
      () => client.responses.find((response) => response.line.includes("big id")),
      "the answer",
    );
    expect(memberText(answer.line, "id")).toBe("9007199254740993");
  });

  it("are never mixed up between servers, sizes and orders of arrival", async () => {
    const numbers = Array.from({ length: 300 }, (_, i) => i);
    const answers = await Promise.all(
      numbers.map((i) => {
        const server = `dev/${ORDERS[i % ORDERS.length]}`;
        const text = `${i}:`.padEnd(i % 7 === 0 ? 50_000 : 10, "x");
        return i % 11 === 0
          ? useTool(workbench.client, `${server}/sleep`, { ms: 200 - (i % 100) })
          : useTool(workbench.client, `${server}/echo`, { text });
      }),
    );
    for (const i of numbers) {
      const expected = i % 11 === 0 ? `slept ${200 - (i % 100)}` : `${i}:`;
      expect(textOf(answers[i] as Response).startsWith(expected)).toBe(true);
    }
  });
});

describe("a server", () => {
  it.each(["elicit", "sample", "roots"])("receives an answer to its request: %s", async (tool) => {
    const answer = JSON.parse(textOf(await useTool(workbench.client, `dev/sdk/${tool}`, {})));
    expect(answer).not.toHaveProperty("timeout");
  });

  it("receives an answer to its ping, and an error for an unknown method", async () => {
    const asked = async (method: string): Promise<unknown> =>
      JSON.parse(textOf(await useTool(workbench.client, "dev/sdk/ask", { method })));
    expect(await asked("ping")).toEqual({ result: {} });
    expect(await asked("no/such/method")).toMatchObject({ error: { code: -32601 } });
  });

  it("can log during a call without disturbing it", async () => {
    expect(textOf(await useTool(workbench.client, "dev/sdk/log", {}))).toBe("logged");
  });
});
