import { describe, expect, it } from "vitest";
import { ExportHealth } from "./export-health.ts";

describe("the log of exports", () => {
  it("has one line when they begin to fail and one when they work again, at most once a minute", () => {
    const lines: string[] = [];
    let now = 0;
    const log = {
      warn: (line: string) => lines.push(line),
      info: (line: string) => lines.push(line),
    };
    const health = new ExportHealth("traces", log, () => now);
    const fail = (): void => health.record({ isDone: false, reason: "refused" });
    const succeed = (): void => health.record({ isDone: true, rejected: 1 });
    for (let i = 0; i < 10; i++) fail();
    expect(lines).toEqual(["traces cannot be exported: refused. Calls are not affected"]);
    for (let i = 0; i < 10; i++) {
      succeed();
      fail();
    }
    expect(lines).toHaveLength(2);
    now = 61_000;
    fail();
    expect(lines).toHaveLength(3);
    expect([health.failures, health.rejected]).toEqual([21, 10]);
  });
});
