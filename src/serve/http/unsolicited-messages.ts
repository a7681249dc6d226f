import type { EventStream } from "./event-stream.ts";

const MAX_MESSAGES = 256;
const MAX_CHARS = 1024 * 1024;
const LIST_CHANGED = /"method":"notifications\/[a-z]+\/list_changed"/;

/**
 * Messages to a client that belong to none of its requests. They go to the stream that the client keeps
 * open for them; while there is none, a limited number is kept.
 */
export class UnsolicitedMessages {
  #stream: EventStream | undefined;
  #kept: string[] = [];
  #chars = 0;

  get open(): boolean {
    return this.#stream?.open === true;
  }

  /** Sends the messages that were kept, and all later ones, to this stream instead of an earlier one. */
  attach(stream: EventStream): void {
    this.#stream?.cut();
    this.#stream = stream;
    for (const message of this.#kept) stream.send(message);
    this.#kept = [];
    this.#chars = 0;
  }

  /** The messages that no stream has carried. */
  get unsent(): readonly string[] {
    return this.#kept;
  }

  send(message: string): void {
    if (this.open) this.#stream?.send(message);
    else this.#keep(message);
  }

  endStream(retryMs?: number): void {
    this.#stream?.end(retryMs);
  }

  close(): void {
    this.endStream();
    this.#kept = [];
  }

  #keep(message: string): void {
    // One notification is enough, however often a list has changed.
    if (LIST_CHANGED.test(message) && this.#kept.includes(message)) return;
    this.#kept.push(message);
    this.#chars += message.length;
    while (this.#kept.length > MAX_MESSAGES || this.#chars > MAX_CHARS)
      this.#chars -= (this.#kept.shift() as string).length;
  }
}
