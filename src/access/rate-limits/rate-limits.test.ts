import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Principal } from "../../calls/principal.ts";
import type { RateLimit } from "../../config/types.ts";
import { RateCounters } from "./rate-counters.ts";
import { RateLimits } from "./rate-limits.ts";

const principal = (name: string): Principal => ({
  kind: "token",
  id: `t-${name}`,
  name,
  readOnly: false,
});
const ALICE = principal("alice");

/** Limits with a clock that the test moves. */
function scene(limits: readonly RateLimit[]) {
  const clock = { now: 1000 };
  const rates = new RateLimits(new RateCounters(() => clock.now));
  rates.configure(limits);
  const admit = (tool?: string, who = ALICE): boolean => rates.admit(who, tool) === undefined;
  const admitted = (count: number, tool?: string, who = ALICE): number =>
    Array.from({ length: count }, () => admit(tool, who)).filter(Boolean).length;
  return { clock, rates, admit, admitted };
}

const times = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 120 });
const rate = fc.record({
  calls: fc.integer({ min: 1, max: 20 }),
  perMs: fc.integer({ min: 1, max: 2000 }),
  burst: fc.integer({ min: 1, max: 30 }),
});

describe("rate limits", () => {
  it("admit at most burst + rate · t calls in any time t", () => {
    fc.assert(
      fc.property(rate, times, (limit, pauses) => {
        const { clock, admit } = scene([limit]);
        const passed: number[] = [];
        for (const pause of pauses) {
          clock.now += pause;
          if (admit()) passed.push(clock.now);
        }
        const excess = passed.flatMap((from, i) =>
          passed.slice(i).map((to, count) => {
            const most = limit.burst + ((to - from) * limit.calls) / limit.perMs;
            return count + 1 - most;
          }),
        );
        expect(Math.max(...excess)).toBeLessThan(1e-6);
      }),
    );
  });

  it("admit a call after exactly the time that a refusal states", () => {
    fc.assert(
      fc.property(rate, fc.integer({ min: 0, max: 5000 }), (limit, extra) => {
        const { clock, rates, admit } = scene([limit]);
        while (admit());
        const waitMs = rates.admit(ALICE, undefined)?.waitMs ?? 0;
        expect(waitMs).toBeGreaterThan(0);
        clock.now += waitMs / 2;
        expect(admit()).toBe(false);
        clock.now += waitMs / 2 + 1e-6 + extra;
        expect(admit()).toBe(true);
      }),
    );
  });

  it("admit `calls` at once if no burst is given", () => {
    expect(scene([{ calls: 3, perMs: 60_000 }]).admitted(10)).toBe(3);
    expect(scene([{ calls: 3, perMs: 60_000, burst: 1 }]).admitted(10)).toBe(1);
  });

  it("count each principal by itself, and only those that are named", () => {
    const { admitted } = scene([{ clients: ["alice", "bo*"], calls: 2, perMs: 60_000 }]);
    expect(admitted(5)).toBe(2);
    expect(admitted(5, undefined, principal("bob"))).toBe(2);
    expect(admitted(5, undefined, principal("carol"))).toBe(5);
  });

  it("count only the tools that match, together", () => {
    const { admitted } = scene([{ tools: ["github/*", "*/delete_*"], calls: 2, perMs: 60_000 }]);
    expect(admitted(5, "files/read")).toBe(5);
    expect(admitted(1, "github/list")).toBe(1);
    expect(admitted(5, "files/delete_file")).toBe(1);
    // Prompts and resources are not tools.
    expect(admitted(5)).toBe(5);
  });

  it("must all be satisfied, and a refused call counts towards none of them", () => {
    const { clock, rates, admitted } = scene([
      { calls: 4, perMs: 60_000 },
      { tools: ["a/*"], calls: 2, perMs: 1000 },
    ]);
    expect(admitted(10, "a/x")).toBe(2);
    expect(rates.admit(ALICE, "a/x")?.limit.tools).toEqual(["a/*"]);
    clock.now += 1000;
    expect(admitted(10, "a/x")).toBe(2);
    expect(rates.admit(ALICE, "a/x")?.limit.tools).toBeUndefined();
  });

  it("keep their counts when the configuration changes, unless they change themselves", () => {
    const { rates, admitted } = scene([
      { calls: 2, perMs: 60_000 },
      { tools: ["a/*"], calls: 9, perMs: 1000 },
    ]);
    expect(admitted(5)).toBe(2);
    rates.configure([{ perMs: 60_000, calls: 2 }]);
    expect(admitted(5)).toBe(0);
    rates.configure([{ calls: 3, perMs: 60_000 }]);
    expect(admitted(5)).toBe(3);
    rates.configure([]);
    expect(admitted(5)).toBe(5);
    rates.configure([{ calls: 2, perMs: 60_000 }]);
    expect(admitted(5)).toBe(0);
  });

  it("count a limit that is written twice once", () => {
    expect(
      scene([
        { calls: 4, perMs: 1000 },
        { perMs: 1000, calls: 4, burst: 4 },
      ]).admitted(9),
    ).toBe(4);
  });
});

describe("the counters of rate limits", () => {
  const RATE = { calls: 1, perMs: 1000, burst: 1 };

  it("are limited in number: those without effect go first", () => {
    const clock = { now: 0 };
    const counters = new RateCounters(() => clock.now, 3);
    counters.count("expired", RATE);
    clock.now = 1000;
    for (const key of ["a", "b", "c"]) counters.count(key, RATE);
    expect(counters.size).toBe(3);
    expect(["a", "b", "c"].map((key) => counters.waitMs(key, RATE))).toEqual([1000, 1000, 1000]);
    for (let i = 0; i < 100; i++) counters.count(`more-${i}`, RATE);
    expect(counters.size).toBe(3);
  });
});
