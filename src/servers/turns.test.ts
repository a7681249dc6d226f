import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";

import { takeTurn } from "./turns.ts";

const spin = (): void => {
  const begin = performance.now();
  while (performance.now() - begin < 5);
};

describe("a source that always has data", () => {
  it("lets other work run after a slow chunk", async () => {
    const source = new Readable({ read: () => {} });
    const order: string[] = [];
    source.on("data", () => {
      order.push("chunk");
      takeTurn(source, () => {
        spin();
        setImmediate(() => order.push("others"));
      });
    });
    source.push("a");
    source.push("b");
    source.push(null);
    await new Promise((resolve) => source.once("end", resolve));
    expect(order).toEqual(["chunk", "others", "chunk"]);
  });

  it("stays paused if it may not continue", async () => {
    const source = new Readable({ read: () => {} });
    source.on("data", () => {
      takeTurn(source, spin, () => false);
    });
    source.push("a");
    await new Promise((resolve) => source.once("pause", resolve));
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    expect(source.isPaused()).toBe(true);
  });
});
