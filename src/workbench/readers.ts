/** One client that reads what the workbench sends. */
export interface Reader {
  /** Reports whether the client currently leaves too much unread. */
  setSlow(isSlow: boolean): void;
  /** The client disconnected. */
  remove(): void;
}

/**
 * Pauses the servers while every client is slow. A single slow client then loses nothing; with
 * several clients, a slow one never affects the others.
 */
export class Readers {
  readonly #pause: (paused: boolean) => void;
  /** Each client, with whether it is slow. */
  readonly #readers = new Map<Reader, boolean>();
  #paused = false;

  constructor(pause: (paused: boolean) => void) {
    this.#pause = pause;
  }

  add(): Reader {
    const reader: Reader = {
      setSlow: (isSlow) => {
        if (this.#readers.has(reader)) this.#readers.set(reader, isSlow);
        this.#update();
      },
      remove: () => {
        this.#readers.delete(reader);
        this.#update();
      },
    };
    this.#readers.set(reader, false);
    this.#update();
    return reader;
  }

  #update(): void {
    const paused = this.#readers.size > 0 && [...this.#readers.values()].every(Boolean);
    if (paused === this.#paused) return;
    this.#paused = paused;
    this.#pause(paused);
  }
}
