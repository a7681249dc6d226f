import { describe, expect, it, vi } from "vitest";

import {
  FakeEngineHost,
  LIMITS,
  engineModule,
  startedScript as started,
} from "../../../test/support/fake-engine-host.ts";
import type { ScriptEnd } from "./engine.ts";
import { QuickJsEngine } from "./quickjs-engine.ts";

const json = (value: unknown): { kind: "json"; text: string } => ({
  kind: "json",
  text: JSON.stringify(value),
});

describe("a script in the engine", () => {
  it("returns strings as they are, and everything else as compact JSON", async () => {
    const value = async (source: string): Promise<ScriptEnd | undefined> =>
      (await started(source)).end;
    expect(await value("return 'a\\u0000b'")).toEqual({ kind: "value", text: "a\0b" });
    expect(await value("return { a: [1, null], b: input.a }")).toEqual({
      kind: "value",
      text: '{"a":[1,null],"b":1}',
    });
    expect(await value("return [new Map([['k', 1]]), new Set([2]), 3n]")).toEqual({
      kind: "value",
      text: '[{"k":1},[2],"3"]',
    });
    expect(await value("")).toEqual({ kind: "value", text: undefined });
  });

  it("has no more calls open than the limit, and starts the next in order", async () => {
    const { host, engine } = await started(
      "return await Promise.all([1, 2, 3].map((n) => tools.a['b-c'].d({ n })))",
    );
    expect(host.requests).toEqual([
      { id: 1, kind: "call", subject: "a/b-c/d", args: '{"n":1}' },
      { id: 2, kind: "call", subject: "a/b-c/d", args: '{"n":2}' },
    ]);
    expect(engine.settle(2, json("two"))).toBeUndefined();
    expect(host.requests.at(-1)).toMatchObject({ id: 3 });
    engine.settle(1, { kind: "text", text: "one" });
    expect(engine.settle(3, { kind: "text", text: "3" })).toEqual({
      kind: "value",
      text: '["one","two",3]',
    });
  });

  it.each([
    ["call(1)", /call expects "toolbox\/server\/tool"/],
    ["call('a/b/c', 1)", /arguments of a\/b\/c must be one object/],
    ["call('a/b/c', [])", /must be one object/],
    ["tools.a.b({})", /tools\.a\.b is not a tool/],
    ["results.r7", /no stored result 'r7'/],
    ["sleep(-1)", /sleep expects/],
    ["emit({})", /emit expects a media block/],
    ["emit({ $media: 'm9' })", /no result of this script has the media block 'm9'/],
    ["emit({ $media: 'm2' })", /at most 8 MB/],
  ])("is refused %s", async (source, message) => {
    const { end } = await started(`await ${source}`);
    expect(end).toMatchObject({
      kind: "error",
      error: { message: expect.stringMatching(message) },
    });
  });

  it("gets stored results as JSON, or as text", async () => {
    const results = { r1: '{"rows":[1,2]}', r2: "plain" };
    const { end } = await started(
      "return [results.r1.rows[1], results['r2'], 'r1' in results]",
      results,
    );
    expect(end).toEqual({ kind: "value", text: '[2,"plain",true]' });
  });

  it("gets errors of tools with the place of the call", async () => {
    const { engine } = await started("const a = 1;\n  await call('a/b/c');");
    const error = { kind: "error" as const, text: '{"message":"no","code":-1}' };
    const end = engine.settle(1, error);
    expect(end).toMatchObject({ kind: "error", error: { name: "ToolError", message: "no" } });
    expect(JSON.stringify(end)).toMatch(/script:2:\d+/);
  });

  it("gets what is known about an error of a tool", async () => {
    const { engine } = await started(
      "try { await call('a/b/c') } catch (e) { return [e.message, e.tool, e.code, e.text, e.data, e.result] }",
    );
    const error = { message: "m", code: -1, text: "t", data: { d: 1 }, result: { isError: true } };
    expect(engine.settle(1, { kind: "error", text: JSON.stringify(error) })).toEqual({
      kind: "value",
      text: '["m","a/b/c",-1,"t",{"d":1},{"isError":true}]',
    });
  });

  it("keeps a byte order mark in what it returns, prints and sends", async () => {
    const { end, host } = await started(
      "console.log('\\ufeffa', '\\ufeff'); call('\\ufeffx/y/z'); return '\\ufeff\\ufeffä'",
    );
    expect(end).toMatchObject({ text: "\ufeff\ufeffä" });
    expect(host.log).toEqual(["\ufeffa \ufeff"]);
    expect(host.requests[0]?.subject).toBe("\ufeffx/y/z");
    expect((await started("return '\\ufeff\\ud800'")).end).toMatchObject({ text: "\ufeff\ud800" });
  });

  it("reports how many calls were never sent", async () => {
    const { end } = await started("for (let i = 0; i < 5; i++) call('a/b/c'); sleep(1); return 1");
    expect(end).toEqual({ kind: "value", text: "1", unsent: 3 });
    const failed = await started("for (let i = 0; i < 5; i++) call('a/b/c'); throw new Error()");
    expect(failed.end).toMatchObject({ kind: "error", unsent: 3 });
  });

  it("starts no call when it reads or shows a table of tools", async () => {
    const { end, host } = await started(
      "console.log(tools.a.b.c); return [`${tools.a.b}`, tools.a.b.c + '', JSON.stringify({ t: tools.a.b }), String(tools.a.b.valueOf)]",
    );
    expect(end).toEqual({ kind: "value", text: '["tools.a.b","tools.a.b.c","{}","undefined"]' });
    expect([host.log, host.requests]).toEqual([["tools.a.b.c"], []]);
  });

  it.each(["() => 1", "tools.a", "Symbol()"])("cannot return %s", async (value) => {
    const { end, host } = await started(`return ${value}`);
    expect(end).toMatchObject({
      kind: "error",
      error: {
        message: expect.stringMatching(/^The script returned a (function|symbol)/) as string,
      },
    });
    expect(host.requests).toEqual([]);
  });

  it("cannot be awaited for ever by a table of tools", async () => {
    const { end } = await started("const t = await tools; await t.a; return typeof t.then");
    expect(end).toEqual({ kind: "value", text: "undefined" });
  });

  it("gets the errors of tools also if it has changed what all objects inherit", async () => {
    const { engine, host } = await started(
      "Object.prototype.get = Object.prototype.value = () => 1;\nawait call('a/b/c', { a: input })",
    );
    expect(host.requests).toHaveLength(1);
    const answer = { kind: "error", text: '{"message":"m","code":"C"}' } as const;
    expect(engine.settle(1, answer)).toMatchObject({
      error: { name: "ToolError", message: "m", stack: expect.stringContaining("script:2:7") },
    });
  });

  it("is not charged for the time in which it waits", async () => {
    const { engine } = await started("await call('a/b/c'); await sleep(5); return 1");
    const used = engine.cpuMs;
    const begin = performance.now();
    const clock = vi.spyOn(performance, "now");
    try {
      // Each answer arrives after all of the time that it may compute.
      for (const id of [1, 2]) {
        clock.mockReturnValue(begin + id * 2 * LIMITS.cpuMs);
        const end = engine.settle(id, { kind: "json", text: "null" });
        expect(end).toEqual(id === 2 ? { kind: "value", text: "1" } : undefined);
      }
      expect(engine.cpuMs).toBe(used);
    } finally {
      clock.mockRestore();
    }
  });

  it("continues from its image", async () => {
    const { engine, host } = await started(
      "const kept = { n: 1 }; const x = await call('a/b/c'); console.log('after'); return [kept.n, x]",
    );
    const image = engine.image();
    engine.dispose();
    const other = new FakeEngineHost();
    const restored = await QuickJsEngine.restore(engineModule(), image, LIMITS, other);
    expect(restored.settle(1, json({ y: 2 }))).toEqual({ kind: "value", text: '[1,{"y":2}]' });
    expect([host.log, other.log]).toEqual([[], ["after"]]);
  });
});

