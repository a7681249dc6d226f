const DEBOUNCE_MS = 300;

/**
 * Runs a piece of work some time after it was asked for, however often it is asked for: one run at
 * a time, and one more if it was asked for again meanwhile.
 */
export class Refresher {
  readonly #work: () => Promise<void>;
  #running: Promise<void> | undefined;
  #again = false;

  constructor(work: () => Promise<void>) {
    this.#work = work;
  }

  /** Resolves when the run that is under way has ended; at once if there is none. */
  get settled(): Promise<void> {
    return this.#running ?? Promise.resolve();
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
    await new Promise((resolve) => setTimeout(resolve, DEBOUNCE_MS).unref());
    this.#again = false;
    await this.#work();
  }
}
