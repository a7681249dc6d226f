import { describe, expect, it } from "vitest";

import { LIMITS, startedScript } from "../../test/support/fake-engine-host.ts";
import { RanCalls } from "./ran-calls.ts";
import { scriptAnswer } from "./script-answer.ts";
import type { RunEnd } from "./script-run.ts";
import type { ScriptText } from "./script-text.ts";

const SETTINGS = { ...LIMITS, totalMs: 1, outputChars: 20_000, sourceBytes: 65_536 };
const OUTPUT = { value: undefined, valueChars: 0, log: "", logChars: 0, emitted: [], cpuMs: 0 };

async function answerTo(
  end: RunEnd,
  script: ScriptText = { source: "" },
  isShared = false,
): Promise<{ text: string; failed: string | undefined }> {
  const report = { end, output: OUTPUT, calls: new RanCalls(), resultBytes: 0, ms: 0, isShared };
  const outcome = await scriptAnswer(report, script, SETTINGS, {
    limit: { chars: SETTINGS.outputChars, reason: "the test" },
    store: async () => undefined,
  });
  if (outcome.kind !== "result") throw new Error(outcome.kind);
  const { content } = JSON.parse(outcome.result as string) as { content: { text: string }[] };
  return { text: content[0]?.text ?? "", failed: outcome.failed };
}

/** What an agent reads about a script that fails, without the calls. */
async function failureOf(source: string): Promise<string> {
  const { end } = await startedScript(source);
  if (end?.kind !== "error") throw new Error(JSON.stringify(end));
  return (await answerTo(end, { source })).text.replace("\nNo calls were made.", "");
}

