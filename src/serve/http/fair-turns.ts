/** How long such work runs before everything else gets a turn. */
const SLICE_MS = 10;

/** What waits for one connection. */
interface Waiting {
  readonly work: (() => void)[];
  /** Whether it is in the list of those that wait. */
  isListed: boolean;
}

/**
 * Runs work immediately, unless it has kept the event loop busy for long: a thousand requests can
 * arrive at the same moment. Then connections take turns, so that each waits for one piece of work of
 * every other at most.
 */
export class FairTurns {
  readonly #connections = new WeakMap<object, Waiting>();
  /** The connections with work that waits. The one whose turn it is comes first. */
  #waiting: Waiting[] = [];
  /** When the current slice began. */
  #begin: number | undefined;
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  run(connection: object, work: () => void): void {
    this.#startSlice();
    if (this.#waiting.length === 0 && !this.#isOver) {
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
    let waiting = this.#connections.get(connection);
    if (waiting === undefined) {
      waiting = { work: [], isListed: false };
      this.#connections.set(connection, waiting);
    }
    waiting.work.push(work);
    this.#list(waiting);
  }

  #list(waiting: Waiting): void {
    if (waiting.isListed) return;
    waiting.isListed = true;
    this.#waiting.push(waiting);
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
    const slice = this.#waiting;
    if (slice.length === 0) return;
    this.#begin = this.#now();
    let done = 0;
    try {
      // Those that have more work are listed again, at the end.
      for (const waiting of slice) {
        done++;
        const work = waiting.work.shift();
        waiting.isListed = false;
        if (waiting.work.length > 0) this.#list(waiting);
        work?.();
        if (this.#isOver) return;
      }
    } finally {
      this.#waiting = slice.slice(done);
      this.#begin = undefined;
      if (this.#waiting.length > 0) this.#startSlice();
    }
  };
}
