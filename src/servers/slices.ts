/** How long other work may have to wait. */
const SLICE_MS = 10;

/**
 * Long work in slices, between which everything else gets its turn. Counts the time the work itself
 * takes, without what it waits for.
 */
export class Slices {
  #spent = 0;
  #since: number | undefined;

  get spentMs(): number {
    return this.#spent + (this.#since === undefined ? 0 : performance.now() - this.#since);
  }

  /** Counts from here on. */
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

  async rest(): Promise<void> {
    this.end();
    await new Promise((resolve) => setImmediate(resolve));
    this.begin();
  }
}