/** The position of the mark `^` in a source, as it is written in an error. */
function marked(source: string): { source: string; position: string } {
  const before = source.slice(0, source.indexOf("^")).split("\n");
  const position = `at line ${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
  return { source: source.replace("^", ""), position };
}

describe("the place of an error", () => {
  it.each([
    "^missing();",
    "  ^missing();",
    "const f = () => { ^missing(); }; f();",
    "await 1;\n  ^undefined.x;",
    "throw new ^Error('x')",
    "let ü = 'ä😀'; ^missing()",
    "^call(1)",
    "const x = 1; await ^call(1, {})",
    "await ^tools.a.b({})",
    "await 1;\n  await ^call(1)",
    "const a = 1, b = [1, 2]; await ^call('a/b/c', b.map((x) => x + a))",
    "const a = 1; await ^call(\n  'a/b/c',\n  [a]\n)",
    "const o = { get a() { return ^missing() } }; await call('a/b/c', o)",
    "const a = {}; a.a = a; await ^call('a/b/c', a)",
    // TypeScript
    "let v: Record<string, number> = {}; ^missing();",
    "type Ä = 'ä'; let v: Ä = 'ä' as Ä; ^missing<string>(v!)",
    "interface A {\n  b: number }\nconst t = `a${v as string} b`; var v: any; ^missing()",
    "const f = (a: string): string => ^missing(a as string); f('' as string)",
    "const o = `${f() as string}`; async function f(): Promise<string> {} let q: any; ^missing(q!)",
    "enum E { One }\nlet e: E = E.One; ^missing()",
    "const o: any = { x(this: any, a: number): void {} }; o.^y(1 as number)",
  ])("is exact in %j", async (text) => {
    const { source, position } = marked(text);
    const [first] = (await failureOf(source)).split("\n");
    expect(first?.slice(first.indexOf(" at line") + 1)).toBe(position);
  });

  it.each([
    ["if (1) {\n  x();\n", "at line 2:7\n2 |   x();\n          ^"],
    ["x();\n}\n", "at line 2:2\n2 | }\n     ^"],
    ["return 1 +", "at line 1:11"],
    ["let a: number = 1;\nfoo(a", "at line 2:6"],
  ])("is the end of the script %j if that is missing or superfluous", async (source, place) => {
    const text = await failureOf(source);
    expect(text).toContain("SyntaxError: unexpected end: something is not closed");
    expect(text).toContain(place);
  });

  it("is the same in the stack that the script sees", async () => {
    const { end } = await startedScript("  try { missing() } catch (e) { return e.stack }");
    expect(end).toMatchObject({ text: expect.stringMatching(/^ +at \S+ \(script:1:9\)\n/) });
    const { engine } = await startedScript(
      "try { await call('a/b/c') } catch (e) { return e.stack }",
    );
    expect(engine.settle(1, { kind: "error", text: '{"message":"m"}' })).toMatchObject({
      text: expect.stringContaining("(script:1:13)"),
    });
  });

  it("of endless recursion is known, too", async () => {
    expect(await failureOf("const r = () => r();\nr();")).toMatch(
      /^RangeError: Maximum call stack size exceeded at line 1:17\n/,
    );
  });
});

describe("the message of an error", () => {
  it("of a shared limit says that other scripts used it, too", async () => {
    const end: RunEnd = { kind: "limit", limit: "cpuMs" };
    expect((await answerTo(end, { source: "" }, true)).text).toContain(
      "the scripts of this call computed for more than 60000 ms in all (setting scripts.cpuMs).",
    );
  });

  it.each([
    ["throw 5", "Error: The script threw 5, which is not an Error at line 1:1"],
    ["throw undefined; throw 5", "Error: The script threw undefined, which is not an Error"],
    ["throw {message:'m',stack:5}", "Error: m at line 1:1"],
    ["throw { c: 7 }", 'Error: The script threw {"c":7}, which is not an Error at line 1:1'],
    ["await Promise.reject('p')", "Error: The script threw p, which is not an Error"],
  ])("of %s says what was thrown", async (source, text) => {
    expect((await failureOf(source)).split("\n")[0]).toBe(text);
  });

  it.each([
    ["throw new Error('a', { cause: new RangeError('b') })", "Error: a (caused by RangeError: b)"],
    [
      "await Promise.any([Promise.reject(new Error('p')), Promise.reject(7)])",
      "AggregateError: (caused by Error: p; 7)",
    ],
  ])("of %s names the causes", async (source, text) => {
    expect((await failureOf(source)).split(" at line")[0]).toBe(text);
  });

  it("is in the JSON of an error", async () => {
    const source =
      "return [new TypeError('a'), ...(await Promise.allSettled([Promise.reject(new Error('b'))]))]";
    expect((await startedScript(source)).end).toEqual({
      kind: "value",
      text: JSON.stringify([
        { name: "TypeError", message: "a" },
        { status: "rejected", reason: { name: "Error", message: "b" } },
      ]),
    });
  });

  it.each([
    ["const x: = 1", /^SyntaxError: Unexpected token \(TypeScript\) at line 1:10\n/],
    ["const x = ;", /^SyntaxError: unexpected token in expression: ';' at line 1:11\n/],
    [
      "let a: number;\n  namespace N { export const a = 1 }\nreturn N.a",
      /^SyntaxError: TypeScript namespaces are not supported in scripts; use an object at line 2:3\n/,
    ],
  ])("of %j is that of the parser which came furthest", async (source, text) => {
    expect(await failureOf(source)).toMatch(text);
  });

  it("is not about namespaces that are only mentioned or declared", async () => {
    const source =
      'enum E { A } const s: string = "namespace X {"; declare namespace D { const a: 1 }\nreturn s';
    expect((await startedScript(source)).end).toEqual({ kind: "value", text: "namespace X {" });
  });
});

describe("an error of a script that another script called", () => {
  const inner = "ToolError: boom at inner.ts:3:5\n3 |     call()\n        ^\nCalls that ran: 1";
  const failed = async (source: string, meta: object): Promise<string> => {
    const { engine } = await startedScript(source);
    const result = { content: [{ type: "text", text: inner }], isError: true, _meta: meta };
    const text = JSON.stringify({ message: inner, text: inner, result });
    const end = engine.settle(1, { kind: "error", text });
    if (end?.kind !== "error") throw new Error(JSON.stringify(end));
    return (await answerTo(end, { source })).text;
  };
  const nested = { "mcp-workbench/script": { calls: 1 } };

  it.each([
    "await call('dev/saved/inner')",
    "try { await call('dev/saved/inner') } catch (e) { throw e }",
  ])("is one chain of places: %s", async (source) => {
    const text = await failed(source, nested);
    const column = source.indexOf("call") + 1;
    const mark = `${" ".repeat(column + 3)}^`;
    expect(text).toBe(
      `${inner}\nCalled at line 1:${column}\n1 | ${source}\n${mark}\nNo calls were made.`,
    );
  });

  it("is not confused with errors of other tools", async () => {
    expect(await failed("await call('a/b/c')", {})).toMatch(/^ToolError: ToolError: boom at inner/);
  });
});

const NO_MODULES =
  'Scripts have no modules, files, network or environment. Call tools: await call("toolbox/server/tool", { … })';

describe("an error about what scripts do not have", () => {
  it.each([
    ['^import fs from "fs";', "SyntaxError: Scripts cannot import modules", NO_MODULES],
    ["x();\nimport ^{ a } from 'a'", "SyntaxError: Scripts cannot import modules", NO_MODULES],
    ['let a: number;\nimport ^"x"', "SyntaxError: Scripts cannot import modules", NO_MODULES],
    [
      "return await ^import('fs')",
      "ReferenceError: Scripts cannot import modules: 'fs'",
      NO_MODULES,
    ],
    ['const fs = ^require("fs")', "ReferenceError: require is not defined", NO_MODULES],
    ["await ^fetch('x')", "ReferenceError: fetch is not defined", NO_MODULES],
    [
      "await new Promise((r) => ^setTimeout(r, 1))",
      "ReferenceError: setTimeout is not defined",
      "Scripts have no timers. Write: await sleep(milliseconds)",
    ],
    [
      "[1].map((x) => await ^call('a/b/c', { x }))",
      "SyntaxError: await is used in a function that is not async",
      "Write: async () => …, and await Promise.all(…) for a list of them",
    ],
    [
      "return tools.dev.my-^server.get({})",
      "ReferenceError: server is not defined",
      'Write names with a dash in brackets: tools.dev["my-server"]["my-tool"](…)',
    ],
    [
      "await ^use_tool({})",
      "ReferenceError: use_tool is not defined",
      'Write: await call("toolbox/server/tool", { … })',
    ],
    [
      "^export default async function run() {}",
      "SyntaxError: A script exports nothing",
      "It is the body of an async function. Write: return …",
    ],
    [
      "class A {\n  ^@x y: number = 1 }",
      "SyntaxError: Scripts have no decorators",
      "Call the function instead: const decorated = decorator(…)",
    ],
  ])("in %j says what to write instead", async (text, message, hint) => {
    const { source, position } = marked(text.replace("^import fs", "import ^fs"));
    const [first, line, mark, last, ...rest] = (await failureOf(source)).split("\n");
    expect(first).toBe(`${message} ${position}`);
    expect([line, mark?.trim(), last, rest]).toEqual([
      expect.stringContaining(" | "),
      "^",
      hint,
      [],
    ]);
  });

  it("says nothing about names that the script itself has forgotten to define", async () => {
    expect(await failureOf("missing()")).not.toContain("Scripts");
  });
});

describe("a value that contains itself", () => {
  it.each([
    [
      "const a = {}; a.a = a; ^return a",
      "The script returned a value that contains itself; leave out 'a'",
    ],
    ["const a = { b: [{}] }; a.b[0].c = a.b;\n^return a", "contains itself; leave out 'b.0.c'"],
    [
      "const a = {}; a.x = a; await ^call('a/b/c', { a })",
      "The arguments of a/b/c have a value that contains itself; leave out 'a.x'",
    ],
    ["^return () => 1", "The script returned a function, which cannot be shown"],
  ])("in %j is named, with its place", async (text, message) => {
    const { source, position } = marked(text);
    const [first = ""] = (await failureOf(source)).split("\n");
    expect(first).toContain(message);
    expect(first.endsWith(position)).toBe(true);
  });

  it("is not blamed for an error of its own code", async () => {
    const source = "const a = { toJSON() { throw new TypeError('mine') } };\nreturn a";
    expect(await failureOf(source)).toMatch(/^TypeError: mine at line 1:/);
  });
});

describe("what is around a script in other places", () => {
  it.each([
    ["#!/usr/bin/env node\nreturn 1", "1"],
    ["#!/usr/bin/env node\nlet a: number = 1; return a", "1"],
    ["```js\nreturn 1\n```", "1"],
    ["\n```typescript \nlet a: number = 1;\nreturn a\n```\n", "1"],
    ["return `a`", "a"],
  ])("does not matter: %j", async (source, value) => {
    expect((await startedScript(source)).end).toEqual({ kind: "value", text: value });
  });

  it("does not move the places of errors", async () => {
    expect(await failureOf("#!/bin/x\n  missing()")).toContain("at line 2:3\n2 |   missing()");
    expect(await failureOf("```\nmissing()\n```")).toContain("at line 2:1\n2 | missing()");
  });
});

describe("the outcome of a script", () => {
  it.each<[RunEnd, string]>([
    [{ kind: "limit", limit: "totalMs", queuedMs: 0 }, "timeout"],
    [{ kind: "limit", limit: "cpuMs" }, "timeout"],
    [{ kind: "limit", limit: "memoryMb" }, "tool_error"],
    [{ kind: "stalled" }, "tool_error"],
    [{ kind: "error", error: { name: "Error", message: "m", stack: "" } }, "tool_error"],
  ])("for the end %j is %s", async (end, outcome) => {
    expect((await answerTo(end)).failed).toBe(outcome);
  });
});
