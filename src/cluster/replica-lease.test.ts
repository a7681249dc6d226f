import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { FakeCluster, type FakeLink } from "../../test/support/fake-cluster.ts";
import { ReplicaLease } from "./replica-lease.ts";

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
