import { describe, expect, it } from "vitest";

import { FairTurns } from "./fair-turns.ts";

describe("work that is done in turns", () => {
  it("is done immediately if there is little of it", () => {
    const done: string[] = [];
    new FairTurns().run({}, () => void done.push("work"));
    expect(done).toEqual(["work"]);
  });

  it("lets everything else have a turn, and each connection", async () => {
    let now = 0;
    const turns = new FairTurns(() => now);
    const [a, b, c] = [{}, {}, {}];
    const done: string[] = [];
    const work = (name: string) => (): void => {
      done.push(name);
      now += 12;
    };
    turns.run(a, work("a1"));
    turns.run(a, work("a2"));
    turns.run(a, work("a3"));
    turns.run(b, work("b1"));
    expect(done).toEqual(["a1"]);
    const others = (): void => void done.push("others");
    setImmediate(others);
    await new Promise((resolve) => setImmediate(resolve));
    turns.run(c, work("c1"));
    while (done.length < 6) await new Promise((resolve) => setImmediate(resolve));
    expect(done).toEqual(["a1", "a2", "others", "b1", "a3", "c1"]);
  });

  it("is done together with what arrives in the same turn, and each connection in its order", async () => {
    const turns = new FairTurns();
    const [a, b] = [{}, {}];
    const done: string[] = [];
    const work = (name: string) => (): void => {
      done.push(name);
      // Runs when the current work is done.
      queueMicrotask(() => done.push("written"));
    };
    turns.runTogether(a, work("a1"));
    turns.runTogether(a, work("a2"));
    await Promise.resolve();
    turns.runTogether(b, work("b1"));
    expect(done).toEqual([]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(done).toEqual(["a1", "b1", "a2", "written", "written", "written"]);
  });
});
