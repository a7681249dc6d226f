import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { ClientCall } from "../../calls/call.ts";
import type { IncomingNotification } from "../../wire/messages.ts";
import { reportWaiting } from "./approval-progress.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function waiting(progressToken: string | undefined) {
  const sent: IncomingNotification[] = [];
  const caller = {
    onProgress: (_call: unknown, notification: IncomingNotification) =>
      void sent.push(notification),
  } as unknown as ClientCall["caller"];
  return { sent, stop: reportWaiting({ progressToken, caller }) };
}

describe("a call that waits for an approval", () => {
  it("reports progress every 10 seconds until it no longer waits", () => {
    const { sent, stop } = waiting('"token"');
    vi.advanceTimersByTime(9999);
    expect(sent).toEqual([]);
    vi.advanceTimersByTime(20_001);
    expect(sent).toHaveLength(3);
    const values = sent.map(({ params }) => params["progress"] as number);
    expect(values).toEqual(values.toSorted((a, b) => a - b));
    expect(new Set(values).size).toBe(3);
    expect(Math.max(...values)).toBeLessThan(1e-6);
    expect(sent[0]).toMatchObject({
      method: "notifications/progress",
      params: { message: expect.stringContaining("approval") },
    });
    stop();
    vi.advanceTimersByTime(60_000);
    expect(sent).toHaveLength(3);
  });

  it("reports nothing, and holds no timer, for a client that did not ask for progress", () => {
    const { sent } = waiting(undefined);
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(60_000);
    expect(sent).toEqual([]);
  });
});
