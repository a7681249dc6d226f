import type { DeliveryFailure } from "../../calls/call-errors.ts";

/**
 * How long a server wants to be left alone (`Retry-After`), and what is told to those who ask for it
 * meanwhile. Kept for the configured server and not for a connection to it, because the wish
 * outlives the connection it came on.
 */
export class RetryAfter {
  #until = 0;
  #told: ((leftMs: number) => DeliveryFailure) | undefined;

  /** The server wants to be left alone for this long; `told` says so with the time that is left. */
  ask(ms: number, told: (leftMs: number) => DeliveryFailure): void {
    this.#until = performance.now() + ms;
    this.#told = told;
  }

  leftMs(now = performance.now()): number {
    return Math.max(0, this.#until - now);
  }

  /** Why nothing is sent to the server now; undefined if it may be. */
  failure(): DeliveryFailure | undefined {
    const left = this.leftMs();
    return left > 0 ? this.#told?.(left) : undefined;
  }
}
