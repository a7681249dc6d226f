import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { Reopening, isWorthRetrying } from "./reopening.ts";

describe("isWorthRetrying", () => {
  it.each([
    [undefined, true, true],
    [429, true, true],
    [408, true, true],
    [500, true, true],
    [502, true, true],
    [503, true, true],
    [400, false, true],
    [401, false, true],
    [403, false, true],
    [404, false, true],
    [200, false, true],
    [405, false, false],
    [501, false, false],
  ])(
    "decides for status %s: %s on the first attempt, %s after an earlier success",
    (status, atFirst, later) => {
      expect(isWorthRetrying(status, false)).toBe(atFirst);
      expect(isWorthRetrying(status, true)).toBe(later);
    },
  );
});

describe("Reopening", () => {
  const never = (): number => 0;

  it("doubles the pause with each failure, up to 30 seconds", () => {
    const reopening = new Reopening(never);
    const pauses = Array.from({ length: 7 }, () => {
      reopening.failed();
      return reopening.pauseMs();
    });
    expect(pauses).toEqual([2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
    reopening.ended(0, true);
    expect(reopening.pauseMs()).toBe(1000);
  });

  it("reopens quickly a few times after empty connections, then backs off", () => {
    const reopening = new Reopening(never);
    const pauses = Array.from({ length: 10 }, () => {
      reopening.ended(5, false);
      return [reopening.pauseMs(20), reopening.hasMissedEvents];
    });
    expect(pauses.slice(0, 5)).toEqual([
      [20, true],
      [20, true],
      [20, true],
      [40, false],
      [80, false],
    ]);
    reopening.ended(60_000, false);
    expect(reopening.pauseMs(20)).toBe(20);
    expect(reopening.hasMissedEvents).toBe(true);
  });

  it("never waits less than the server asks for, nor much more than 30 seconds", () => {
    const step = fc.oneof(fc.constant("failed"), fc.nat(20_000));
    fc.assert(
      fc.property(fc.array(step), fc.nat(100_000), fc.double({ min: 0, max: 1, noNaN: true }), run),
    );
    function run(steps: ("failed" | number)[], requestedMs: number, random: number): void {
      const reopening = new Reopening(() => random);
      for (const one of steps)
        if (one === "failed") reopening.failed();
        else reopening.ended(Number(one), false);
      const pause = reopening.pauseMs(requestedMs);
      expect(pause).toBeGreaterThanOrEqual(Math.max(20, requestedMs));
      expect(pause).toBeLessThanOrEqual(Math.max(requestedMs, 30_000) * 1.2);
    }
  });
});
