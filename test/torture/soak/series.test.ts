import { describe, expect, it } from "vitest";
import { fit, Series } from "./series.ts";

const MINUTE_MS = 60_000;

function series(valueAt: (minute: number) => number): Series {
  const made = new Series("memory", "MB", { perHour: 1, rise: 0.5 });
  for (let minute = 0; minute < 60; minute++) made.add(minute * MINUTE_MS, valueAt(minute));
  return made;
}

describe("a series of measurements", () => {
  it("has the slope of the line that fits best", () => {
    const line = fit([0, 1, 2, 3].map((minute) => ({ at: minute * MINUTE_MS, value: 5 + minute })));
    expect(line.slopePerHour).toBeCloseTo(60);
    expect(line.errorPerHour).toBeCloseTo(0);
    expect(line.rise).toBeCloseTo(3);
  });

  it("is flat when it only scatters, falls, or has risen in its first half", () => {
    expect(series((minute) => 10 + 3 * (minute % 2)).isFlat).toBe(true);
    expect(series((minute) => 100 - minute).isFlat).toBe(true);
    expect(series((minute) => Math.min(minute, 20)).isFlat).toBe(true);
  });

  it("is not flat when it goes on rising", () => {
    expect(series((minute) => minute / 10).isFlat).toBe(false);
    expect(series((minute) => minute + 3 * (minute % 2)).isFlat).toBe(false);
  });
});
