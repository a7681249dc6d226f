import { describe, expect, it } from "vitest";

import { startedScript } from "../../../test/support/fake-engine-host.ts";

const printed = async (source: string): Promise<readonly string[]> => {
  const { end, host } = await startedScript(source);
  expect(end).toEqual({ kind: "value", text: undefined });
  return host.log;
};

describe("console in a script", () => {
  it("prints values as JSON, and objects that contain themselves", async () => {
    expect(
      await printed(
        `const a = { n: 1, twice: {} }; a.again = a.twice; a.self = { a };
         console.log("x", a, undefined, new TypeError("t"));`,
      ),
    ).toEqual(['x {"n":1,"twice":{},"again":{},"self":{"a":"[Circular]"}} undefined TypeError: t']);
  });

  it("has the methods of other consoles, as text", async () => {
    const log = await printed(
      `console.table([{ a: 1 }, { a: 2 }]); console.dir({ d: 1 }, { depth: 2 });
       console.group("g"); console.info("in\\nside"); console.groupEnd(); console.warn("out");
       console.count(); console.count(); console.countReset(); console.count("c");
       console.assert(true, "no"); console.assert(false, "why", 1);
       console.time("t"); console.timeLog("t", "more"); console.timeEnd("t"); console.timeEnd("t");`,
    );
    expect(log.map((line) => line.replace(/\d+ ms/, "N ms"))).toEqual([
      '0: {"a":1}',
      '1: {"a":2}',
      '{"d":1}',
      "g",
      "  in\n  side",
      "out",
      "default: 1",
      "default: 2",
      "c: 1",
      "Assertion failed: why 1",
      "t: N ms more",
      "t: N ms",
      "t: no such timer",
    ]);
  });

  it("shows where it traces", async () => {
    expect(await printed("function f() {\n  console.trace('here'); }\nf();")).toEqual([
      "Trace: here\n    at f (script:2:11)\n    at <anonymous> (script:3:1)\n",
    ]);
  });
});
