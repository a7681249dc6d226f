import { describe, expect, it } from "vitest";
import { Watching } from "./watching.ts";

/** A store whose writes end when the test says so. */
function slowStore(): { stored: boolean[]; ends: SlowWrite[]; watching: Watching } {
  const stored: boolean[] = [];
  const ends: SlowWrite[] = [];
  const watching = new Watching((isWatching) => {
    stored.push(isWatching);
    return new Promise<void>((resolve, reject) => ends.push({ resolve, reject }));
  });
  return { stored, ends, watching };
}

interface SlowWrite {
  resolve(): void;
  reject(error: Error): void;
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("whether a page is open", () => {
  it("is stored one after the other, and the last one wins", async () => {
    const { stored, ends, watching } = slowStore();
    watching.set(true);
    watching.set(false);
    watching.set(true);
    watching.set(false);
    await settled();
    expect(stored).toEqual([true]);
    ends[0]?.resolve();
    await settled();
    expect(stored).toEqual([true, false]);
    ends[1]?.resolve();
    await settled();
    expect(stored).toEqual([true, false]);
  });

  it("is stored again after a write that failed", async () => {
    const { stored, ends, watching } = slowStore();
    watching.set(true);
    ends[0]?.reject(new Error("the file is locked"));
    await settled();
    watching.set(true);
    expect(stored).toEqual([true, true]);
  });
});
