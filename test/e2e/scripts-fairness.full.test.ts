/** Scripts of one access token do not delay those of another, whatever they do. In the full suite because it keeps all threads busy. */
import { beforeAll, describe, expect, it } from "vitest";
import { addToken, clientWith, removeToken } from "../support/access-tokens.ts";
import { perBlock } from "../support/disposables.ts";
import { startHttpWorkbench } from "../support/http-workbench.ts";
import { scriptParams } from "../support/scripts.ts";
import { dev, fixture } from "../support/servers.ts";

const HANGS = "await tools.dev.fx.sleep({ ms: 600_000 });";
const LARGE = `const kept = []; for (let i = 0; i < 45; i++) kept.push(new Uint8Array(1 << 20));
  ${HANGS} return kept.length;`;

describe("a script of a client", () => {
  const cleanup = perBlock();
  let workbench: Awaited<ReturnType<typeof startHttpWorkbench>>;
  beforeAll(async () => {
    const scripts = { enabled: true, cpuMs: 600_000, totalMs: 600_000 };
    workbench = await startHttpWorkbench(cleanup, dev({ fx: fixture() }, { scripts }));
  });

  const client = async (name: string): Promise<ReturnType<typeof clientWith>> => {
    const created = clientWith(workbench, await addToken(workbench, name));
    await created.initialize();
    return created;
  };

  it.each([
    ["sleep", 2, "await sleep(600_000)", 20],
    ["wait for calls", 2, HANGS, 20],
    ["wait for calls with much memory", 2, LARGE, 6],
    ["compute", 1, "for (;;) {}", 20],
  ])("runs while many of others %s", async (what, hogs, script, count) => {
    const names = Array.from({ length: hogs }, (_, i) => `${what.replaceAll(" ", "-")}-${i}`);
    const running: Promise<unknown>[] = [];
    for (const name of names) {
      const hog = await client(name);
      for (let i = 0; i < count; i++)
        running.push(hog.ask("tools/call", scriptParams(script)).catch(() => {}));
    }
    const other = await client(`other-${names[0] ?? ""}`);
    for (const value of [1, 2, 3]) {
      const { result } = await other.ask("tools/call", scriptParams(`return ${value}`));
      expect(result).toMatchObject({ content: [{ text: String(value) }] });
    }
    // This ends all that they run.
    for (const name of names) await removeToken(workbench, name);
    await Promise.all(running);
  });

  it("does not keep scripts and calls of the same client from running while it waits", async () => {
    const same = await client("same");
    const waiting = [1, 2, 3, 4].map(() =>
      same.ask("tools/call", scriptParams("await tools.dev.fx.sleep({ ms: 500 }); return 2")),
    );
    const { result } = await same.ask("tools/call", scriptParams("return 1"));
    expect(result).toMatchObject({ content: [{ text: "1" }] });
    const tool = { toolbox: "dev", server: "fx", name: "echo" };
    const used = { name: "use_tool", arguments: { tool, arguments: { text: "hi" } } };
    const echo = await same.ask("tools/call", used);
    expect(echo.result).toMatchObject({ content: [{ text: "hi" }] });
    for (const ended of await Promise.all(waiting))
      expect(ended.result).toMatchObject({ content: [{ text: "2" }] });
  });

  it("can catch that something is nested too deeply", async () => {
    const script = `const deep = [
        () => (function f() { return f() + 1; })(),
        () => { const o = { get a() { return this.a; } }; return o.a; },
        () => JSON.parse("[".repeat(1e5)),
        () => { let a = []; for (let i = 0; i < 2e4; i++) a = [a]; JSON.stringify(a); },
        () => new Function("(".repeat(2e4) + "1" + ")".repeat(2e4)),
      ];
      return deep.map((run) => { try { return run(); } catch (e) { return e.name; } }).join();`;
    const { result } = await (await client("deep")).ask("tools/call", scriptParams(script));
    const text = Array(5).fill("RangeError").join();
    expect(result).toMatchObject({ content: [{ text }] });
  });
});
