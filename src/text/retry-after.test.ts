import { describe, expect, it } from "vitest";

import { retryAfterMs } from "./retry-after.ts";

describe("retryAfterMs", () => {
  const now = Date.parse("2026-11-15T10:00:00Z");

  it.each([
    [undefined, undefined],
    ["", undefined],
    ["soon", undefined],
    ["0", 0],
    [" 12 ", 12_000],
    ["Sun, 15 Nov 2026 10:00:05 GMT", 5000],
    ["Sun, 15 Nov 2026 09:00:00 GMT", 0],
    ["300", 300_000],
    ["301", 300_000],
    ["99999999999", 300_000],
    ["Mon, 16 Nov 2026 10:00:00 GMT", 300_000],
  ])("reads the header %j", (header, expected) => {
    expect(retryAfterMs(header, now)).toBe(expected);
  });
});
