import type { Readable, Writable } from "node:stream";

import { workbenchError } from "../errors.ts";
import { LineReader, Outbox } from "../wire/lines.ts";
import { errorText } from "../wire/messages.ts";
import { requestIdOf } from "../wire/request-id.ts";
import type { ServerResponse } from "../wire/response.ts";
import type { ClientOutput } from "./client-output.ts";

/** While a client leaves this much unread, its new requests wait. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;
/** Above this, answers to requests that were sent before are dropped; the client gets short errors. */
const MAX_BACKLOG_BYTES = 32 * 1024 * 1024;
/** How much may wait until a client reads; anything beyond that stays in the pipe. */
const MAX_WAITING_CHARS = 1024 * 1024;

/** Nothing depends on these notifications, so a client that does not read can miss them. */
const DISPENSABLE: ReadonlySet<unknown> = new Set([
  "notifications/message",
  "notifications/progress",
]);

/** Writes what a line is about in front of it: the id of an answer, or any other message. */
export type TagLine = (out: Outbox, idText: string | undefined, message?: string) => void;

/** Takes the lines of a client. */
export interface LineReceiver {
  receive(text: string): void;
  refuse(reason: string, idText?: string): void;
}

/**
 * The pipes of one client: its messages come in as lines, and go out as lines. A client that reads
 * slowly, or not at all, affects no one else: its own lines wait, memory is bounded for each client,
 * and its servers are not paused while others may use them.
 */
export class StdioPipe implements ClientOutput {
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #out: Outbox;
  readonly #setSlow: (isSlow: boolean) => void;
  readonly #tag: TagLine | undefined;
  #lines: LineReader | undefined;
  #receive: (text: string) => void = () => {};
  /** True while the client leaves too much unread. */
  #isSlow = false;
  /** Lines of a client that leaves its answers unread. */
  #waiting: string[] = [];
  #waitingChars = 0;

  constructor(
    input: Readable,
    output: Writable,
    setSlow: (isSlow: boolean) => void,
    tag?: TagLine,
  ) {
    this.#input = input;
    this.#tag = tag;
    this.#output = output;
    this.#out = new Outbox(output);
    this.#setSlow = setSlow;
  }

  /**
   * Passes on the lines of the client. Input is read as long as possible, because only that shows
   * whether the client has closed it.
   */
  start(receiver: LineReceiver, messageBytes: number): void {
    this.#receive = (text) => receiver.receive(text);
    const lines = new LineReader(messageBytes, {
      line: ({ text }) => this.#onLine(text),
      oversized: (head, bytes, tail) =>
        receiver.refuse(
          `a message of ${bytes} bytes exceeds the limit of ${messageBytes} (limits.messageBytes)`,
          requestIdOf(head, tail),
        ),
    });
    this.#lines = lines;
    this.#input.on("data", (chunk: Buffer) => lines.push(chunk));
    // The stream was paused after the first message.
    this.#input.resume();
  }

  /** The client sends nothing more, so there is no reason to wait. */
  end(): void {
    this.#lines?.end();
    for (const text of this.#takeWaiting()) this.#receive(text);
  }

  answer(idText: string, response: ServerResponse, insert?: string): void {
    this.#tag?.(this.#out, idText);
    if (this.#isFull) this.#drop(idText);
    else response.writeLine(this.#out, idText, insert);
    this.#check();
  }

  reply(idText: string, message: string): void {
    this.#tag?.(this.#out, idText);
    if (this.#isFull) this.#drop(idText);
    else this.#out.line(message);
    this.#check();
  }

  send(message: string): void {
    if (this.#isSlow && isDispensable(message)) return;
    // Everything else would have to be kept, so this is the end for such a client.
    if (this.#isFull) this.#output.destroy(new Error("the client does not read"));
    else {
      this.#tag?.(this.#out, undefined, message);
      this.#out.line(message);
    }
    this.#check();
  }

  #onLine(text: string): void {
    if (this.#waiting.length === 0 && !this.#isSlow) {
      this.#receive(text);
      return;
    }
    this.#waiting.push(text);
    this.#waitingChars += text.length;
    if (this.#waitingChars > MAX_WAITING_CHARS) this.#input.pause();
  }

  #takeWaiting(): string[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#waitingChars = 0;
    return waiting;
  }

  get #isFull(): boolean {
    return this.#out.backlog >= MAX_BACKLOG_BYTES;
  }

  #check(): void {
    if (this.#isSlow || this.#out.backlog < MAX_UNREAD_BYTES) return;
    this.#isSlow = true;
    this.#setSlow(true);
    // A pipe may take everything at once when it is written, and then does not report that.
    setImmediate(this.#waitForReader);
  }

  readonly #waitForReader = (): void => {
    if (this.#out.backlog >= MAX_UNREAD_BYTES) {
      this.#output.once("drain", this.#waitForReader);
      return;
    }
    this.#isSlow = false;
    this.#setSlow(false);
    this.#proceed();
  };

  /** The client has read enough to get its next lines processed. */
  #proceed(): void {
    if (this.#waiting.length === 0) return;
    for (const text of this.#takeWaiting()) this.#onLine(text);
    if (this.#waitingChars <= MAX_WAITING_CHARS) this.#input.resume();
  }

  #drop(idText: string): void {
    const error = workbenchError("ANSWER_DROPPED", { bytes: this.#out.backlog });
    this.#out.line(errorText(idText, error.rpcError));
  }
}

function isDispensable(message: string): boolean {
  const { method } = JSON.parse(message) as { method?: unknown };
  return DISPENSABLE.has(method);
}
