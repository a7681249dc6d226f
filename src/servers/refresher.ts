const DEBOUNCE_MS = 300;
/** Runs begin no closer together, so that a server that never stops asking costs little. */
const REST_MS = 1000;
/** The rest after a run is at least this multiple of what it cost: one server gets 5 % of the time. */
const REST_PER_COST = 20;

/**
 * Runs a piece of work some time after it was asked for, however often it is asked for: one run at
 * a time, and one more if it was asked for again meanwhile.
 */
export class Refresher {
  readonly #work: () => Promise<number>;
  #running: Promise<void> | undefined;
  #again = false;
  #nextBegin = -Infinity;

  /** `work` gives how many milliseconds of computing it took. */
  constructor(work: () => Promise<number>) {
    this.#work = work;
  }

  /**
   * Resolves when the run that is under way has ended, and the next one if it was asked for
   * meanwhile; at once if there is none.
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
