const DEBOUNCE_MS = 300;
/** The minimum time between starts, so that a server that keeps asking costs little. */
const REST_MS = 1000;
/** The pause after a run is at least this multiple of its cost: one server gets 5 % of the time. */
const REST_PER_COST = 20;

/**
 * Runs a task some time after it was requested, however often it is requested: one run at a time,
 * and one more if it was requested again in the meantime.
 */
export class Refresher {
  readonly #work: () => Promise<number>;
  #running: Promise<void> | undefined;
  #again = false;
  #nextBegin = -Infinity;

  /** `work` returns how many milliseconds of computing it took. */
  constructor(work: () => Promise<number>) {
    this.#work = work;
  }

  /**
   * Resolves when the current run has ended, and the next one if it was already requested; at once
   * if there is none.
   */
  get settled(): Promise<void> {
    return this.#running?.then(() => this.#running) ?? Promise.resolve();
  }

  request(): void {
    if (this.#running !== undefined) {
      this.#again = true;
      return;
    }
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
      if (this.#again) this.request();
    });
  }

  async #run(): Promise<void> {
    const rest = this.#nextBegin - performance.now();
    await new Promise((resolve) => setTimeout(resolve, Math.max(DEBOUNCE_MS, rest)).unref());
    this.#again = false;
    const begin = performance.now();
    this.#nextBegin = begin + Math.max(REST_MS, REST_PER_COST * (await this.#work()));
  }
}
