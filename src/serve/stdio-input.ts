import type { Readable } from "node:stream";

import { LineReader } from "../wire/lines.ts";
import { requestIdOf } from "../wire/request-id.ts";
import type { StdioClient } from "./stdio-client.ts";
import type { StdioOutput } from "./stdio-output.ts";

/** How much may wait until a client reads; anything beyond that stays in the pipe. */
const MAX_WAITING_CHARS = 1024 * 1024;

/**
 * Reads the lines a client sends. They wait while the client leaves its answers unread. Input is
 * read as long as possible, because only that shows whether the client has closed it.
 */
export class StdioInput {
  readonly #stream: Readable;
  readonly #output: StdioOutput;
  readonly #client: StdioClient;
  readonly #lines: LineReader;
  #waiting: string[] = [];
  #waitingChars = 0;

  constructor(stream: Readable, output: StdioOutput, client: StdioClient, messageBytes: number) {
    this.#stream = stream;
    this.#output = output;
    this.#client = client;
    this.#lines = new LineReader(messageBytes, {
      line: ({ text }) => this.#receive(text),
      oversized: (head, bytes, tail) =>
        client.refuse(
          `a message of ${bytes} bytes exceeds the limit of ${messageBytes} (limits.messageBytes)`,
          requestIdOf(head, tail),
        ),
    });
  }

  start(): void {
    this.#stream.on("data", (chunk: Buffer) => this.#lines.push(chunk));
    // The stream was paused after the first message.
    this.#stream.resume();
  }

  /** The client sends nothing more, so there is no reason to wait. */
  end(): void {
    this.#lines.end();
    for (const text of this.#takeWaiting()) this.#client.receive(text);
  }

  /** The client has read enough to get its next lines processed. */
  proceed(): void {
    if (this.#waiting.length === 0) return;
    for (const text of this.#takeWaiting()) this.#receive(text);
    if (this.#waitingChars <= MAX_WAITING_CHARS) this.#stream.resume();
  }

  #receive(text: string): void {
    if (this.#waiting.length === 0 && !this.#output.isSlow) {
      this.#client.receive(text);
      return;
    }
    this.#waiting.push(text);
    this.#waitingChars += text.length;
    if (this.#waitingChars > MAX_WAITING_CHARS) this.#stream.pause();
  }

  #takeWaiting(): string[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#waitingChars = 0;
    return waiting;
  }
}
