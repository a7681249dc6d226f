import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { RetryAfter } from "../retry-after.ts";
import type { RemoteFailure } from "./remote-failure.ts";
import { refusedFailure } from "./refused-failure.ts";

describe("an HTTP refusal", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const refused = (status: number, header?: string): [RemoteFailure, RetryAfter] => {
    const retryAfter = new RetryAfter();
    const headers = header === undefined ? {} : { "retry-after": header };
    return [refusedFailure({ status, headers }, "example.com", retryAfter), retryAfter];
  };

  it.each([
    [429, "rateLimited"],
    [503, "unavailable"],
  ])(
    "with status %i and Retry-After makes calls fail with its code until the time is over",
    (status, code) => {
      const [failure, retryAfter] = refused(status, "60");
      expect(failure).toMatchObject({ code });
      expect(failure.reason).toContain("asks to wait 60 s");
      const duringPause = retryAfter.failure();
      expect(duringPause).toMatchObject({ code, mayHaveRun: false });
      expect(duringPause?.reason).toMatch(
        new RegExp(`HTTP ${status}\\) and has asked to wait; next try in 60 s$`),
      );
    },
  );

  it.each([
    [429, undefined],
    [429, "soon"],
    [500, "60"],
    [401, "60"],
  ])("with status %i and Retry-After %j sets no waiting time", (status, header) => {
    const [, retryAfter] = refused(status, header);
    expect(retryAfter.leftMs()).toBe(0);
    expect(retryAfter.failure()).toBeUndefined();
  });
});
