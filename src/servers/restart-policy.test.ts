import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { MAX_PAUSE_MS, RestartPolicy } from "./restart-policy.ts";

/** A number that `Math.random` may return. */
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

/** How long each run of a server lasts, and how long after that it is needed again. */
const runs = fc.array(
  fc.record({
    lasts: fc.oneof(fc.constant(0), fc.nat(2000), fc.nat(70_000)),
    wantedAfter: fc.oneof(fc.constant(0), fc.nat(3000)),
  }),
  { minLength: 1, maxLength: 40 },
);

/** Starts the server whenever it is needed and allowed; returns the times of all starts. */
function startsOf(policy: RestartPolicy, history: readonly Run[]): number[] {
  const starts: number[] = [];
  let now = 1000;
  for (const { lasts, wantedAfter } of history) {
    now += policy.waitMs(now);
    starts.push(now);
    policy.started(now);
    const startedAt = now;
    now += lasts;
    policy.failed(now, startedAt);
    now += wantedAfter;
  }
  return starts;
}

interface Run {
  readonly lasts: number;
  readonly wantedAfter: number;
}

describe("RestartPolicy", () => {
  it("starts a new server, and one that failed once, without delay", () => {
    const policy = new RestartPolicy();
    expect(policy.waitMs(0)).toBe(0);
    policy.started(0);
    policy.failed(10, 0);
    expect(policy.waitMs(10)).toBe(0);
  });

  it("allows at most 5 starts in any 10 seconds, whatever the server and its clients do", () => {
    const longest = fc.constantFrom(...Object.values(MAX_PAUSE_MS));
    fc.assert(
      fc.property(longest, runs, fc.infiniteStream(random), (longestMs, history, numbers) => {
        const policy = new RestartPolicy(longestMs, () => numbers.next().value as number);
        const starts = startsOf(policy, history);
        for (const [i, start] of starts.entries())
          expect(starts[i + 5] ?? Infinity).toBeGreaterThan(start + 10_000);
      }),
      { numRuns: 500 },
    );
  });

  it("doubles the delay with each failure up to 30 seconds, with 20 % jitter", () => {
    fc.assert(
      fc.property(fc.array(random, { minLength: 12, maxLength: 12 }), (numbers) => {
        const left = [...numbers];
        const policy = new RestartPolicy(MAX_PAUSE_MS.process, () => left.shift() ?? 0);
        let now = 0;
        const waits = numbers.map(() => {
          policy.started(now);
          policy.failed(now, now);
          const wait = policy.waitMs(now);
          now += wait;
          return wait;
        });
        const nominal = [0, 1, 2, 4, 8, 16, 30, 30, 30, 30, 30, 30].map((s) => s * 1000);
        for (const [i, wait] of waits.entries()) {
          expect(wait).toBeGreaterThanOrEqual((nominal[i] as number) * 0.799_999);
          expect(wait).toBeLessThanOrEqual((nominal[i] as number) * 1.200_001);
        }
        expect(policy.failures).toBe(12);
      }),
    );
  });

  it("delays a remote server by less than five seconds, however often it failed", () => {
    const asked = fc.constantFrom(0, 1, 500, 1000, 2000, 3000, 4000);
    const durations = fc.array(fc.nat(2000), { minLength: 5, maxLength: 40 });
    fc.assert(
      fc.property(durations, asked, fc.infiniteStream(random), (lasting, askedMs, numbers) => {
        const policy = new RestartPolicy(MAX_PAUSE_MS.remote, () => numbers.next().value as number);
        let now = 0;
        for (const lasts of lasting) {
          policy.started(now);
          policy.failed(now + lasts, now, askedMs);
          now += lasts;
          expect(policy.waitMs(now)).toBeLessThan(5000);
          now += policy.waitMs(now);
        }
      }),
    );
  });

  it.each([
    ["exactly as long as Retry-After asks for", 5000, 5000],
    ["as long as Retry-After asks for, even if its own pause is longer", 3000, 3000],
    ["three seconds if Retry-After asks for less after many failures", 1, 3000],
  ])("waits %s", (_, asked, expected) => {
    const policy = new RestartPolicy(MAX_PAUSE_MS.remote, () => 0.5);
    for (let now = 10_000; now <= 80_000; now += 10_000) policy.failed(now, now);
    policy.failed(90_000, 90_000, asked);
    expect(policy.waitMs(90_000)).toBe(expected);
  });

  it("uses the first Retry-After unchanged", () => {
    const policy = new RestartPolicy(MAX_PAUSE_MS.remote);
    policy.started(0);
    policy.failed(0, 0, 1000);
    expect(policy.waitMs(0)).toBe(1000);
  });

  it("never gives up", () => {
    const policy = new RestartPolicy(MAX_PAUSE_MS.process, () => 0.999);
    let now = 0;
    for (let i = 0; i < 5000; i++) {
      policy.started(now);
      policy.failed(now, now);
      expect(policy.waitMs(now)).toBeLessThanOrEqual(36_000);
      now += policy.waitMs(now);
      expect(policy.waitMs(now)).toBe(0);
    }
  });

  it("counts the delay down as time passes", () => {
    const policy = new RestartPolicy(MAX_PAUSE_MS.process, () => 0.5);
    policy.started(0);
    policy.failed(0, 0);
    policy.failed(0, 0);
    expect([0, 400, 1000, 5000].map((now) => policy.waitMs(now))).toEqual([1000, 600, 0, 0]);
  });

  it.each([
    [59_999, 3],
    [60_000, 1],
    [3_600_000, 1],
  ])("after a run of %i ms counts %i failures", (lasted, failures) => {
    const policy = new RestartPolicy();
    policy.failed(0, 0);
    policy.failed(0, 0);
    policy.started(100_000);
    policy.failed(100_000 + lasted, 100_000);
    expect(policy.failures).toBe(failures);
  });

  it("counts many processes that exit at the same time as one failure", () => {
    const policy = new RestartPolicy(MAX_PAUSE_MS.process, () => 0.5);
    for (let i = 0; i < 20; i++) policy.started(0);
    for (let i = 0; i < 20; i++) policy.failed(100_000, 99_999);
    expect(policy.failures).toBe(2);
    expect(policy.waitMs(100_000)).toBe(1000);
  });

  it("measures the running time of each process separately", () => {
    const policy = new RestartPolicy();
    policy.failed(0, 0);
    policy.failed(0, 0);
    policy.started(100_000);
    // Another one that was started just now does not make the first one young.
    policy.started(170_000);
    policy.failed(170_001, 100_000);
    expect(policy.failures).toBe(1);
  });

  it("allows at most 5 starts of a failing server in any 10 seconds, however many clients use it", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(400), { minLength: 30, maxLength: 300 }), (pauses) => {
        const policy = new RestartPolicy(MAX_PAUSE_MS.process, () => 0.5);
        policy.failed(0, 0);
        const starts: number[] = [];
        let now = 0;
        for (const pause of pauses) {
          now += pause;
          if (policy.waitMs(now) > 0) continue;
          starts.push(now);
          policy.started(now);
          // It dies later than the next one is asked for.
          if (starts.length % 7 === 0) policy.failed(now, now);
        }
        for (const [i, start] of starts.entries())
          expect(starts[i + 5] ?? Infinity).toBeGreaterThan(start + 10_000);
      }),
    );
  });
});
