const KEPT = 256;

/** Counts and times of the calls to one server. */
export class CallStatistics {
  calls = 0;
  errors = 0;
  readonly #latencies = new Float32Array(KEPT);

  record(ms: number, failed: boolean): void {
    this.#latencies[this.calls % KEPT] = ms;
    this.calls++;
    if (failed) this.errors++;
  }

  /** Milliseconds over the most recent calls; undefined before the first. */
  get latency(): { p50: number; p99: number; max: number } | undefined {
    const count = Math.min(this.calls, KEPT);
    if (count === 0) return undefined;
    const sorted = Array.from(this.#latencies.subarray(0, count)).sort((a, b) => a - b);
    const at = (share: number): number => round(sorted[Math.ceil(share * count) - 1] ?? 0);
    return { p50: at(0.5), p99: at(0.99), max: at(1) };
  }
}

function round(ms: number): number {
  return Math.round(ms * 100) / 100;
}
