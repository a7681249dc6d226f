import { describe, expect, it } from "vitest";

import { ClientCall } from "../../calls/call.ts";
import type { CallClient } from "../../calls/call.ts";
import type { Destination } from "../../calls/destination.ts";
import { type Outcome, result, textResult } from "../../calls/outcome.ts";
import { estimateTokens } from "../../text/estimate-tokens.ts";
import { Line } from "../../wire/lines.ts";
import type { IncomingRequest } from "../../wire/messages.ts";
import { readServerLine, type ServerResponse } from "../../wire/response.ts";
import { TokenCounter } from "./token-counter.ts";

const DIRECT = 5000;
const OPENED = 3000;
const INSTRUCTIONS = 100;

function newCounter(): TokenCounter {
  return new TokenCounter({
    direct: () => DIRECT,
    opened: () => OPENED,
    instructions: () => INSTRUCTIONS,
  });
}

function client(name = "agent", more: Partial<CallClient> = {}): CallClient {
  const profile = { client: { capabilities: {}, info: { name } } };
  const principal = { kind: "stdio", id: "stdio", name: "stdio", readOnly: false };
  const scope = new Map([["dev", {}]]);
  return { era: "legacy", profile, principal, scope, ...more } as unknown as CallClient;
}

function call(caller: CallClient, method: string, params: object = {}): ClientCall {
  const text = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const request = { method, params, text, idText: "1" } as unknown as IncomingRequest;
  return new ClientCall(caller, request);
}

const metaTool = (caller: CallClient, name: string, input: object): ClientCall =>
  call(caller, "tools/call", { name, arguments: input });

function toolCall(caller: CallClient, parent?: ClientCall): ClientCall {
  const made = metaTool(caller, "use_tool", { arguments: { path: "a" } });
  const tool = { toolbox: "dev", server: "fs", name: "read" };
  const argumentsAt = "params.arguments.arguments";
  made.destination = { server: {}, tool, argumentsAt } as unknown as Destination;
  made.parent = parent;
  return made;
}

function response(text: string): ServerResponse {
  const message = { jsonrpc: "2.0", id: 1, result: { content: [{ type: "text", text }] } };
  const read = readServerLine(Line.of(JSON.stringify(message)));
  if (read.kind !== "answer") throw new Error("not an answer");
  return read.response;
}

const answered = (text: string): Outcome => ({ kind: "response", response: response(text) });
const counts = { kind: "client", start: 0, search: 0, results: 0, scripts: 0, discovery: 0 };

