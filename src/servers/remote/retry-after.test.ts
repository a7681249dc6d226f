import { describe, expect, it } from "vitest";

import type { RemoteTransport } from "../../config/types.ts";
import { aloneForMs, leaveAlone, retryAfterMs } from "./retry-after.ts";

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
    ["99999999999", 3_600_000],
  ])("understands %j", (header, expected) => {
    expect(retryAfterMs(header, now)).toBe(expected);
  });
});

describe("leaveAlone", () => {
  it("holds for the server it was said for, and for its time", () => {
    const server = (): RemoteTransport => ({ kind: "http", url: "http://localhost", headers: {} });
    const [asked, other] = [server(), server()];
    leaveAlone(asked, 60_000);
    expect(aloneForMs(asked)).toBeGreaterThan(50_000);
    expect(aloneForMs(other)).toBe(0);
    leaveAlone(asked, 0);
    expect(aloneForMs(asked)).toBe(0);
  });
});
