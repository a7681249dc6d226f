import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { DeliveryFailure } from "../../calls/call-errors.ts";
import { RetryAfter } from "./retry-after.ts";

const told = (leftMs: number): DeliveryFailure => ({
  code: "unavailable",
  reason: `${leftMs} ms left`,
  fix: undefined,
  mayHaveRun: false,
});

describe("the waiting time that a server asked for", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("is zero before the server asks for it", () => {
    const respite = new RetryAfter();
    expect(respite.leftMs()).toBe(0);
    expect(respite.failure()).toBeUndefined();
  });

  it("is reported with its cause and the time left, and ends", () => {
    const respite = new RetryAfter();
    respite.ask(5000, told);
    expect(respite.failure()).toEqual(told(5000));
    vi.advanceTimersByTime(3500);
    expect(respite.leftMs()).toBe(1500);
    expect(respite.failure()).toEqual(told(1500));
    vi.advanceTimersByTime(1500);
    expect(respite.leftMs()).toBe(0);
    expect(respite.failure()).toBeUndefined();
  });

  it("is replaced by a later request of the server", () => {
    const respite = new RetryAfter();
    respite.ask(5000, told);
    respite.ask(1000, told);
    expect(respite.leftMs()).toBe(1000);
  });
});
