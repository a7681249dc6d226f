/** Cancels work in progress. At most one step of it has to be stopped at a time. */
export class Cancellation {
  #cancelled = false;
  #stop: (() => void) | undefined;

  get cancelled(): boolean {
    return this.#cancelled;
  }

  /** Sets how to stop the current step; stops it at once if the work was cancelled before. */
  onCancel(stop: () => void): void {
    this.#stop = stop;
    if (this.#cancelled) stop();
  }

  cancel(): void {
    if (this.#cancelled) return;
    this.#cancelled = true;
    this.#stop?.();
  }

  /** Waits without keeping the process alive; cancelling ends the wait. */
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
