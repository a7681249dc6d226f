import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { FakeCaller, FakeConnection } from "../../../test/support/fake-connection.ts";
import { whenIdle } from "./idle-timer.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function watched(idleMs: number): { fake: FakeConnection; idle: number[]; end: () => void } {
  const fake = new FakeConnection();
  const idle: number[] = [];
  fake.connection.calls.lastUsed = performance.now();
  const end = whenIdle(
    fake.connection,
    () => idleMs,
    () => idle.push(performance.now()),
  );
  return { fake, idle, end };
}

describe("whenIdle", () => {
  it("reports once that a connection has been unused for the idle time", () => {
    const { idle } = watched(1000);
    vi.advanceTimersByTime(999);
    expect(idle).toEqual([]);
    vi.advanceTimersByTime(5000);
    expect(idle).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("counts from the last use, and not while a call is pending", () => {
    const { fake, idle } = watched(1000);
    vi.advanceTimersByTime(600);
    const caller = new FakeCaller();
    const { call } = fake.call(caller);
    vi.advanceTimersByTime(5000);
    expect(idle).toEqual([]);
    fake.answer(call.id);
    vi.advanceTimersByTime(2000);
    expect(idle).toHaveLength(1);
  });

  it("never reports if the idle time is 0 or after it was stopped, and leaves no timer", () => {
    expect(watched(0).idle).toEqual([]);
    const { idle, end } = watched(1000);
    end();
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(5000);
    expect(idle).toEqual([]);
  });
});
