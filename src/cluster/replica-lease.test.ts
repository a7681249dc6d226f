import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { FakeCluster, type FakeLink } from "../../test/support/fake-cluster.ts";
import { LEASE_MS, ReplicaLease } from "./replica-lease.ts";

describe("the lease of a replica", () => {
  let link: FakeLink;
  let lease: ReplicaLease;
  let hasLease = false;
  const gaps: boolean[] = [];
  beforeEach(async () => {
    vi.useFakeTimers();
    link = new FakeCluster().link();
    hasLease = false;
    gaps.length = 0;
    vi.spyOn(link, "script").mockImplementation(async () => {
      const existed = hasLease ? 1 : 0;
      hasLease = true;
      return [existed];
    });
    lease = new ReplicaLease(link, (hadGap) => void gaps.push(hadGap));
    await lease.renew();
  });
  afterEach(() => void vi.useRealTimers());

  it("notices that Redis has lost its data, so that what is shared is written again", async () => {
    const onUp = vi.fn();
    link.onUp(onUp);
    await lease.renew();
    expect(onUp).not.toHaveBeenCalled();
    hasLease = false;
    await lease.renew();
    expect(onUp).toHaveBeenCalledOnce();
    expect(gaps).toEqual([true, false, true]);
  });

  it("ends by the clock that cannot be set, before it ends in Redis", async () => {
    vi.spyOn(link, "script").mockRejectedValue(new Error("Redis is not reachable"));
    const isFreshAfter = async (ms: number): Promise<boolean> => {
      await vi.advanceTimersByTimeAsync(ms);
      return lease.isFresh;
    };
    expect(await isFreshAfter(LEASE_MS - 600)).toBe(true);
    // The clock of the machine is set back.
    vi.setSystemTime(Date.now() - 3_600_000);
    expect(await isFreshAfter(200)).toBe(false);
  });

  it("ends by the other clock, too, which goes on while the machine sleeps", () => {
    expect(lease.isFresh).toBe(true);
    vi.setSystemTime(Date.now() + LEASE_MS);
    expect(lease.isFresh).toBe(false);
  });

  it("counts from when it was renewed in Redis at the earliest", async () => {
    vi.spyOn(link, "script").mockImplementation(async () => {
      vi.setSystemTime(Date.now() + LEASE_MS);
      return [1];
    });
    expect(await lease.renew()).toBe(true);
    expect(lease.isFresh).toBe(false);
  });

  it("does not take a lease that has ended for a loss", async () => {
    const onUp = vi.fn();
    link.onUp(onUp);
    vi.setSystemTime(Date.now() + 10_000);
    hasLease = false;
    await lease.renew();
    expect(onUp).not.toHaveBeenCalled();
    expect(gaps).toEqual([true, true]);
  });
});
