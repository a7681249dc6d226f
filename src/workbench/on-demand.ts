/** A part of the workbench whose code is loaded when it is first needed. */
export class OnDemand<T> {
  readonly #load: () => Promise<T>;
  #loaded: Promise<T> | undefined;

  constructor(load: () => Promise<T>) {
    this.#load = load;
  }

  load(): Promise<T> {
    this.#loaded ??= this.#load();
    return this.#loaded;
  }

  /** Does something with what is loaded; nothing if it was never needed. */
  async ifLoaded(use: (part: T) => void | Promise<void>): Promise<void> {
    await this.#loaded?.then(use, () => {});
  }
}
