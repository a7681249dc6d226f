import type { Writable } from "node:stream";

import { workbenchError } from "../errors.ts";
import { errorText } from "../wire/messages.ts";
import { Outbox } from "../wire/outbox.ts";
import type { ServerResponse } from "../wire/response.ts";
import type { ClientOutput } from "./client-output.ts";

/** While a client leaves this much unread, its new requests wait. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;
/** Above this, answers to requests that were sent before are dropped; the client gets short errors. */
const MAX_BACKLOG_BYTES = 32 * 1024 * 1024;

/** Nothing depends on these notifications, so a client that does not read can miss them. */
const DISPENSABLE: ReadonlySet<unknown> = new Set([
  "notifications/message",
  "notifications/progress",
]);

/**
 * Messages to one client, as lines. A client that reads slowly, or not at all, affects no one else:
 * memory is bounded for each client, and its servers are not paused while others may use them.
 */
export class StdioOutput implements ClientOutput {
  readonly #stream: Writable;
  readonly #out: Outbox;
  readonly #setSlow: (isSlow: boolean) => void;
  #isSlow = false;

  constructor(stream: Writable, setSlow: (isSlow: boolean) => void) {
    this.#stream = stream;
    this.#out = new Outbox(stream);
    this.#setSlow = setSlow;
  }

  /** True while the client leaves too much unread. */
  get isSlow(): boolean {
    return this.#isSlow;
  }

  answer(idText: string, response: ServerResponse, insert?: string): void {
    if (this.#isFull) this.#drop(idText);
    else response.writeLine(this.#out, idText, insert);
    this.#check();
  }

  reply(idText: string, message: string): void {
    if (this.#isFull) this.#drop(idText);
    else this.#out.line(message);
    this.#check();
  }

  send(message: string): void {
    if (this.#isSlow && isDispensable(message)) return;
    // Everything else would have to be kept, so this is the end for such a client.
    if (this.#isFull) this.#stream.destroy(new Error("the client does not read"));
    else this.#out.line(message);
    this.#check();
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
      this.#stream.once("drain", this.#waitForReader);
      return;
    }
    this.#isSlow = false;
    this.#setSlow(false);
  };

  #drop(idText: string): void {
    const error = workbenchError("ANSWER_DROPPED", { bytes: this.#out.backlog });
    this.#out.line(errorText(idText, error.rpcError));
  }
}

function isDispensable(message: string): boolean {
  const { method } = JSON.parse(message) as { method?: unknown };
  return DISPENSABLE.has(method);
}
