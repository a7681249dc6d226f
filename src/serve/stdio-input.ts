import type { Readable } from "node:stream";

import type { StdioOutput } from "./stdio-output.ts";

/** How much may wait until a client reads; anything beyond that stays in the pipe. */
const MAX_WAITING_CHARS = 1024 * 1024;

/**
 * The lines a client sends. They wait while the client leaves its answers unread. Input is read as
 * long as possible, because only that shows whether the client has closed it.
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

  /** The client sends nothing more, so there is no reason to wait. */
  end(): void {
    for (const text of this.#take()) this.#receive(text);
  }

  /** The client has read enough to get its next lines processed. */
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
