import { runInNewContext } from "node:vm";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { answerFor } from "./answer.ts";

interface Answer {
  readonly bytes: number;
  readonly shape: string;
  readonly next: string;
  readonly head: string;
}

/** The answer, and what its script returns. */
function answered(text: string, value: unknown, fits = true) {
  const written = answerFor({ id: "r7", text, value, fits });
  const answer = JSON.parse(written) as Answer;
  const { script } = JSON.parse(answer.next.replace(/^run_script /, "")) as { script: string };
  const returned: unknown = runInNewContext(`JSON.stringify((() => { ${script} })())`, {
    results: { r7: value ?? text, text: () => text },
  });
  return { written, answer, script, returned: JSON.parse(String(returned)) as unknown };
}

/** Half of a character of two code units. */
const HALF = /\p{Surrogate}/u;

const json = (value: unknown) => answered(JSON.stringify(value), value);

describe("the answer in place of a large result", () => {
  it("starts with what the client must not cut off", () => {
    const { written } = json([1, 2, 3]);
    expect(written).toMatch(/^\{"result":"r7","bytes":7,"shape":"3×number","next":"run_script /);
  });

  it("describes text, and reads on where the beginning ends", () => {
    const text = "line\n".repeat(2000);
    const { answer, returned } = answered(text, undefined);
    expect(answer.shape).toBe("text(10000), 2001 lines");
    expect(answer.head).toBe(text.slice(0, 1500));
    expect(returned).toBe(text.slice(1500, 6500));
  });

  const rows = Array.from({ length: 500 }, (_, id) => ({ id, name: `name ${id}` }));

  it.each([
    ["a list", rows, "return results.r7.slice(0, 20)"],
    ["a list in an object", { total: 500, rows }, "return results.r7.rows.slice(0, 20)"],
    [
      "a list deeper inside",
      { "my data": { rows } },
      'return results.r7["my data"].rows.slice(0, 20)',
    ],
    [
      "large rows",
      rows.map((row) => ({ ...row, body: "x".repeat(2000) })),
      "return results.r7.slice(0, 2)",
    ],
    ["one huge row", [{ body: "x".repeat(90_000) }], "return results.r7.slice(0, 1)"],
    [
      "a long text",
      { ok: true, text: "y".repeat(20_000) },
      "return results.r7.text.slice(0, 5000)",
    ],
    [
      "a map",
      Object.fromEntries(rows.map((row) => [`key ${row.id}`, row])),
      "return Object.entries(results.r7).slice(0, 20)",
    ],
  ])("suggests a script for %s that works as written", (_, value, script) => {
    const found = json(value);
    expect(found.script).toBe(script);
    expect(found.returned).toBeDefined();
  });

  it("works for JSON of any shape, and stays small", () => {
    fc.assert(
      fc.property(fc.oneof(fc.array(fc.jsonValue()), fc.object()), (value) => {
        const { written, returned } = json(JSON.parse(JSON.stringify(value)));
        expect(returned).not.toBeNull();
        expect(written.length).toBeLessThan(5000);
      }),
    );
  });

  it("works for text of any kind, and stays small", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 1 }), (piece) => {
        const text = piece.repeat(Math.ceil(8000 / piece.length));
        const { written, returned, answer } = answered(text, undefined);
        const read = `${answer.head}${String(returned)}`;
        expect(text.startsWith(read)).toBe(true);
        expect(read.length).toBeGreaterThan(answer.head.length + 4990);
        // No character of two code units is cut.
        for (const part of [answer.head, String(returned)])
          expect(HALF.test(part) && !HALF.test(text)).toBe(false);
        expect(written.length).toBeLessThan(5000);
      }),
    );
  });

  it("reads on in the text of JSON that a script has no room for", () => {
    const text = JSON.stringify(rows);
    const { answer, script, returned } = answered(text, rows, false);
    expect(script).toBe('return results.text("r7").slice(1500, 6500)');
    expect(answer.head + String(returned)).toBe(text.slice(0, 6500));
  });

  it("measures a sample of a map with very many keys", () => {
    let reads = 0;
    const map = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`key${i}`, i]));
    const counted = new Proxy(map, {
      get: (target, key) => {
        reads++;
        return Reflect.get(target, key) as unknown;
      },
    });
    const text = JSON.stringify(map);
    reads = 0;
    const written = answerFor({ id: "r7", text, value: counted, fits: true });
    expect(reads).toBeLessThan(1000);
    expect(written).toContain("Object.keys(results.r7).slice(0, 20).map(");
    expect(answered(text, map).returned).toHaveLength(20);
  });

  it("ends a search for the largest part in deeply nested values", () => {
    let value: unknown = "x".repeat(10_000);
    for (let i = 0; i < 50; i++) value = { inner: value };
    expect(json(value).script).toMatch(/^return JSON\.stringify\(.*\)\.slice\(0, 5000\)$/);
  });
});
