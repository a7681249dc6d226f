import type { Call } from "../../calls/call.ts";
import type { PendingCalls } from "../../calls/pending-calls.ts";
import type { ServerRequest } from "../../calls/server-request.ts";

/** The maximum number of open requests to one client: no user or model can answer more at once. */
const MAX_OPEN = 100;
const MAX_OPEN_CHARS = 32 * 1024 * 1024;

/** The requests of a server that a client has not answered. */
export class OpenRequests {
  readonly #calls: PendingCalls;
  readonly #open = new Set<ServerRequest>();

  constructor(calls: PendingCalls) {
    this.#calls = calls;
  }

  get isFull(): boolean {
    if (this.#open.size >= MAX_OPEN) return true;
    let chars = 0;
    for (const { request } of this.#open) chars += request.text.length;
    return chars > MAX_OPEN_CHARS;
  }

  /** Keeps a request until it is answered. The call it belongs to does not time out in the meantime. */
  add(question: ServerRequest, call?: Call): void {
    this.#open.add(question);
    if (call !== undefined) this.#calls.pause(call);
    question.settled = () => {
      this.#open.delete(question);
      if (call !== undefined) this.#calls.proceed(call);
    };
  }

  /** The server is gone: no answer can reach it. */
  withdraw(): void {
    for (const question of this.#open) question.withdraw("the server is gone");
  }
}
