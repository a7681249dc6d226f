import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NumberedTable } from "./numbered-table.ts";

/** The next number is added, or one of those in the table is deleted: the n-th, counted from the oldest. */
const steps = fc.array(fc.oneof(fc.constant("add" as const), fc.nat(400)), { maxLength: 1500 });

/** Megabytes of objects that V8 keeps until a slow garbage collection. */
function oldMegabytes(): number {
  const old = getHeapSpaceStatistics().filter(({ space_name: name }) => /old|large/.test(name));
  return old.reduce((sum, { space_used_size: bytes }) => sum + bytes, 0) / 2 ** 20;
}

class Request {
  readonly number: number;
  readonly content = [1, 2, 3, 4, 5, 6, 7, 8];

  constructor(number: number) {
    this.number = number;
  }
}

describe("a table of numbered values", () => {
  it("has the values that were set and not deleted, also if some stay long", () => {
    fc.assert(
      fc.property(steps, fc.nat(2 ** 40), (taken, first) => {
        const table = new NumberedTable<string>();
        const expected = new Map<number, string>();
        const gone: number[] = [];
        let next = first;
        for (const step of taken) {
          const oldest = typeof step === "number" ? [...expected.keys()][step] : undefined;
          if (oldest !== undefined && oldest % 3 === 0) {
            table.set(oldest, `again ${oldest}`);
            expected.set(oldest, `again ${oldest}`);
          } else if (step === "add") {
            table.set(next, `#${next}`);
            expected.set(next, `#${next}`);
            next++;
          } else if (oldest !== undefined) {
            table.delete(oldest);
            expected.delete(oldest);
            gone.push(oldest);
          }
        }
        expect(table.size).toBe(expected.size);
        expect(table.values()).toEqual([...expected.values()]);
        for (const [number, value] of expected) expect(table.get(number)).toBe(value);
        for (const number of [...gone, next]) expect(table.get(number)).toBeUndefined();
      }),
      { numRuns: 50 },
    );
  });

  it("keeps a value whose slot thousands of later ones need", () => {
    const table = new NumberedTable<string>();
    table.set(0, "long");
    for (let number = 1; number < 10_000; number++) {
      table.set(number, "short");
      expect(table.size).toBe(2);
      table.delete(number);
    }
    expect(table.values()).toEqual(["long"]);
    table.delete(0);
    expect(table.size).toBe(0);
  });

  it("is empty after it was cleared", () => {
    const table = new NumberedTable<string>();
    for (let number = 0; number < 100; number += 16) table.set(number, "value");
    table.clear();
    expect([table.size, table.get(0), table.get(96), table.values()]).toEqual([
      0,
      undefined,
      undefined,
      [],
    ]);
  });

  // With a Map, 28 MB stay.
  it("does not keep what was deleted until the next slow garbage collection", () => {
    setFlagsFromString("--expose-gc");
    const collectGarbage = runInNewContext("gc") as () => void;
    const table = new NumberedTable<Request>();
    const pass = (from: number, to: number): void => {
      for (let number = from; number < to; number++) {
        table.set(number, new Request(number));
        table.delete(number - 32);
      }
    };
    pass(0, 100);
    for (let i = 0; i < 3; i++) collectGarbage();
    const before = oldMegabytes();
    pass(100, 500_000);
    expect(table.size).toBe(32);
    expect(oldMegabytes() - before).toBeLessThan(2);
  });
});
