/**
 * The limits of scripts, and what they can reach. A few hostile scripts; all of them are in
 * test/torture/hostile-scripts.timing.test.ts. In the full suite because each uses a limit up.
 */
import { cpSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { listTools, useTool } from "../support/calls.ts";
import { perBlock, perTest } from "../support/disposables.ts";
import { startHttpWorkbench } from "../support/http-workbench.ts";
import type { RawClient } from "../support/raw-client.ts";
import { errorOf, runRaw, scriptParams, valueOf } from "../support/scripts.ts";
import { dev, fixture } from "../support/servers.ts";
import { PROGRAM, startWorkbench, temporaryFolder } from "../support/workbench.ts";

const GLOBALS =
  "AggregateError Array ArrayBuffer AsyncDisposableStack BigInt BigInt64Array BigUint64Array Boolean DataView Date DisposableStack Error EvalError Float16Array Float32Array Float64Array Function Infinity Int16Array Int32Array Int8Array Iterator JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set String SuppressedError Symbol SyntaxError ToolError TypeError URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakSet atob btoa call console decodeURI decodeURIComponent emit encodeURI encodeURIComponent globalThis input isFinite isNaN parseFloat parseInt results sleep tools undefined";

const LIMITS = {
  // Time in which its thread waits for a processor counts, too.
  cpuMs: 600_000,
  memoryMb: 16,
  calls: 20,
  parallel: 2,
  outputChars: 1_000,
  sourceBytes: 5_000,
};

describe("a script", () => {
  const cleanup = perBlock();
  let client: RawClient;
  beforeAll(async () => {
    ({ client } = await startWorkbench(cleanup, dev({ fx: fixture() }, { scripts: LIMITS })));
  });

  it("has exactly these globals", async () => {
    const names = await runRaw(
      client,
      `const names = new Set();
       for (let o = globalThis; o !== null; o = Object.getPrototypeOf(o))
         if (o !== Object.prototype) for (const key of Reflect.ownKeys(o)) names.add(String(key));
       names.delete("Symbol(Symbol.toStringTag)");
       return [...names].sort().join(" ");`,
    );
    expect(names.content[0]?.text).toBe(GLOBALS);
  });

  it.each([
    ["needs too much memory", "return new Uint8Array(2e7).length", /out of memory.*16 MB/],
    [
      "waits for nothing",
      "await new Promise(() => {})",
      /waits for a promise that nothing will settle/,
    ],
    [
      "makes too many calls",
      "for (;;) await tools.dev.fx.echo({ text: '' })",
      /more than 20 calls \(setting scripts.calls\)/,
    ],
    ["is not JavaScript", "const 1 = 2;", /^SyntaxError: .* at line 1:\d+\n1 \| const 1 = 2;/],
    [
      "is nested too deeply",
      `return ${"[".repeat(2000)}${"]".repeat(2000)}`,
      /^RangeError: The script is nested too deeply/,
    ],
    [
      "closes the function around it",
      "})(); while (1); (async () => {",
      /^SyntaxError: The script closes a brace or parenthesis that it did not open/,
    ],
    [
      "recurses without end",
      "const f = () => f() + 1;\nf();",
      /^RangeError: Maximum call stack size exceeded at line 1:\d+/,
    ],
    ["throws something else", "throw { a: 1 }", /^Error: The script threw \{"a":1\}/],
    [
      "throws what cannot be shown",
      "throw new Proxy({}, { get() { throw 1 } })",
      /cannot be shown/,
    ],
  ])("that %s fails with the reason", async (_what, script, reason) => {
    expect(errorOf(await runRaw(client, script))).toMatch(reason);
    expect(valueOf(await runRaw(client, "return 1"))).toBe(1);
  });

  it("may not be larger than the limit, and not be left out", async () => {
    const large = await runRaw(client, `return 1;${" ".repeat(5_000)}`);
    expect(errorOf(large)).toMatch(/5009 bytes, more than 5000 \(setting scripts.sourceBytes\)/);
    expect(errorOf(await runRaw(client, ""))).toContain("script: Script cannot be empty");
  });

  it("has its output truncated with a note that says so", async () => {
    const { content } = await runRaw(
      client,
      "console.log('y'.repeat(2000)); return 'x'.repeat(1900)",
    );
    expect(content[0]?.text).toMatch(/^x{1000}\n… \[truncated: the first 1000 of 1900 characters/);
    expect(content[1]?.text).toMatch(/^console:\ny{100}\n… \[truncated: the first 100 of 2000/);
  });

  it("names the calls that it did not await", async () => {
    const { content } = await runRaw(client, "tools.dev.fx.sleep({ ms: 60_000 }); return 1");
    expect(content.map(({ text }) => text)).toEqual([
      "1",
      "Note: the script ended without awaiting 1 call (1 cancelled).",
    ]);
  });
});

describe("a script that computes for too long", () => {
  const cleanup = perBlock();
  let client: RawClient;
  beforeAll(async () => {
    // Enough for a script of one line on a busy machine.
    const scripts = { cpuMs: 1000, memoryMb: 16 };
    ({ client } = await startWorkbench(cleanup, dev({ fx: fixture() }, { scripts })));
  });

  it.each([
    ["loops", "for (;;) {}", /computed for more than 1000 ms \(setting scripts.cpuMs\)/],
    ["never lets go", "for (;;) await null", /computed for more than 1000 ms/],
    [
      "loops inside the engine",
      "return new Array(3e7) + ''",
      /computed for more than 1000 ms|out of memory/,
    ],
  ])("because it %s fails with the reason", async (_what, script, reason) => {
    expect(errorOf(await runRaw(client, script))).toMatch(reason);
    expect(valueOf(await runRaw(client, "return 1"))).toBe(1);
  });
});

describe("a script beside many others", () => {
  const cleanup = perTest();

  it("waits for its turn, up to a limit", async () => {
    const config = dev({ fx: fixture() }, { scripts: { cpuMs: 200 } });
    const { client } = await startWorkbench(cleanup, config);
    // In one piece, so that none of them ends before the last one arrives.
    client.child.stdin.cork();
    const running = Array.from({ length: 24 }, () => runRaw(client, "for (;;) {}"));
    client.child.stdin.uncork();
    const runs = await Promise.all(running);
    const errors = runs.map(errorOf);
    expect(
      errors.filter((text) => text.includes("Too many scripts at the same time")),
    ).toHaveLength(6);
    expect(errors.filter((text) => text.includes("computed for more than"))).toHaveLength(18);
  });
});

describe("a script over HTTP", () => {
  const cleanup = perTest();

  it.each([
    [undefined, false],
    [true, true],
  ])("is offered only if the user has enabled scripts (%s)", async (enabled, isOffered) => {
    const config = dev({ fx: fixture() }, { scripts: { ...(enabled && { enabled }) } });
    const http = (await startHttpWorkbench(cleanup, config)).client();
    await http.initialize();
    const { result } = await http.ask("tools/list", {});
    const names = (result as { tools: { name: string }[] }).tools.map(({ name }) => name);
    expect(names.includes("run_script")).toBe(isOffered);
    const answer = await http.ask("tools/call", scriptParams("return 1"));
    const refused = { error: { code: -32602, message: "Unknown tool: run_script" } };
    expect(answer).toMatchObject(isOffered ? { result: { content: [{ text: "1" }] } } : refused);
  });
});

describe("a script with little time", () => {
  const cleanup = perTest();

  it("is stopped when its time is over", async () => {
    const config = dev({ fx: fixture() }, { scripts: { totalMs: 200 } });
    const { client } = await startWorkbench(cleanup, config);
    const stopped = errorOf(await runRaw(client, "await sleep(60_000)"));
    expect(stopped).toContain("it took more than 200 ms (setting scripts.totalMs)");
  });
});

describe("a script of an installed program", () => {
  const cleanup = perTest();

  it("finds its engine in the package, and ends with the program", async () => {
    const folder = temporaryFolder(cleanup);
    cpSync(dirname(PROGRAM), join(folder, "dist"), { recursive: true });
    const program = join(folder, "dist", "bin.cjs");
    const { client, stop } = await startWorkbench(cleanup, dev({ fx: fixture() }), { program });
    const typed = "const n: number = 1; return n;";
    expect(valueOf(await runRaw(client, typed))).toBe(1);
    const endless = runRaw(client, "await sleep(600_000)");
    endless.catch(() => {});
    const busy = runRaw(client, "await tools.dev.fx.sleep({ ms: 600_000 })");
    busy.catch(() => {});
    await useTool(client, "dev/fx/echo", { text: "hi" });
    expect(await stop()).toEqual({ code: 0, signal: null });
  });
});

describe("a client of a workbench without scripts", () => {
  const cleanup = perTest();

  it("does not see run_script", async () => {
    const config = dev({ fx: fixture() }, { scripts: { enabled: false } });
    const { client } = await startWorkbench(cleanup, config);
    expect((await listTools(client)).map(({ name }) => name)).not.toContain("run_script");
  });
});
