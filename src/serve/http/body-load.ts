import { FairTurns } from "./fair-turns.ts";

/** Bodies up to this size are always accepted, and parsed immediately unless there are very many. */
const SMALL_BYTES = 64 * 1024;
/** How many bodies of the largest size may be in use at the same time. */
const MAX_LARGEST_BODIES = 8;

/**
 * Limits what large bodies cost all clients together: their bytes count until the request is answered,
 * and they are parsed one at a time, so that other requests are handled in between.
 */
export class BodyLoad {
  #bytes = 0;
  #last: Promise<void> = Promise.resolve();
  readonly #turns = new FairTurns();

  /** Counts the bytes of one body; `done` gives them back. */
  enter(): BodyShare {
    let own = 0;
    return {
      add: (bytes, limit) => {
        own += bytes;
        this.#bytes += bytes;
        return own <= SMALL_BYTES || this.#bytes <= limit * MAX_LARGEST_BODIES;
      },
      done: () => {
        this.#bytes -= own;
        own = 0;
      },
    };
  }

  /** Runs `work` on a body of this size, immediately or when the turn of its connection comes. */
  take(bytes: number, connection: object, work: () => void): void {
    if (bytes <= SMALL_BYTES) this.#turns.runTogether(connection, work);
    // The work itself reports its errors; they must not stop the next one.
    else this.#last = this.#last.then(() => this.#turn(work)).catch(() => {});
  }

  /** The next one starts after a pause as long as this one took, for other requests. */
  async #turn(work: () => void): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    const begin = performance.now();
    try {
      work();
    } finally {
      const rest = performance.now() - begin;
      await new Promise((resolve) => setTimeout(resolve, rest).unref());
    }
  }
}

export interface BodyShare {
  /** False if there is no room for so many more bytes. */
  add(bytes: number, limit: number): boolean;
  done(): void;
}
