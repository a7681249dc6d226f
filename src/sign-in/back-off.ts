const FIRST_MS = 1_000;
const MAX_MS = 60_000;
/** A server may ask for a longer pause, within this limit. */
const MAX_RETRY_AFTER_MS = 10 * 60_000;

/** Why attempts fail, and when the next one is allowed: after 1, 2, 4 … 60 seconds. */
export class BackOff {
  readonly #now: () => number;
  #failures = 0;
  #nextAt = 0;
  #problem: Problem | undefined;

  constructor(now: () => number) {
    this.#now = now;
  }

  get problem(): Problem | undefined {
    return this.#problem;
  }

  /** Zero if the next attempt may begin. */
  get waitMs(): number {
    return Math.max(0, this.#nextAt - this.#now());
  }

  fail(problem: Problem, { retryAfterMs = 0, atLeastMs = 0 } = {}): void {
    const delay = Math.min(FIRST_MS * 2 ** this.#failures, MAX_MS);
    this.#failures += 1;
    const asked = Math.min(retryAfterMs, MAX_RETRY_AFTER_MS);
    this.#nextAt = this.#now() + Math.max(delay, asked, atLeastMs);
    this.#problem = problem;
  }

  reset(): void {
    this.#failures = 0;
    this.#nextAt = 0;
    this.#problem = undefined;
  }
}

export interface Problem {
  readonly state: "unreachable" | "refused";
  readonly reason: string;
  readonly cause?: unknown;
}
