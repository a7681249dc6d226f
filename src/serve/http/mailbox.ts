import type { EventStream } from "./event-stream.ts";

const MAX_MESSAGES = 256;
const MAX_CHARS = 1024 * 1024;
const LIST_CHANGED = /"method":"notifications\/[a-z]+\/list_changed"/;

/**
 * What a session has to tell its client outside of any answer. It goes to the stream the client
 * keeps open for that; while there is none, as much as is sensible is kept.
 */
export class UnsolicitedMessages {
  #stream: EventStream | undefined;
  #kept: string[] = [];
  #chars = 0;

  get open(): boolean {
    return this.#stream?.open === true;
  }

  /** Delivers to this stream from now on, beginning with what was kept. */
  attach(stream: EventStream): void {
    this.#stream = stream;
    for (const message of this.#kept) stream.send(message);
    this.#kept = [];
    this.#chars = 0;
  }

  send(message: string): void {
    if (this.open) this.#stream?.send(message);
    else this.#keep(message);
  }

  close(): void {
    this.#stream?.end();
    this.#kept = [];
  }

  #keep(message: string): void {
    // That a list has changed needs to be known once, however often it did.
    if (LIST_CHANGED.test(message) && this.#kept.includes(message)) return;
    this.#kept.push(message);
    this.#chars += message.length;
    while (this.#kept.length > MAX_MESSAGES || this.#chars > MAX_CHARS)
      this.#chars -= (this.#kept.shift() as string).length;
  }
}