describe("a script that does not fit", () => {
  it.each([
    ["})(); (async () => { return 7"],
    ["})(); while (1); (async () => {"],
    ["}[input] = {"],
    ["}, function () {"],
    ["'use strict'; }); (function () {"],
  ])("may not close the function around it: %s", async (source) => {
    const { end } = await started(source);
    const message: unknown = expect.stringMatching(/closes a brace .* that it did not open/);
    expect(end).toMatchObject({ kind: "error", error: { name: "SyntaxError", message } });
  });

  it.each([
    ["'}'; /* } */ return 1 // }", "1"],
    ["function a() {} var a = 1; return a", "1"],
    ["'use strict'; return this === undefined", "true"],
  ])("does not include %s", async (source, text) => {
    expect((await started(source)).end).toEqual({ kind: "value", text });
  });

  it.each(["json", "text"] as const)(
    "gets an error at the call if there is no memory for its result (%s)",
    async (kind) => {
      const source = `const all = [];
        for (let i = 0; i < ${LIMITS.memoryMb - 4}; i++) all.push(new Uint8Array(1 << 20));
        let caught;
        try { await call("a/b/c"); } catch (e) { caught = e; }
        all.length = 0;
        return [caught.name, caught.message, /script:4:/.test(caught.stack)];`;
      const { engine } = await started(source);
      const end = engine.settle(1, { kind, text: JSON.stringify("x".repeat(8 << 20)) });
      expect(end).toEqual({ kind: "value", text: '["InternalError","out of memory",true]' });
    },
  );
});

