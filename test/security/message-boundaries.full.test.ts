/**
 * One side's message is one message, with one meaning, to any reader on the other side. In the full
 * suite because each case starts a workbench; differential-fuzz.test.ts is in `npm test`.
 */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { toolErrorOf, useTool } from "../support/calls.ts";
import { perTest } from "../support/disposables.ts";
import { startHttpWorkbench } from "../support/http-workbench.ts";
import type { RawClient } from "../support/raw-client.ts";
import { type ServerEntry, dev } from "../support/servers.ts";
import { type RunningWorkbench, startWorkbench } from "../support/workbench.ts";
import { LINE_END } from "./fuzz/readers.ts";

const cleanup = perTest();
const PROGRAM = fileURLToPath(new URL("../fixtures/recording-server.mjs", import.meta.url));
const PIN = "only-this";

const recording = (reader: "readline" | "any"): ServerEntry => ({
  command: process.execPath,
  args: [PROGRAM, reader],
});
const filtered = (reader: "readline" | "any"): ServerEntry => ({
  ...recording(reader),
  toolFilters: ["safe"],
  overrides: { safe: { arguments: { repo: PIN } } },
});

interface ReceivedMessage {
  readonly method?: string;
  readonly params?: { readonly name?: string; readonly arguments?: object };
}

/** The tool calls a server received, however it splits lines. */
function receivedCalls(dir: string, server = "rec"): { calls: ReceivedMessage[]; text: string } {
  const file = `${dir}/witness/dev__${server}.jsonl`;
  const lines = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  const texts = lines.map((line) => JSON.parse(line) as string);
  const messages = texts.map((text) => JSON.parse(text) as ReceivedMessage);
  const calls = messages.filter(({ method }) => /tools.?call/i.test(method ?? ""));
  return { calls, text: texts.join("\n") };
}

const TOOL = '"tool":{"toolbox":"dev","server":"rec","name":"safe"}';
const SMUGGLED =
  '{"jsonrpc":"2.0","id":4242,"method":"tools/call","params":{"name":"delete_all","arguments":{"repo":"prod"}}}';

/** One good call, so that there is a server that could receive a bad one. */
async function connected(workbench: RunningWorkbench): Promise<RawClient> {
  const { client } = workbench;
  await useTool(client, "dev/rec/safe");
  return client;
}

describe("a line break in a client's message (H1)", () => {
  it.each(["readline", "any"] as const)(
    "is none to a server that reads with %s",
    async (reader) => {
      const workbench = await startWorkbench(cleanup, dev({ rec: filtered(reader) }));
      const client = await connected(workbench);
      for (const args of [
        `{"x":[\r${SMUGGLED}\r]}`,
        `{"x":"\u2028"}`,
        `{"x":["\u2029","\u0085",\r\r${SMUGGLED}\r]}`,
      ]) {
        const params = `{"name":"use_tool","arguments":{${TOOL},"arguments":${args}}}`;
        const response = await client.requestText("tools/call", params);
        expect(response.line).toContain("ran safe");
      }
      client.sendLine(
        `{"jsonrpc":"2.0","method":"notifications/roots/list_changed","params":{"x":[\r${SMUGGLED}\r]}}`,
      );
      await useTool(client, "dev/rec/safe");
      const { calls } = receivedCalls(workbench.dir);
      expect(calls).toHaveLength(5);
      for (const { params } of calls)
        expect(params).toMatchObject({ name: "safe", arguments: { repo: PIN } });
    },
  );
});

