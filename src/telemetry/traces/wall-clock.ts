/** A step of the system clock that is not a rounding error. */
const STEP_MS = 50;

/**
 * Milliseconds since 1970 with fractions, so that spans are in order. The monotonic clock provides
 * the fractions; it is set again after the system clock was set or the machine was asleep.
 */
export class WallClock {
  #offset = performance.timeOrigin;

  /** The time at this moment of the monotonic clock, which is now. */
  at(monotonic: number): number {
    const now = Date.now();
    if (Math.abs(now - this.#offset - monotonic) > STEP_MS) this.#offset = now - monotonic;
    return this.#offset + monotonic;
  }
}
