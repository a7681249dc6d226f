import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { Refresher } from "./refresher.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Work with a configurable duration that records when it begins. */
function refresher(ms = 0, cost = 0): { refresher: Refresher; begins: number[] } {
  const begins: number[] = [];
  const work = (): Promise<number> => {
    begins.push(performance.now());
    return new Promise((resolve) => setTimeout(() => resolve(cost), ms));
  };
  return { refresher: new Refresher(work), begins };
}

describe("Refresher", () => {
  it("runs once, a little later, for many requests", async () => {
    const { refresher: list, begins } = refresher();
    for (let i = 0; i < 50; i++) list.request();
    expect(begins).toEqual([]);
    await vi.advanceTimersByTimeAsync(5000);
    expect(begins.length).toBe(1);
  });

  it("runs once more for requests during a run", async () => {
    const { refresher: list, begins } = refresher(100);
    list.request();
    await vi.advanceTimersByTimeAsync(350);
    expect(begins.length).toBe(1);
    for (let i = 0; i < 50; i++) list.request();
    await vi.advanceTimersByTimeAsync(5000);
    expect(begins.length).toBe(2);
  });

  it("never runs twice at a time or without a pause, however often it is requested", async () => {
    const { refresher: list, begins } = refresher(10);
    for (let i = 0; i < 100; i++) {
      list.request();
      await vi.advanceTimersByTimeAsync(50);
    }
    expect(begins.length).toBeGreaterThan(2);
    for (const [i, begin] of begins.slice(1).entries())
      expect(begin - (begins[i] ?? 0)).toBeGreaterThanOrEqual(1000);
  });

  it("rests twenty times as long as the last run took to compute", async () => {
    const { refresher: list, begins } = refresher(10, 500);
    for (let i = 0; i < 700; i++) {
      list.request();
      await vi.advanceTimersByTimeAsync(50);
    }
    expect(begins.length).toBe(4);
    for (const [i, begin] of begins.slice(1).entries())
      expect(begin - (begins[i] ?? 0)).toBeGreaterThanOrEqual(10_000);
  });

  it("is settled at once if nothing is running", async () => {
    const { refresher: list, begins } = refresher();
    await list.settled;
    expect(begins).toEqual([]);
  });

  it("is settled when the requested run has ended", async () => {
    const { refresher: list, begins } = refresher(100);
    list.request();
    let settled = false;
    void list.settled.then(() => {
      settled = true;
    });
    await vi.advanceTimersByTimeAsync(350);
    expect([begins.length, settled]).toEqual([1, false]);
    await vi.advanceTimersByTimeAsync(100);
    expect(settled).toBe(true);
  });

  it("is settled after the second run if it was requested during the first", async () => {
    const { refresher: list, begins } = refresher(100);
    list.request();
    await vi.advanceTimersByTimeAsync(350);
    list.request();
    let runs = 0;
    void list.settled.then(() => {
      runs = begins.length;
    });
    await vi.advanceTimersByTimeAsync(5000);
    expect(runs).toBe(2);
  });

  it("is settled eventually even if requests never stop", async () => {
    const { refresher: list } = refresher(10);
    const asking = setInterval(() => list.request(), 5);
    list.request();
    let settled = false;
    void list.settled.then(() => {
      settled = true;
    });
    await vi.advanceTimersByTimeAsync(3000);
    clearInterval(asking);
    expect(settled).toBe(true);
  });
});
