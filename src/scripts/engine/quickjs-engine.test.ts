import { beforeAll, describe, expect, it } from "vitest";

import type { EngineHost, GuestRequest, ScriptEnd } from "./engine.ts";
import { QuickJsEngine, wrapped } from "./quickjs-engine.ts";
import { stripTypes } from "./strip-types.ts";
import { readEngine } from "./wasm-module.ts";

const LIMITS = { memoryMb: 16, cpuMs: 60_000, calls: 5, parallel: 2 };

class FakeHost implements EngineHost {
  readonly requests: GuestRequest[] = [];
  readonly log: string[] = [];
  readonly emitted: string[] = [];
  onRequest(request: GuestRequest): void {
    this.requests.push(request);
  }
  onLog(text: string): void {
    this.log.push(text);
  }
  onEmit(media: string): boolean {
    return this.emitted.push(media) > 0 && media === "m1";
  }
  onEnter(): void {}
  onLeave(): void {}
}

let wasm: WebAssembly.Module;
beforeAll(() => {
  wasm = readEngine();
});

async function started(
  source: string,
  results: Record<string, string> = {},
): Promise<{ host: FakeHost; engine: QuickJsEngine; end: ScriptEnd | undefined }> {
  const host = new FakeHost();
  const engine = await QuickJsEngine.create(wasm, LIMITS, host);
  return {
    host,
    engine,
    end: engine.start({ source: wrapped(source), input: '{"a":1}', results }),
  };
}

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
    expect(await value("return () => 1")).toEqual({ kind: "value", text: undefined });
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
    ["tools.a.b({})", /tools\.a\/b is not a tool/],
    ["results.r7", /no stored result 'r7'/],
    ["sleep(-1)", /sleep expects/],
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

  it("cannot be awaited for ever by a table of tools", async () => {
    const { end } = await started("const t = await tools; await t.a; return typeof t.then");
    expect(end).toEqual({ kind: "value", text: "undefined" });
  });

  it("continues from its image", async () => {
    const { engine, host } = await started(
      "const kept = { n: 1 }; const x = await call('a/b/c'); console.log('after'); return [kept.n, x]",
    );
    const image = engine.image();
    engine.dispose();
    const other = new FakeHost();
    const restored = await QuickJsEngine.restore(wasm, image, LIMITS, other);
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
    await expect(started(source)).rejects.toThrow(/closes a brace .* that it did not open/);
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

describe("a script in TypeScript", () => {
  it("keeps its lines when its types are removed", () => {
    const source = wrapped(
      "interface A {\n  b: number;\n}\nconst a = <T,>(x: T): T => x!;\nenum E { One }\nreturn a(E.One as number) satisfies number;",
    );
    const plain = stripTypes(source);
    expect(plain.split("\n")).toHaveLength(source.split("\n").length);
    expect(plain.split("\n")[5]).toMatch(/^return a\(E\.One\s*\)\s*;/);
  });
});
