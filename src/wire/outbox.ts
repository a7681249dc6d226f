import type { Writable } from "node:stream";

/**
 * Collects what is written during one turn of the event loop and hands it to the stream at once:
 * many small messages cost one system call, and large buffers are never copied.
 */
export class Outbox {
  readonly #stream: Writable;
  #items: (string | Buffer)[] = [];
  #onlyText = true;
  #scheduled = false;

  constructor(stream: Writable) {
    this.#stream = stream;
  }

  /** Bytes accepted by the stream that its reader has not taken yet. */
  get backlog(): number {
    return this.#stream.writableLength;
  }

  text(text: string): void {
    this.#items.push(text);
    this.#schedule();
  }

  bytes(bytes: Buffer): void {
    this.#items.push(bytes);
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