describe("TokenCounter", () => {
  it("counts the start of a conversation once", () => {
    const counter = newCounter();
    const agent = client();
    const list = '{"tools":[{"name":"use_tool"}]}';
    counter.count(call(agent, "tools/list"), result(list));
    counter.count(call(agent, "tools/list"), result(list));
    const discovery = INSTRUCTIONS + estimateTokens(list);
    expect(counter.take()).toEqual([
      { client: "agent", toolbox: "dev", ...counts, start: DIRECT },
      { client: "agent", toolbox: null, ...counts, discovery },
    ]);
    counter.count(call(client(), "tools/list"), result(list));
    expect(counter.take()).toHaveLength(2);
  });

  it("counts definitions that become known after the start, once", () => {
    let direct = 0;
    const counter = new TokenCounter({
      direct: () => direct,
      opened: () => OPENED,
      instructions: () => INSTRUCTIONS,
    });
    counter.count(call(client(), "tools/list"), result('{"tools":[]}'));
    const start = (): number => counter.take().reduce((sum, entry) => sum + entry.start, 0);
    expect(start()).toBe(0);
    direct = 300;
    expect(start()).toBe(300);
    direct = 500;
    expect(start()).toBe(200);
    expect(start()).toBe(0);
  });

  it("counts one conversation for a modern client, and access tokens by their names", () => {
    const counter = newCounter();
    const principal = { kind: "token", id: "t1", name: "ci", readOnly: false } as const;
    for (let i = 0; i < 3; i++)
      counter.count(
        call(client("x", { era: "modern", principal }), "tools/list"),
        result('{"tools":[]}'),
      );
    counter.count(call(client("ci"), "tools/list"), result('{"tools":[]}'));
    expect(counter.take().filter(({ start }) => start > 0)).toEqual([
      { ...counts, kind: "token", client: "ci", toolbox: "dev", start: DIRECT },
      { ...counts, kind: "client", client: "ci", toolbox: "dev", start: DIRECT },
    ]);
  });

  it("counts what a list grows by", () => {
    const counter = newCounter();
    const agent = client();
    const short = '{"tools":[]}';
    const long = JSON.stringify({
      tools: [{ name: "dev__fs__read", description: "Reads a file." }],
    });
    counter.count(call(agent, "tools/list"), result(short));
    counter.take();
    counter.count(call(agent, "tools/list"), result(long));
    const discovery = estimateTokens(long) - estimateTokens(short);
    expect(counter.take()).toEqual([{ client: "agent", toolbox: null, ...counts, discovery }]);
  });

  it("compares a search with opening the toolbox it found, once", () => {
    const counter = newCounter();
    const agent = client();
    const text = "dev/fs/read(path: string) — Reads a file\ndev/fs/write(path: string)";
    const cost = estimateTokens(text) + estimateTokens('{"query":"read"}');
    counter.count(metaTool(agent, "search_tools", { query: "read" }), textResult(text));
    counter.count(metaTool(agent, "search_tools", { query: "read" }), textResult(text));
    expect(counter.take()).toEqual([
      { client: "agent", toolbox: "dev", ...counts, search: OPENED - cost, discovery: 2 * cost },
    ]);
  });

  it("counts opening a toolbox as a cost, after which a search saves nothing", () => {
    const counter = newCounter();
    const agent = client();
    const text = '{"toolbox":"dev","tools":[]}';
    counter.count(metaTool(agent, "open_toolbox", { toolbox: "dev" }), textResult(text));
    counter.count(metaTool(agent, "search_tools", { query: "x" }), textResult("dev/fs/read()"));
    const written = estimateTokens('{"toolbox":"dev"}') + estimateTokens('{"query":"x"}');
    const discovery = written + estimateTokens(text) + estimateTokens("dev/fs/read()");
    expect(counter.take()).toEqual([{ client: "agent", toolbox: "dev", ...counts, discovery }]);
  });

  it("counts what stays inside of a script, less the script and its result", () => {
    const counter = newCounter();
    const agent = client();
    const script = metaTool(agent, "run_script", { script: "return 1" });
    const inside = [toolCall(agent, script), toolCall(agent, script)];
    for (const nested of inside) counter.count(nested, answered("many words ".repeat(100)));
    counter.count(script, textResult("1"));
    // What the model would write: the arguments alone.
    const nested = 2 * estimateTokens('{"path":"a"}');
    const results = 2 * estimateTokens("many words ".repeat(100));
    const cost = estimateTokens('{"script":"return 1"}') + estimateTokens("1");
    expect(counter.take()).toEqual([
      { client: "agent", toolbox: "dev", ...counts, scripts: nested + results - cost },
    ]);
  });

  it("counts the calls of a saved script that a script calls, not the saved script", () => {
    const count = (levels: number): number => {
      const counter = newCounter();
      const agent = client();
      const script = metaTool(agent, "run_script", { script: "return 1" });
      const saved = levels > 1 ? toolCall(agent, script) : undefined;
      counter.count(toolCall(agent, saved ?? script), answered("many words ".repeat(100)));
      if (saved !== undefined) counter.count(saved, answered("few words"));
      counter.count(script, textResult("1"));
      return counter.take()[0]?.scripts ?? 0;
    };
    expect(count(2)).toBe(count(1));
  });

  it("counts a script without calls as a loss, and direct calls not at all", () => {
    const counter = newCounter();
    const agent = client();
    counter.count(toolCall(agent), answered("words"));
    expect(counter.take()).toEqual([]);
    counter.count(metaTool(agent, "run_script", { script: "return 1" }), textResult("1"));
    expect(counter.take()[0]?.scripts).toBeLessThan(0);
  });

  it("counts results that were stored instead of sent", () => {
    const counter = newCounter();
    const stored = response("many words ".repeat(40_000));
    const given = response("r1");
    counter.countStored(toolCall(client()), stored, given);
    const [entry] = counter.take();
    const exact = estimateTokens("many words ".repeat(40_000));
    expect(entry?.results).toBeGreaterThan(exact * 0.95);
    expect(entry?.results).toBeLessThan(exact * 1.05);
  });

  it("takes back what could not be written", () => {
    const counter = newCounter();
    const agent = client();
    counter.count(metaTool(agent, "run_script", { script: "return 1" }), textResult("1"));
    const counted = counter.take();
    counter.putBack(counted);
    counter.count(metaTool(agent, "run_script", { script: "return 1" }), textResult("1"));
    expect(counter.take()[0]?.scripts).toBe(2 * (counted[0]?.scripts ?? 0));
  });

  it("stores names of clients as one short line", () => {
    const counter = newCounter();
    counter.count(call(client(`a\n\u001b[31m${"x".repeat(200)}`), "tools/list"), result("{}"));
    expect(counter.take()[0]?.client).toMatch(/^a \\u001b\[31mx{1,60}$/);
  });
});
