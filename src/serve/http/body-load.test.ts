import { describe, expect, it } from "vitest";
import { BodyLoad } from "./body-load.ts";

const LARGE = 1024 * 1024;

describe("the load of bodies", () => {
  it("has room for eight of the largest size, and always for small ones", () => {
    const load = new BodyLoad();
    const shares = Array.from({ length: 9 }, () => load.enter());
    expect(shares.map((share) => share.add(LARGE, LARGE))).toEqual([
      ...Array.from({ length: 8 }, () => true),
      false,
    ]);
    expect(load.enter().add(1000, LARGE)).toBe(true);
    for (const share of shares) share.done();
    expect(load.enter().add(LARGE, LARGE)).toBe(true);
  });

  it("takes small bodies at once, and large ones one after the other", async () => {
    const load = new BodyLoad();
    const taken: string[] = [];
    await new Promise<void>((resolve) => {
      load.take(LARGE, {}, () => {
        taken.push("first");
        setImmediate(() => taken.push("something else"));
      });
      load.take(LARGE, {}, () => {
        taken.push("second");
        resolve();
      });
      load.take(10, {}, () => taken.push("small"));
    });
    expect(taken).toEqual(["small", "first", "something else", "second"]);
  });
});
