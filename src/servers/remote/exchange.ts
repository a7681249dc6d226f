/** Something under way that can be given up: at most one thing at a time has to be stopped for it. */
export class Exchange {
  #cancelled = false;
  #stop: (() => void) | undefined;

  get cancelled(): boolean {
    return this.#cancelled;
  }

  /** Says how to stop what is done now; it happens at once if the exchange was given up before. */
  onCancel(stop: () => void): void {
    this.#stop = stop;
    if (this.#cancelled) stop();
  }

  cancel(): void {
    if (this.#cancelled) return;
    this.#cancelled = true;
    this.#stop?.();
  }

  /** Waits, which keeps no process alive; at once over when the exchange is given up. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms).unref();
      this.onCancel(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}
