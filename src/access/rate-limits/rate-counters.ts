/** How often something may happen. */
export interface Rate {
  readonly calls: number;
  readonly perMs: number;
  /** How often it may happen at once. */
  readonly burst: number;
}

/** How many counters are kept; those of principals that called longest ago go first. */
const MAX_COUNTERS = 10_000;

/** Sums of times are not exact; a difference below this means nothing. */
const ROUNDING_MS = 1e-6;

/**
 * Counts calls by the generic cell rate algorithm: each counter is one number, the time at which all
 * calls so far would have been made at the allowed rate. In any time t, at most burst + rate · t calls
 * pass.
 */
export class RateCounters {
  readonly #now: () => number;
  readonly #max: number;
  readonly #dueAt = new Map<string, number>();

  /** The clock must never go back. */
  constructor(now: () => number = () => performance.now(), max = MAX_COUNTERS) {
    this.#now = now;
    this.#max = max;
  }

  get size(): number {
    return this.#dueAt.size;
  }

  /** How long a call has to wait, in milliseconds; 0 if it may be made now. Nothing is counted. */
  waitMs(key: string, { calls, perMs, burst }: Rate): number {
    const aheadMs = Math.max(0, (this.#dueAt.get(key) ?? 0) - this.#now());
    const waitMs = aheadMs - ((burst - 1) * perMs) / calls;
    return waitMs > ROUNDING_MS ? waitMs : 0;
  }

  count(key: string, { calls, perMs }: Rate): void {
    const now = this.#now();
    const due = Math.max(this.#dueAt.get(key) ?? now, now) + perMs / calls;
    this.#dueAt.delete(key);
    if (this.#dueAt.size >= this.#max) this.#makeRoom(now);
    this.#dueAt.set(key, due);
  }

  /** Forgets counters that have no effect any longer; if there are none, the oldest one. */
  #makeRoom(now: number): void {
    for (const [key, due] of this.#dueAt) if (due <= now) this.#dueAt.delete(key);
    if (this.#dueAt.size < this.#max) return;
    const [oldest] = this.#dueAt.keys();
    if (oldest !== undefined) this.#dueAt.delete(oldest);
  }
}
