/**
 * Stores whether a page is open, so that calls wait for its user. One write at a time: if a page is loaded again,
 * the end of the old one must not be stored after the beginning of the new one.
 */
export class Watching {
  readonly #store: (isWatching: boolean) => Promise<void>;
  #isWatching = false;
  #isDue = false;
  #isStoring = false;

  constructor(store: (isWatching: boolean) => Promise<void>) {
    this.#store = store;
  }

  set(isWatching: boolean): void {
    this.#isWatching = isWatching;
    this.#isDue = true;
    if (!this.#isStoring) void this.#storeAll();
  }

  async #storeAll(): Promise<void> {
    this.#isStoring = true;
    while (this.#isDue) {
      this.#isDue = false;
      // If that fails, calls that need an approval fail at once, as without a dashboard.
      await this.#store(this.#isWatching).catch(() => {});
    }
    this.#isStoring = false;
  }
}
