import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { Slices, isWorkWaiting } from "./slices.ts";

describe("long work in slices", () => {
  it("continues one piece of work at a time, in turns", async () => {
    const order: string[] = [];
    let turns = 0;
    let counting = setImmediate(function count() {
      turns++;
      counting = setImmediate(count);
    });
    const work = async (name: string): Promise<void> => {
      const slices = new Slices();
      for (let i = 0; i < 3; i++) {
        await slices.rest();
        order.push(`${name}${i} in turn ${turns}`);
      }
    };
    const all = Promise.all([work("a"), work("b"), work("c")]);
    expect(isWorkWaiting()).toBe(true);
    await all;
    expect(isWorkWaiting()).toBe(false);
    clearImmediate(counting);
    expect(order.map((entry) => entry.slice(0, 2))).toEqual([
      "a0",
      "b0",
      "c0",
      "a1",
      "b1",
      "c1",
      "a2",
      "b2",
      "c2",
    ]);
    const at = order.map((entry) => Number(entry.split(" ").at(-1)));
    const between = at.slice(1).map((turnOf, i) => turnOf - (at[i] ?? 0));
    expect(Math.min(...between)).toBeGreaterThanOrEqual(2);
  });

  it("counts only the time of the work itself", async () => {
    const slices = new Slices();
    slices.begin();
    slices.end();
    const spent = slices.spentMs;
    await turn();
    expect(slices.spentMs).toBe(spent);
    expect(slices.due).toBe(false);
  });
});
