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