describe("a module", () => {
  const described = async (source: string) => (await started(source, {}, "describe")).end;
  const ran = async (source: string) => started(source, {}, "run");

  it("describes itself, or runs its function with the input", async () => {
    const source =
      "export const description = 'D'; export const input = { type: 'object' }; export const run = async (i) => [i, input];";
    expect(await described(source)).toEqual({
      kind: "value",
      text: '{"description":"D","input":{"type":"object"},"run":"function"}',
    });
    expect((await ran(source)).end).toEqual({
      kind: "value",
      text: '[{"a":1},{"type":"object"}]',
    });
  });

  it.each([
    ["export function* run() {}", "generator"],
    ["export async function* run() {}", "generator"],
    ["export const run = 1", "number"],
    ["", "undefined"],
  ])("says what it has as a function: %j", async (source, kind) => {
    expect(await described(source)).toEqual({ kind: "value", text: `{"run":"${kind}"}` });
  });

  it("can call tools only in its function", async () => {
    const source =
      "let early; try { early = await call('a/b/c') } catch (e) { early = e.code + ' ' + e.message } export const description = early; export const run = () => { call('a/b/d'); return early };";
    const reason = "NOT_RUNNING Tools can be called only in the exported function";
    const { end, host } = await ran(source);
    expect(end).toMatchObject({ text: reason });
    expect(host.requests.map(({ subject }) => subject)).toEqual(["a/b/d"]);
    expect(await described(source)).toMatchObject({ text: expect.stringContaining(reason) });
  });

  it.each(["import fs from 'node:fs';", "import 'node:fs';", "export * from 'node:fs';"])(
    "cannot import: %s",
    async (source) => {
      expect(await described(source)).toMatchObject({
        error: { message: "could not load module 'node:fs'" },
      });
    },
  );

  it("waits for nothing but itself at its top level", async () => {
    const settled = "const a = await Promise.resolve(7); export const run = () => a";
    expect((await ran(settled)).end).toEqual({ kind: "value", text: "7" });
    expect(await described("await sleep(60_000)")).toMatchObject({
      error: { message: "sleep can be used only in the exported function" },
    });
    expect(await described("await new Promise(() => {})")).toEqual({ kind: "stalled" });
  });
});
