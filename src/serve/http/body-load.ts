/** Bodies up to this size are always taken, and parsed at once. */
const SMALL_BYTES = 64 * 1024;
/** How many bodies of the largest size may be in use at the same time. */
const MAX_LARGEST_BODIES = 8;

/**
 * What large bodies cost all clients together: their bytes count until the request is answered, and
 * they are parsed one at a time, so that everybody else gets a turn in between.
 */
export class BodyLoad {
  #bytes = 0;
  #last: Promise<void> = Promise.resolve();

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

  /** Runs `work` on a body of this size, at once or in its turn. */
  take(bytes: number, work: () => void): void {
    if (bytes <= SMALL_BYTES) work();
    // Whatever goes wrong is answered by the work itself, and must not stop the others.
    else this.#last = this.#last.then(() => this.#turn(work)).catch(() => {});
  }

  /** The next one comes after a rest as long as this one took, in which others are served. */
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
