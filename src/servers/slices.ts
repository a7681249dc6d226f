/** How long other work may have to wait. */
const SLICE_MS = 10;

/**
 * Splits long work into slices with time for other work in between. Counts only the time of the
 * work itself, not the time it waits.
 */
export class Slices {
  #spent = 0;
  #since: number | undefined;

  get spentMs(): number {
    return this.#spent + (this.#since === undefined ? 0 : performance.now() - this.#since);
  }

  /** Starts counting. */
  begin(): void {
    this.#since ??= performance.now();
  }

  end(): void {
    this.#spent = this.spentMs;
    this.#since = undefined;
  }

  /** True if the current slice is over and `rest` should be awaited. */
  get due(): boolean {
    return this.#since !== undefined && performance.now() - this.#since >= SLICE_MS;
  }

  /** Two turns of the event loop: a new connection is accepted in one, and its request is read in the next. */
  async rest(): Promise<void> {
    this.end();
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    this.begin();
  }
}
