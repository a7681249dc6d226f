import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { startedScript } from "../../../test/support/fake-engine-host.ts";
import type { ScriptEnd } from "./engine.ts";
import { positionIn, positionInText } from "../script-position.ts";

/** Precedes every script. The names are used in arguments, because the engine reports those. */
const BEFORE =
  "let [v, w, ü] = [1, { q: { r: 2 } }, 3], fx = tools.t.s, own = { fx }, keep = call;\n";

/** A script with a mark at each of its calls; `call(0)` calls the tool `t/s/n0`. */
interface Marked {
  readonly source: string;
  /** By the number of the call: where it begins. */
  readonly places: ReadonlyMap<number, { line: number; column: number }>;
}

function unmarked(text: string): Marked {
  const places = new Map<number, { line: number; column: number }>();
  let source = BEFORE;
  for (const piece of text.split(/(«\d+»)/)) {
    const number = /^«(\d+)»$/.exec(piece)?.[1];
    if (number === undefined) source += piece;
    else {
      const lines = source.split("\n");
      places.set(Number(number), { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 });
    }
  }
  return { source, places };
}

/** Where the script fails if this tool does, and all others answer. */
async function failingAt(source: string, tool: string): Promise<unknown> {
  const { engine, host, end: first } = await startedScript(source);
  let end: ScriptEnd | undefined = first;
  for (let i = 0; end === undefined && i < host.requests.length; i++) {
    const { id, subject } = host.requests[i] ?? { id: 0, subject: "" };
    end = engine.settle(
      id,
      subject === tool ? { kind: "error", text: '{"message":"m"}' } : { kind: "json", text: "{}" },
    );
  }
  if (end?.kind !== "error") return end;
  const position = positionIn(end.error.stack);
  return position && positionInText(source, position);
}

const SPACES = ["", " ", "\n", "  ", " /* ( */ ", " // ) `\n", "\n /* \n */\n", "\t"];
const NAMES = [
  (n: number, s: string) => `«${n}»call${s}("t/s/n${n}", `,
  (n: number, s: string) => `«${n}»call${s}.${s}raw${s}('t/s/n${n}', `,
  (n: number, s: string) => `«${n}»call${s}?.(\`t/s/n${n}\`, `,
  (n: number, s: string) => `«${n}»tools.t.s.n${n}${s}(`,
  (n: number, s: string) => `«${n}»tools${s}.t${s}.${s}s${s}.n${n}(`,
  (n: number, s: string) => `«${n}»tools.t["s"]${s}[ 'n${n}' ](`,
  (n: number, s: string) => `«${n}»tools?.t.s?.n${n}?.${s}(`,
  (n: number, s: string) => `«${n}»fx.n${n}${s}(`,
  (n: number, s: string) => `«${n}»own.fx${s}.n${n}(`,
];
const VALUES = [
  "v",
  "v + 1",
  "w.q.r",
  "`(${v}[` + ')'",
  "/[(]\\// .test(`${ü}`)",
  '"\\")("',
  "[v, -ü].map((x) => x * v)",
  "Math.max(v,\n  ü)",
  "(() => { /* ) */ return v })()",
  "`ä😀${w.q.r}\n`",
  "{ v, ...w }",
];
const AROUND = [
  (call: string) => `await ${call};`,
  (call: string) => `const x = 'ä😀(', y = v + ü; await ${call};`,
  (call: string) => `await ${call}.then((x) => x);`,
  (call: string) => `await Promise.all([ü].map(async (e) =>\n ${call}));`,
  (call: string) => `const f = async ({ a }) => ${call}; await f({ a: v + w.q.r });`,
  (call: string) => `if ((await ${call}) && v) w = { q: 2 };`,
  (call: string) => `for (const e of [v]) { w[e] = await ${call} }`,
  (call: string) => `w = v ? [\`\${await ${call}} (\`] : ü;`,
  (call: string) => `try { await ${call} } finally { v++ }`,
  // TypeScript
  (call: string) => `const t: Record<string, number> = {} as any; await (${call} as any)!;`,
];

const arbitraryCall = fc.array(
  fc.record({
    name: fc.constantFrom(...NAMES),
    space: fc.constantFrom(...SPACES),
    before: fc.array(fc.constantFrom(...VALUES), { maxLength: 2 }),
    after: fc.array(fc.constantFrom(...VALUES), { maxLength: 2 }),
  }),
  { minLength: 1, maxLength: 4 },
);

describe("the place of a call that fails", () => {
  it("is where the call begins, whatever its arguments are", async () => {
    const program = fc.tuple(arbitraryCall, fc.constantFrom(...AROUND), fc.nat());
    await fc.assert(
      fc.asyncProperty(program, async ([calls, around, chosen]) => {
        // Each call is an argument of the one before.
        const nested = calls.reduceRight((inner, { name, space, before, after }, n) => {
          const values = [...before, ...(inner === "" ? [] : [`await ${inner}`]), ...after];
          const args = values.map((value, i) => `a${i}:${space}${value}`).join(`,${space}`);
          return `${name(n, space)}{ ${args} })`;
        }, "");
        const { source, places } = unmarked(around(nested));
        const failing = chosen % calls.length;
        const found = await failingAt(source, `t/s/n${failing}`);
        expect({ source, failing, found }).toEqual({ source, failing, found: places.get(failing) });
      }),
      { numRuns: 20 },
    );
  });

  it.each([
    ["a computed name", "const n = 'n0'; await fx[«0»n]({ a: v })"],
    ["a module-like helper", "const get = (a) => «0»call('t/s/n0', { a }); await get(v)"],
    ["the global object", "await «0»globalThis.call('t/s/n0', { a: v })"],
    ["a function that replaces it", "call = keep; await «0»call('t/s/n0')"],
  ])("is known for %s", async (_, text) => {
    const { source, places } = unmarked(text);
    expect(await failingAt(source, "t/s/n0")).toEqual(places.get(0));
  });

  it.each([
    ["call", "const c = call; v = 2; await c('t/s/n0', «0»v)"],
    ["tools", "const c = tools.t.s.n0; v = 2; await c({ a: «0»v })"],
    ["tools, as a callback", "v = [{}].map(«0»fx.n0); await v[0]"],
    ["call, in a call", "const f = (g) => g('t/s/n0', { a: «0»v }); await f(call)"],
  ])("is that of the engine if the function was kept before: %s", async (_, text) => {
    const { source, places } = unmarked(text);
    expect(await failingAt(source, "t/s/n0")).toEqual(places.get(0));
  });
});
