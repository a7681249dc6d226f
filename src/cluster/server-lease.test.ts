import { randomBytes } from "node:crypto";

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { ClusterLink } from "./cluster-link.ts";
import { Keyring } from "./keyring.ts";
import { SERVER_LEASE_MS, ServerLease } from "./server-lease.ts";
import { serverToken, serverUseIn } from "./server-token.ts";

/** As much of Redis as a lease uses. Its clock is that of the test. */
class FakeRedis {
  readonly #keyring = new Keyring([randomBytes(32).toString("base64")]);
  isUp = true;
  #value: string | undefined;
  #until = 0;

  link(replica: string): ClusterLink {
    const part = {
      replica,
      advertise: `http://${replica}`,
      key: (name: string) => name,
      seal: (text: string, purpose: string) => this.#keyring.seal(text, purpose),
      open: (text: string, purpose: string) => this.#keyring.open(text, purpose),
      script: (lua: string, _keys: readonly string[], [own, ms]: readonly [string, number]) =>
        this.isUp
          ? Promise.resolve(this.#run(lua, own, ms))
          : Promise.reject(new Error("Redis is not reachable")),
    };
    return part as unknown as ClusterLink;
  }

  #run(lua: string, own: string, ms: number): string | null {
    if (performance.now() >= this.#until) this.#value = undefined;
    if (lua.includes("'DEL'")) {
      if (this.#value === own) this.#value = undefined;
      return null;
    }
    if (lua.includes("'SET'")) this.#value ??= own;
    if (this.#value === own) this.#until = performance.now() + ms;
    return this.#value ?? null;
  }
}

/** A lease, with what has happened to it. */
function leaseOf(redis: FakeRedis, replica: string) {
  const events: string[] = [];
  const lease = new ServerLease(redis.link(replica), "dev/once", {
    onLost: () => events.push("lost"),
    onMoved: () => events.push("moved"),
  });
  return { lease, events };
}

const ALIVE = async (): Promise<boolean> => true;
const GONE = async (): Promise<boolean> => false;

describe("the right to run a server", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("is held by one replica, which the others find", async () => {
    const redis = new FakeRedis();
    const [a, b] = [leaseOf(redis, "a"), leaseOf(redis, "b")];
    await a.lease.settle(ALIVE);
    await b.lease.settle(ALIVE);
    expect([a.lease.isHeld, b.lease.isHeld]).toEqual([true, false]);
    expect(b.lease.holder).toEqual({ id: "a", address: "http://a" });
    await vi.advanceTimersByTimeAsync(10 * SERVER_LEASE_MS);
    expect([a.lease.isHeld, a.events, b.events]).toEqual([true, [], []]);
  });

  it("is taken at once from a replica that gives it up", async () => {
    const redis = new FakeRedis();
    const [a, b] = [leaseOf(redis, "a"), leaseOf(redis, "b")];
    await a.lease.settle(ALIVE);
    await b.lease.settle(ALIVE);
    await a.lease.close();
    await vi.advanceTimersByTimeAsync(SERVER_LEASE_MS / 2);
    expect(b.events).toEqual(["moved"]);
    await b.lease.settle(GONE);
    expect([b.lease.isHeld, a.events]).toEqual([true, []]);
  });

  it("is lost without Redis before another replica can take it", async () => {
    const redis = new FakeRedis();
    const [a, b] = [leaseOf(redis, "a"), leaseOf(redis, "b")];
    await a.lease.settle(ALIVE);
    redis.isUp = false;
    // Whenever b could take it, a has given it up.
    for (let ms = 0; ms < 2 * SERVER_LEASE_MS && !b.lease.isHeld; ms += 100) {
      await vi.advanceTimersByTimeAsync(100);
      redis.isUp = true;
      await b.lease.settle(ALIVE);
      redis.isUp = false;
      expect([a.lease.isHeld, b.lease.isHeld]).not.toEqual([true, true]);
    }
    expect([b.lease.isHeld, a.events]).toEqual([true, ["lost"]]);
  });

  it("is taken from a replica that is gone when its lease has ended, and not before", async () => {
    const redis = new FakeRedis();
    const [a, b] = [leaseOf(redis, "a"), leaseOf(redis, "b")];
    await a.lease.settle(ALIVE);
    vi.clearAllTimers();
    const begin = performance.now();
    const taken = b.lease.settle(GONE).then(() => performance.now() - begin);
    await vi.advanceTimersByTimeAsync(2 * SERVER_LEASE_MS);
    expect(await taken).toBeGreaterThanOrEqual(SERVER_LEASE_MS);
    expect(b.lease.isHeld).toBe(true);
  });

  it("cannot be had without Redis", async () => {
    const redis = new FakeRedis();
    redis.isUp = false;
    const { lease } = leaseOf(redis, "a");
    await expect(lease.settle(ALIVE)).rejects.toThrow("Redis is not reachable");
    expect(lease.isHeld).toBe(false);
  });
});

describe("the token of a replica", () => {
  const redis = new FakeRedis();
  const use = { toolbox: "dev", server: "once" };

  it("is valid for one server at one replica", () => {
    const token = serverToken(redis.link("a"), "b", use);
    expect(serverUseIn(redis.link("b"), token)).toEqual({ from: "a", ...use });
    expect(serverUseIn(redis.link("c"), token)).toBeUndefined();
    expect(serverUseIn(new FakeRedis().link("b"), token)).toBeUndefined();
    expect(serverUseIn(redis.link("b"), "mwbr_x")).toBeUndefined();
    expect(serverUseIn(redis.link("b"), "mwb_x")).toBeUndefined();
  });
});
