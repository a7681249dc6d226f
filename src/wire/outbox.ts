import type { Writable } from "node:stream";
import { onOneLine, piecesOnOneLine } from "./one-line.ts";

/**
 * Writes messages as lines, each of them one line for any reader. Collects what is written during
 * one turn of the event loop and passes it to the stream at once: many small messages cost one
 * system call, and large buffers are never copied.
 */
export class Outbox {
  readonly #stream: Writable;
  #items: (string | Buffer)[] = [];
  /** The size of the items, in characters and bytes. */
  #collected = 0;
  #onlyText = true;
  #scheduled = false;

  constructor(stream: Writable) {
    this.#stream = stream;
  }

  /** About how many bytes are still unread at the other end of the stream. */
  get backlog(): number {
    return this.#stream.writableLength + this.#collected;
  }

  /** Writes a message that is JSON text. */
  line(message: string): void {
    this.#items.push(`${onOneLine(message)}\n`);
    this.#collected += message.length;
    this.#schedule();
  }

  /** Writes a message in pieces, which need not be JSON. */
  pieces(message: readonly (string | Buffer)[]): void {
    this.#items.push(...piecesOnOneLine(message), "\n");
    for (const piece of message) this.#collected += piece.length;
    this.#onlyText = false;
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(this.#flush);
  }

  readonly #flush = (): void => {
    const items = this.#items;
    const onlyText = this.#onlyText;
    this.#items = [];
    this.#collected = 0;
    this.#onlyText = true;
    this.#scheduled = false;
    if (this.#stream.destroyed || this.#stream.writableEnded) return;
    if (onlyText) {
      this.#stream.write(items.length === 1 ? (items[0] as string) : items.join(""), "utf8");
      return;
    }
    this.#stream.cork();
    for (const item of items) this.#stream.write(item);
    this.#stream.uncork();
  };
}
