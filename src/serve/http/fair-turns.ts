/** How long such work runs before everything else gets a turn. */
const SLICE_MS = 10;

/**
 * Runs work immediately, unless it has kept the event loop busy for long: a thousand requests can
 * arrive at the same moment. Then connections take turns, so that each waits for one piece of work of
 * every other at most.
 */
export class FairTurns {
  /** The work that waits, by connection. The connection whose turn it is comes first. */
  readonly #waiting = new Map<object, (() => void)[]>();
  /** When the current slice began. */
  #begin: number | undefined;
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  run(connection: object, work: () => void): void {
    this.#startSlice();
    if (this.#waiting.size === 0 && !this.#isOver) {
      work();
      return;
    }
    this.#add(connection, work);
  }

  /**
   * Runs work together with all other that arrives in the same turn of the event loop: what they write to
   * one server is then written at once.
   */
  runTogether(connection: object, work: () => void): void {
    this.#startSlice();
    this.#add(connection, work);
  }

  #add(connection: object, work: () => void): void {
    const queue = this.#waiting.get(connection);
    if (queue === undefined) this.#waiting.set(connection, [work]);
    else queue.push(work);
  }

  get #isOver(): boolean {
    return this.#begin !== undefined && this.#now() - this.#begin > SLICE_MS;
  }

  #startSlice(): void {
    if (this.#begin !== undefined) return;
    this.#begin = this.#now();
    setImmediate(this.#nextSlice);
  }

  readonly #nextSlice = (): void => {
    this.#begin = undefined;
    if (this.#waiting.size === 0) return;
    this.#begin = this.#now();
    try {
      for (const [connection, queue] of this.#waiting) {
        const work = queue.shift();
        this.#waiting.delete(connection);
        if (queue.length > 0) this.#waiting.set(connection, queue);
        work?.();
        if (this.#isOver) return;
      }
    } finally {
      this.#begin = undefined;
      if (this.#waiting.size > 0) this.#startSlice();
    }
  };
}