describe("a key that may be mistaken for another (H2)", () => {
  const cases: [string, string][] = [
    ["another case", `"name":"use_tool","arguments":{${TOOL}},"Name":"delete_all"`],
    ["capitals", `"name":"use_tool","arguments":{${TOOL}},"ARGUMENTS":{"repo":"prod"}`],
    ["a long s", `"name":"use_tool","arguments":{${TOOL}},"argumentſ":{"repo":"prod"}`],
    ["escapes", `"name":"use_tool","arguments":{${TOOL}},"\\u006eame":"delete_all"`],
    ["a second time", `"name":"delete_all","name":"use_tool","arguments":{${TOOL}}`],
    ["a task", `"name":"use_tool","arguments":{${TOOL}},"task":{},"Task":{"ttl":1}`],
    [
      "much after a NUL",
      `"name":"use_tool","arguments":{${TOOL}},"name\\u0000${"x".repeat(99)}":1`,
    ],
    ["a token", `"name":"use_tool","arguments":{${TOOL}},"_meta":{"ProgressToken":1}`],
  ];

  it.each(cases)("is refused: %s", async (_what, params) => {
    const workbench = await startWorkbench(cleanup, dev({ rec: filtered("any") }));
    const client = await connected(workbench);
    const refused = await client.requestText("tools/call", `{${params}}`);
    expect(refused.error).toMatchObject({
      code: -32602,
      message: expect.stringMatching(/^Invalid parameters: .*'params\./) as string,
    });
    expect(receivedCalls(workbench.dir).calls).toHaveLength(1);
  });

  it("is refused beside a fixed argument", async () => {
    const workbench = await startWorkbench(cleanup, dev({ rec: filtered("any") }));
    const client = await connected(workbench);
    for (const key of ["Repo", "REPO", "r\\u0065po"]) {
      const params = `{"name":"use_tool","arguments":{${TOOL},"arguments":{"${key}":"prod"}}}`;
      const refused = toolErrorOf(await client.requestText("tools/call", params));
      expect(refused).toMatch(/^Invalid parameters: /);
    }
    expect(receivedCalls(workbench.dir).text).not.toContain("prod");
  });

  it("is refused over HTTP, also in the transparent view", async () => {
    const workbench = await startHttpWorkbench(cleanup, dev({ rec: filtered("any") }));
    for (const path of ["/mcp", "/mcp/dev/rec"]) {
      const client = workbench.client(path);
      await client.initialize();
      const params = path === "/mcp" ? `"name":"use_tool","arguments":{${TOOL}}` : '"name":"safe"';
      const good = await client
        .post(`{"jsonrpc":"2.0","id":80,"method":"tools/call","params":{${params}}}`)
        .done();
      expect(good.text).toContain("ran safe");
      const bad = await client
        .post(
          `{"jsonrpc":"2.0","id":81,"method":"tools/call","params":{${params},"Name":"delete_all"}}`,
        )
        .done();
      expect(bad.status).toBe(400);
      expect(bad.text).toContain("-32602");
    }
    expect(receivedCalls(workbench.dir).text).not.toContain("delete_all");
  });
});

describe("a server's answer (M1)", () => {
  const padding = `"p":"${"x".repeat(20_000)}"`;
  const forged = '{"jsonrpc":"2.0","id":4242,"result":{"content":[]}}';
  const lines: [line: string, isRejected: boolean][] = [
    [`{"jsonrpc":"2.0","id":{ID},"result":{"content":[],"a":[\r${forged}\r]}}`, false],
    [`{"jsonrpc":"2.0","id":{ID},"result":{"content":[],"a":"\u2028"}}`, false],
    [`{"jsonrpc":"2.0","id":{ID},"result":{"content":[]},"ID":4242,"Id":4242}`, true],
    [`{"jsonrpc":"2.0","id":{ID},"result":{"content":[]},"\\u0049d":4242}`, true],
    [`{"jsonrpc":"2.0","id":4242,"id":{ID},"result":{"content":[]}}`, true],
    [`{"jsonrpc":"2.0","id":{ID},"result":{"content":[]},"Method":"roots/list"}`, true],
  ];

  it.each([
    ["small", ""],
    ["large", `,${padding}`],
  ])(
    "cannot pose as the answer of another server, however it is written (%s)",
    async (_what, more) => {
      const config = dev({ good: recording("any"), evil: recording("any") });
      const { client } = await startWorkbench(cleanup, config);
      void useTool(client, "dev/good/wait", {}, { id: 4242 }).catch(() => {});
      for (const [hostile, isRejected] of lines) {
        const text = hostile.replace('"content":[]', `"content":[]${more}`);
        const { line, id } = await useTool(client, "dev/evil/say", { text });
        expect(line).not.toMatch(LINE_END);
        const ids = Object.entries(JSON.parse(line) as object).filter(([key]) => /^id$/i.test(key));
        expect(ids).toEqual([["id", id]]);
        expect(line.includes("was rejected: ")).toBe(isRejected);
      }
      expect(client.responsesTo(4242)).toEqual([]);
    },
  );
});

describe("what is checked and what is sent (M2)", () => {
  it.each([
    ["twice", `${TOOL},"arguments":{"path":"FIRST"},"arguments":{"path":"LAST"}`],
    ["with escapes", `${TOOL},"\\u0061rguments":{"path":"ONLY"}`],
    ["both ways", `${TOOL},"arguments":{"path":"FIRST"},"\\u0061rguments":{"path":"LAST"}`],
    ["in capitals", `${TOOL},"Arguments":{"path":"ONLY"}`],
    ["the tool twice", `${TOOL},${TOOL}`],
  ])("are the same: arguments written %s are refused", async (_what, input) => {
    const workbench = await startWorkbench(cleanup, dev({ rec: recording("any") }));
    const client = await connected(workbench);
    const params = `{"name":"use_tool","arguments":{${input}}}`;
    expect(toolErrorOf(await client.requestText("tools/call", params))).toMatch(
      /^Invalid parameters: .*(arguments|tool)/,
    );
    expect(receivedCalls(workbench.dir).calls).toHaveLength(1);
  });
});

describe("a method that may be mistaken for a filtered one (L4)", () => {
  it("does not reach the server, as a request or as a notification", async () => {
    const config = dev({ rec: filtered("any") });
    const workbench = await startHttpWorkbench(cleanup, config);
    const client = workbench.client("/mcp/dev/rec");
    await client.initialize();
    await client.ask("tools/call", { name: "safe" });
    const params = { name: "delete_all", arguments: {} };
    for (const method of [
      "Tools/Call",
      "tools/call ",
      "TOOLS/LIST",
      "\ttools/call",
      "tools/ca\u0000ll",
    ])
      expect(await client.ask(method, params)).toMatchObject({ error: { code: -32601 } });
    for (const method of ["tools/call", "Tools/Call", "tools/call "])
      await client.post({ jsonrpc: "2.0", method, params }).done();
    await client.ask("tools/call", { name: "safe" });
    const { calls, text } = receivedCalls(workbench.dir);
    expect(text).not.toContain("delete_all");
    expect(calls).toHaveLength(2);
  });

  it("does not reach servers behind the meta-tools as a notification", async () => {
    const workbench = await startWorkbench(cleanup, dev({ rec: filtered("any") }));
    const client = await connected(workbench);
    client.notify("tools/call", { name: "delete_all", arguments: {} });
    await useTool(client, "dev/rec/safe");
    expect(receivedCalls(workbench.dir).text).not.toContain("delete_all");
  });
});
