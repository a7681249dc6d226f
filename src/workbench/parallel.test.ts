import { describe, expect, it } from "vitest";
import { inParallel } from "./parallel.ts";

describe("inParallel", () => {
  it("processes every item once, in order, and never exceeds its concurrency", async () => {
    const done: number[] = [];
    let running = 0;
    let most = 0;
    await inParallel([1, 2, 3, 4, 5], 2, async (item) => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      done.push(item);
      running--;
    });
    expect(done).toEqual([1, 2, 3, 4, 5]);
    expect(most).toBe(2);
  });

  it("rejects with the first failure, and resolves for no items", async () => {
    const failing = inParallel([1], 3, () => Promise.reject(new Error("no")));
    await expect(failing).rejects.toThrow("no");
    await expect(inParallel([], 3, () => Promise.reject(new Error("no")))).resolves.toBeUndefined();
  });
});
