import { describe, expect, it } from "vitest";

import { QuickJsEngine } from "../scripts/engine/quickjs-engine.ts";
import { wrapped } from "../scripts/engine/wrapped-script.ts";
import { readEngine } from "../scripts/engine/wasm-module.ts";
import { fitsInScript, maxTextBytes } from "./script-memory.ts";

const MEMORY_MB = 8;
const LIMITS = { memoryMb: MEMORY_MB, cpuMs: 60_000, calls: 1, parallel: 1 };
const HOST = {
  onRequest: () => {},
  onLog: () => {},
  onEmit: () => undefined,
  onEnter: () => {},
  onLeave: () => {},
};

async function run(source: string, text: string) {
  const engine = await QuickJsEngine.create(readEngine(), LIMITS, HOST);
  return engine.start({ source: wrapped(source), input: "{}", results: { r1: text } });
}

const list = (count: number, item: (i: number) => unknown): unknown[] =>
  Array.from({ length: count }, (_, i) => item(i));

const KINDS: [string, (count: number) => object][] = [
  ["small objects", (count) => list(count, () => ({ a: 1 }))],
  ["rows", (count) => list(count, (id) => ({ id, name: `row ${id}`, ok: true, tags: [] }))],
  ["short texts", (count) => list(count, () => "ab")],
  ["short wide texts", (count) => list(count, () => "漢")],
  ["numbers", (count) => list(count, (i) => i)],
  ["lists", (count) => list(count, () => [1])],
  ["a map", (count) => Object.fromEntries(list(count, (i) => [`k${i}`, 1]) as [string, number][])],
  ["long texts", (count) => list(count / 5, () => "long text ".repeat(50))],
];

/** The largest count, roughly, of which a value is expected to fit. */
function largest(valueOf: (count: number) => object): number {
  let count = 100;
  for (let next = count; next < 1e6; next = Math.ceil(next * 1.2)) {
    const value = valueOf(next);
    const text = JSON.stringify(value);
    if (text.length > maxTextBytes(MEMORY_MB) || !fitsInScript(text, value, MEMORY_MB)) break;
    count = next;
  }
  return count;
}

describe("the memory of a script", () => {
  it.each(KINDS)("has room for as many %s as it is said to have", async (_what, valueOf) => {
    const count = largest(valueOf);
    expect(count).toBeGreaterThan(100);
    const text = JSON.stringify(valueOf(count));
    const read = "results.r1.slice?.(0, 20).length ?? Object.keys(results.r1).slice(0, 20).length";
    expect(await run(`return ${read}`, text)).toEqual({ kind: "value", text: "20" });
  });

  it("has room for the largest text that is stored, in any script", async () => {
    for (const letter of ["x", "漢"]) {
      const bytes = maxTextBytes(MEMORY_MB);
      const text = letter === "x" ? "x".repeat(bytes) : `漢${"x".repeat(bytes - 3)}`;
      const end = await run('return results.text("r1").slice(1500, 6500).length', text);
      expect(end).toEqual({ kind: "value", text: "5000" });
    }
  });

  it("is named by the error for JSON that has no room, which does not become a text", async () => {
    const text = JSON.stringify(list(100_000, () => ({ a: 1 })));
    expect(fitsInScript(text, JSON.parse(text), MEMORY_MB)).toBe(false);
    const end = await run("return typeof results.r1", text);
    expect(end).toMatchObject({
      kind: "error",
      error: {
        message:
          'results.r1 needs more memory than a script has (setting scripts.memoryMb); results.text("r1") is its text',
      },
    });
    const caught = "try { results.r1 } catch { return results.text('r1').length }";
    expect(await run(caught, text)).toEqual({ kind: "value", text: String(text.length) });
    expect(await run("return typeof results.r1", `x${text}`)).toEqual({
      kind: "value",
      text: "string",
    });
  });

  it("is named by the error for a call, too", async () => {
    const source = wrapped('return typeof await call("a/b/c")');
    const text = JSON.stringify(list(100_000, () => ({ a: 1 })));
    for (const kind of ["text", "json"] as const) {
      const engine = await QuickJsEngine.create(readEngine(), LIMITS, HOST);
      expect(engine.start({ source, input: "{}", results: {} })).toBeUndefined();
      expect(engine.settle(1, { kind, text })).toMatchObject({
        kind: "error",
        error: {
          message:
            "The result of a/b/c needs more memory than a script has (setting scripts.memoryMb)",
        },
      });
    }
  });

  it("has no room for values that are nested too deeply", () => {
    const text = "[".repeat(200) + "]".repeat(200);
    expect(fitsInScript(text, JSON.parse(text), MEMORY_MB)).toBe(false);
  });
});
