import { describe, expect, it } from "vitest";
import { inParallel } from "./parallel.ts";

describe("inParallel", () => {
  it("does everything once, in order, and never more at a time than it may", async () => {
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

  it("fails with what fails, and has nothing to do for nothing", async () => {
    const failing = inParallel([1], 3, () => Promise.reject(new Error("no")));
    await expect(failing).rejects.toThrow("no");
    await expect(inParallel([], 3, () => Promise.reject(new Error("no")))).resolves.toBeUndefined();
  });
});
