/** Waits for conditions that change only when something arrives. */

export type Found<T> = Exclude<T, undefined | null | false>;

export class Watchers {
  readonly #waiting = new Set<() => void>();

  /** Something has arrived: checks every condition again. */
  wake(): void {
    for (const look of this.#waiting) look();
  }

  /**
   * Waits until the condition returns something truthy. `failure` is called each time for the
   * reason why it can no longer come true, and with `late` once the time is over.
   */
  async until<T>(
    condition: () => T,
    timeoutMs: number,
    failure: (isLate: boolean) => Error | undefined,
  ): Promise<Found<T>> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const value = condition();
      if (value) return value as Found<T>;
      const leftMs = deadline - performance.now();
      const reason = failure(leftMs <= 0);
      if (reason !== undefined) throw reason;
      await this.#woken(leftMs);
    }
  }

  #woken(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, timeoutMs);
      this.#waiting.add(done);
    });
  }
}
