import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { KILL_SETTLE_MS } from "../servers/transport/stdio/process-tree.ts";
import { type StoppableServer, stopWhenIdle } from "./shutdown.ts";

const SHUTDOWN_MS = 2000;
/** What remains of the promised five seconds for everything that is not a wait. */
const MARGIN_MS = 400;

/** Longer than any of these servers takes. */
const MAX_STOP_MS = 20_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A server that ignores the end of its input and SIGTERM, and answers its calls after a while. */
class StubbornServer implements StoppableServer {
  readonly settings = { timeouts: { shutdownMs: SHUTDOWN_MS } };
  readonly begin = performance.now();
  readonly #answersAfterMs: number;
  readonly steps: [string, number][] = [];
  #hurry: () => void = () => {};
  readonly #hurried = new Promise<void>((resolve) => (this.#hurry = resolve));

  constructor(answersAfterMs: number) {
    this.#answersAfterMs = answersAfterMs;
  }

  readonly state = "ready";

  get connections(): StoppableServer["connections"] {
    const isBusy = (): boolean => this.#now < this.#answersAfterMs;
    return { processes: [{ hurry: this.#hurry }], isBusy };
  }

  /** The steps of a stdio channel. */
  async close(): Promise<void> {
    this.#step("end of input");
    await Promise.race([this.#hurried, wait(SHUTDOWN_MS)]);
    this.#step("SIGTERM");
    await wait(SHUTDOWN_MS);
    this.#step("SIGKILL");
    await wait(KILL_SETTLE_MS);
  }

  get #now(): number {
    return performance.now() - this.begin;
  }

  #step(name: string): void {
    this.steps.push([name, this.#now]);
  }
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

async function stop(answersAfterMs: number): Promise<{ server: StubbornServer; tookMs: number }> {
  const server = new StubbornServer(answersAfterMs);
  const stopped = stopWhenIdle(server);
  // Not all timers: a test that ran before in the same process may have left a loop behind.
  await vi.advanceTimersByTimeAsync(MAX_STOP_MS);
  await stopped;
  const [, killedAt = Infinity] = server.steps.at(-1) ?? [];
  return { server, tookMs: killedAt + KILL_SETTLE_MS };
}

describe("stopWhenIdle", () => {
  it.each([
    ["has no calls in flight", 0],
    ["answers its call after a while", 1000],
    ["answers its call at the last moment", 1990],
    ["never answers its call", Infinity],
  ])("stops a stubborn server within five seconds that %s", async (_what, answersAfterMs) => {
    const { tookMs } = await stop(answersAfterMs);
    expect(tookMs).toBeLessThanOrEqual(5000 - MARGIN_MS);
  });

  it("allows a server without calls all of shutdownMs to react to each step", async () => {
    const { server } = await stop(0);
    expect(server.steps).toEqual([
      ["end of input", 0],
      ["SIGTERM", 2000],
      ["SIGKILL", 4000],
    ]);
  });

  it("leaves a call shutdownMs to be answered before the input of its server ends", async () => {
    const { server } = await stop(1500);
    expect(server.steps[0]).toEqual(["end of input", 1500]);
  });
});
