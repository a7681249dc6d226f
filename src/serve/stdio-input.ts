import type { Readable } from "node:stream";

import type { StdioOutput } from "./stdio-output.ts";

/** How much may wait for a client to read; what it sends beyond that stays in the pipe. */
const MAX_WAITING_CHARS = 1024 * 1024;

/**
 * The lines a client sends. They wait while it leaves its answers unread. The input is read on for as
 * long as possible, because only that shows that the client has closed it.
 */
export class StdioInput {
  readonly #input: Readable;
  readonly #output: StdioOutput;
  readonly #receive: (line: string) => void;
  #waiting: string[] = [];
  #waitingChars = 0;

  constructor(input: Readable, output: StdioOutput, receive: (line: string) => void) {
    this.#input = input;
    this.#output = output;
    this.#receive = receive;
  }

  line(text: string): void {
    if (this.#waiting.length === 0 && !this.#output.isSlow) {
      this.#receive(text);
      return;
    }
    this.#waiting.push(text);
    this.#waitingChars += text.length;
    if (this.#waitingChars > MAX_WAITING_CHARS) this.#input.pause();
  }

  /** The client sends nothing more, so nothing can be gained by waiting. */
  end(): void {
    for (const text of this.#take()) this.#receive(text);
  }

  /** The client has read enough for its next lines. */
  proceed(): void {
    if (this.#waiting.length === 0) return;
    for (const text of this.#take()) this.line(text);
    if (this.#waitingChars <= MAX_WAITING_CHARS) this.#input.resume();
  }

  #take(): string[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#waitingChars = 0;
    return waiting;
  }
}
