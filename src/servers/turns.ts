import type { Readable } from "node:stream";

/** Most chunks take far less; many small messages, or one that has to be parsed, take longer. */
const SLICE_MS = 2;

/**
 * Takes a chunk; `mayGoOn` is asked after each message in it. Gives how many bytes were taken, or
 * nothing for all of them.
 */
export type TakeChunk = (chunk: Buffer, mayGoOn: () => boolean) => number | undefined;

/**
 * Reads what a server writes. A source that is always full would keep the event loop to itself, so
 * after a few milliseconds everyone else gets a turn, also between two messages of the same chunk.
 */
export class PacedReader {
  /** Resolves when the source has ended and all of it was taken, which may be later. */
  readonly done: Promise<void>;
  readonly #source: Readable;
  readonly #take: TakeChunk;
  /** What is left of the last chunk. */
  #rest: Buffer | undefined;
  #isOthersTurn = false;
  #isPaused = false;
  #hasEnded = false;
  #resolve: () => void = () => {};

  constructor(source: Readable, take: TakeChunk) {
    this.#source = source;
    this.#take = take;
    this.done = new Promise((resolve) => (this.#resolve = resolve));
    source.on("data", (chunk: Buffer) => this.#read(chunk));
    source.once("end", () => {
      this.#hasEnded = true;
      this.#checkEnd();
    });
  }

  /** Reads nothing while it is paused. */
  setPaused(isPaused: boolean): void {
    this.#isPaused = isPaused;
    if (isPaused) this.#source.pause();
    else if (!this.#isOthersTurn) this.#goOn();
  }

  #read(chunk: Buffer): void {
    const begin = performance.now();
    const mayGoOn = (): boolean => !this.#isPaused && performance.now() - begin <= SLICE_MS;
    const taken = this.#take(chunk, mayGoOn) ?? chunk.length;
    if (taken < chunk.length) this.#rest = chunk.subarray(taken);
    else if (mayGoOn()) return;
    this.#source.pause();
    this.#isOthersTurn = true;
    setImmediate(() => {
      this.#isOthersTurn = false;
      this.#goOn();
    });
  }

  #goOn(): void {
    if (this.#isPaused) return;
    const rest = this.#rest;
    this.#rest = undefined;
    if (rest !== undefined) this.#read(rest);
    this.#checkEnd();
    if (this.#rest === undefined && !this.#isPaused && !this.#isOthersTurn) this.#source.resume();
  }

  #checkEnd(): void {
    if (!this.#hasEnded || this.#rest !== undefined) return;
    this.#resolve();
  }
}
