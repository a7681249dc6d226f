/**
 * The requests for tokens that are in progress. A refresh token is used up by its request, so until the answer is
 * stored, the end of the program would end the sign-in.
 */
export class TokenRequests {
  readonly #running = new Set<Promise<unknown>>();
  #isClosed = false;

  /** Runs a request and stores its answer, unless the program is about to end. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new Error("the program is about to end");
    const running = work();
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /** Begins no further request. Resolves when those in progress are over. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#running);
  }
}
