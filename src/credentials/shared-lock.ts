import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";

import type { ClusterLink } from "../cluster/cluster-link.ts";

/** A holder that shows no sign of life for this long has lost the lock. */
const LEASE_MS = 20_000;
const RENEW_MS = 5000;
/** Longer than an authorization server may take to answer. */
const MAX_WAIT_MS = 90_000;
const POLL_MS = 100;

const RENEW = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`;
const RELEASE = `
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1`;

const AWAY: unique symbol = Symbol("Redis cannot be used");

export interface SharedLock {
  /** Whether no other replica can have it. */
  isHeld(): Promise<boolean>;
  release(): Promise<void>;
}

/** Takes a lock of all replicas. Undefined if Redis is away; throws if another replica does not release it. */
export async function takeSharedLock(
  link: ClusterLink,
  name: string,
  failure: (reason: string) => Error,
): Promise<SharedLock | undefined> {
  const key = link.key(`lock:${name}`);
  // Different for each holder, so that one that lost the lock cannot touch that of the next.
  const holder = randomUUID();
  const start = performance.now();
  for (;;) {
    const askedAt = performance.now();
    const taken = await link.command("SET", key, holder, "NX", "PX", LEASE_MS).catch(() => AWAY);
    if (taken === AWAY) return undefined;
    if (taken === "OK") return new HeldLock(link, key, holder, askedAt);
    if (performance.now() - start > MAX_WAIT_MS)
      throw failure("another replica does not release its lock");
    // Different for each replica, so that they do not meet again and again.
    await delay(POLL_MS * (0.5 + Math.random()));
  }
}

class HeldLock implements SharedLock {
  readonly #link: ClusterLink;
  readonly #key: string;
  readonly #holder: string;
  readonly #timer: NodeJS.Timeout;
  /** When the lease was last renewed, at the earliest. */
  #renewedAt: number;

  constructor(link: ClusterLink, key: string, holder: string, takenAt: number) {
    this.#link = link;
    this.#key = key;
    this.#holder = holder;
    this.#renewedAt = takenAt;
    this.#timer = setInterval(() => void this.isHeld(), RENEW_MS).unref();
  }

  async isHeld(): Promise<boolean> {
    const askedAt = performance.now();
    try {
      const renewed = await this.#link.script(RENEW, [this.#key], [this.#holder, LEASE_MS]);
      if (Number(renewed) !== 1) return false;
      this.#renewedAt = askedAt;
      return true;
    } catch {
      // Until the lease is over, no other replica gets it.
      return performance.now() - this.#renewedAt < LEASE_MS - RENEW_MS;
    }
  }

  async release(): Promise<void> {
    clearInterval(this.#timer);
    // If that fails, the lease ends.
    await this.#link.script(RELEASE, [this.#key], [this.#holder]).catch(() => undefined);
  }
}
