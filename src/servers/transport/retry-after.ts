import type { DeliveryFailure } from "../../calls/call-errors.ts";

/**
 * How long a server has asked for a pause (`Retry-After`), and the error for callers in the
 * meantime. Kept for the configured server and not for a connection, because the pause outlives the
 * connection it was requested on.
 */
export class RetryAfter {
  #until = 0;
  #toError: ((leftMs: number) => DeliveryFailure) | undefined;

  /** The server asked for a pause of this length; `toError` makes the error for the remaining time. */
  set(ms: number, toError: (leftMs: number) => DeliveryFailure): void {
    this.#until = performance.now() + ms;
    this.#toError = toError;
  }

  leftMs(now = performance.now()): number {
    return Math.max(0, this.#until - now);
  }

  /** Why nothing is sent to the server now; undefined if requests are allowed. */
  failure(): DeliveryFailure | undefined {
    const left = this.leftMs();
    return left > 0 ? this.#toError?.(left) : undefined;
  }
}
