import type { ServerResponse as HttpResponse } from "node:http";

import { type Headers, type Pieces, writeLast } from "./http-responses.ts";
import { type NumberedEvents, eventOf, lengthOf, textOf } from "./numbered-events.ts";

const HEADERS: Headers = {
  "content-type": "text/event-stream",
  "cache-control": "no-store, no-transform",
  // Otherwise proxies would buffer events.
  "x-accel-buffering": "no",
};
/** How much a client may leave unread before its stream is closed. */
const MAX_UNREAD_BYTES = 4 * 1024 * 1024;

/** Server-sent events to one client, on one connection. */
export class EventStream {
  readonly #response: HttpResponse;
  readonly #events: NumberedEvents | undefined;
  /** Bytes that were unread at the last keep-alive. */
  #unread = 0;

  /** With numbered events, the client can continue the stream on another connection. */
  constructor(response: HttpResponse, headers?: Headers, events?: NumberedEvents) {
    this.#response = response;
    this.#events = events;
    response.writeHead(200, { ...HEADERS, ...headers });
    response.flushHeaders();
  }

  get open(): boolean {
    return !this.#response.writableEnded && !this.#response.destroyed;
  }

  /**
   * Sends a message; a client that reads too slowly loses the stream instead. A numbered event is kept for the next connection
   * even if there is none.
   */
  send(message: string): void {
    if (!this.open && this.#events === undefined) return;
    const event = this.#events?.next(message) ?? eventOf([message]).join("");
    if (!this.open) return;
    if (this.#response.writableLength > MAX_UNREAD_BYTES) this.#response.destroy();
    else this.#response.write(event);
  }

  /** Sends an answer that others follow. */
  answer(message: Pieces, idText: string): void {
    const pieces = this.#events?.answer(idText, message) ?? eventOf(message);
    this.write([textOf(pieces)]);
  }

  /** Sends events as they are. */
  write(events: readonly string[]): void {
    if (this.open && events.length > 0) this.#response.write(events.join(""));
  }

  /** Sends the last message, the answer to a request, without copying it, and ends the stream. */
  finish(message: Pieces, idText: string): void {
    const pieces = this.#events?.answer(idText, message) ?? eventOf(message);
    if (this.open) writeLast(this.#response, pieces, lengthOf(pieces));
  }

  /** Ends the stream; `retryMs` is when the client should open it again. */
  end(retryMs?: number): void {
    if (!this.open) return;
    this.#response.end(retryMs === undefined ? undefined : `retry: ${retryMs}\n\n`);
  }

  /** Closes the connection without the end of the response. */
  cut(): void {
    if (this.open) this.#response.destroy();
  }

  /** Keeps the stream alive, or ends it if the client has read nothing since the last time. */
  ping(): void {
    if (!this.open) return;
    const unread = this.#response.writableLength;
    if (unread > 0 && unread >= this.#unread && this.#unread > 0) {
      this.#response.destroy();
      return;
    }
    this.#response.write(":\n\n");
    this.#unread = unread;
  }
}
