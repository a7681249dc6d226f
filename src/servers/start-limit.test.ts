import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { type StartingServer, limitStart, maxDownloadMs } from "./start-limit.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const CONNECT_MS = 30_000;
const DOWNLOAD_MS = 600_000;
const NEVER = new Promise<never>(() => {});
/** More than a start needs that does not wait for anything. */
const MICROTASKS = 50;

/** A start whose server runs when the test says so. */
class FakeStart implements StartingServer {
  readonly connectMs = CONNECT_MS;
  readonly downloadMs = DOWNLOAD_MS;
  runs = false;
  isDownloading: boolean | undefined;

  async isRunning(): Promise<boolean> {
    return this.runs;
  }

  onChecked(isDownloading: boolean): void {
    this.isDownloading = isDownloading;
  }

  silence(): Error {
    return new Error("silent");
  }

  stuck(): Error {
    return new Error("stuck");
  }
}

/** How a start ended so far. */
function outcomeOf(start: FakeStart, work: Promise<string> = NEVER): { now: string } {
  const outcome = { now: "pending" };
  void limitStart(start, work).then(
    (value) => (outcome.now = value),
    (error: Error) => (outcome.now = error.message),
  );
  return outcome;
}

describe("the time limit of a start", () => {
  it("does not end a download, and begins when the server runs", async () => {
    const start = new FakeStart();
    const outcome = outcomeOf(start);
    await vi.advanceTimersByTimeAsync(5 * CONNECT_MS);
    expect([outcome.now, start.isDownloading]).toEqual(["pending", true]);
    start.runs = true;
    await vi.advanceTimersByTimeAsync(CONNECT_MS);
    expect([outcome.now, start.isDownloading]).toEqual(["pending", false]);
    await vi.advanceTimersByTimeAsync(2000);
    expect(outcome.now).toBe("silent");
  });

  it("is connectMs for a server that runs from the beginning, give or take a check", async () => {
    const start = new FakeStart();
    start.runs = true;
    const outcome = outcomeOf(start);
    await vi.advanceTimersByTimeAsync(CONNECT_MS);
    expect(outcome.now).toBe("pending");
    await vi.advanceTimersByTimeAsync(2000);
    expect(outcome.now).toBe("silent");
  });

  it("begins again if a download begins after the first check", async () => {
    const start = new FakeStart();
    start.runs = true;
    const outcome = outcomeOf(start);
    await vi.advanceTimersByTimeAsync(3000);
    start.runs = false;
    await vi.advanceTimersByTimeAsync(2 * CONNECT_MS);
    start.runs = true;
    await vi.advanceTimersByTimeAsync(CONNECT_MS);
    expect(outcome.now).toBe("pending");
  });

  it("ends a download that is stuck", async () => {
    const outcome = outcomeOf(new FakeStart());
    await vi.advanceTimersByTimeAsync(DOWNLOAD_MS);
    expect(outcome.now).toBe("pending");
    await vi.advanceTimersByTimeAsync(CONNECT_MS + 2000);
    expect(outcome.now).toBe("stuck");
  });

  it("is shorter for commands where a server that hangs looks like a download", () => {
    expect(maxDownloadMs(false, "darwin")).toBe(600_000);
    expect(maxDownloadMs(true, "linux")).toBe(600_000);
    expect(maxDownloadMs(true, "darwin")).toBe(180_000);
    expect(maxDownloadMs(true, "win32")).toBe(180_000);
  });

  it("leaves no timer behind when the server is connected", async () => {
    const start = new FakeStart();
    // What earlier tests in this process left behind may set timers, but not before the next turn.
    const others = vi.getTimerCount();
    const outcome = outcomeOf(start, Promise.resolve("connected"));
    for (let i = 0; i < MICROTASKS; i++) await Promise.resolve();
    expect([outcome.now, start.isDownloading]).toEqual(["connected", false]);
    expect(vi.getTimerCount()).toBe(others);
  });
});
