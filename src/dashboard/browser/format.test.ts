import { describe, expect, it } from "vitest";
import {
  counted,
  formatBytes,
  formatDate,
  formatDuration,
  formatPercent,
  formatTime,
} from "./format.ts";

describe("a duration", () => {
  it.each([
    [0.4, "< 1 ms"],
    [12.4, "12 ms"],
    [1234, "1.2 s"],
    [65_000, "1 min 5 s"],
    [3_900_000, "1 h 5 min"],
    [200_000_000, "2 days"],
  ])("of %d ms is %s", (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
});

describe("other values", () => {
  it("are short", () => {
    expect([formatBytes(999), formatBytes(12_345), formatBytes(1_500_000)]).toEqual([
      "999 B",
      "12.3 kB",
      "1.5 MB",
    ]);
    expect(formatPercent(0.9936)).toBe("99.4 %");
    expect([counted(1, "tool"), counted(5000, "tool"), counted(0, "entry", "entries")]).toEqual([
      "1 tool",
      "5,000 tools",
      "0 entries",
    ]);
  });

  it("are in local time", () => {
    const time = new Date(2026, 0, 5, 9, 3, 7).getTime();
    expect([formatTime(time), formatDate(time), formatDate(NaN)]).toEqual([
      "09:03:07",
      "2026-01-05 09:03",
      "unknown",
    ]);
  });
});
