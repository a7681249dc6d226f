import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { DeliveryFailure } from "../../calls/call-errors.ts";
import { RetryAfter } from "./retry-after.ts";

const toError = (leftMs: number): DeliveryFailure => ({
  code: "unavailable",
  reason: `${leftMs} ms left`,
  fix: undefined,
  mayHaveRun: false,
});

describe("the waiting time that a server asked for", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("is zero before the server asks for it", () => {
    const retryAfter = new RetryAfter();
    expect(retryAfter.leftMs()).toBe(0);
    expect(retryAfter.failure()).toBeUndefined();
  });

  it("is reported with its cause and the time left, and ends", () => {
    const retryAfter = new RetryAfter();
    retryAfter.set(5000, toError);
    expect(retryAfter.failure()).toEqual(toError(5000));
    vi.advanceTimersByTime(3500);
    expect(retryAfter.leftMs()).toBe(1500);
    expect(retryAfter.failure()).toEqual(toError(1500));
    vi.advanceTimersByTime(1500);
    expect(retryAfter.leftMs()).toBe(0);
    expect(retryAfter.failure()).toBeUndefined();
  });

  it("is replaced by a later request of the server", () => {
    const retryAfter = new RetryAfter();
    retryAfter.set(5000, toError);
    retryAfter.set(1000, toError);
    expect(retryAfter.leftMs()).toBe(1000);
  });
});
