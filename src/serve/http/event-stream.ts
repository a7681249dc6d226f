import type { ServerResponse as HttpResponse } from "node:http";

import { piecesOnOneLine } from "../../wire/lines.ts";
import { type Headers, type Pieces, writeLast } from "./http-responses.ts";

const HEADERS: Headers = {
  "content-type": "text/event-stream",
  "cache-control": "no-store, no-transform",
  // Otherwise proxies would buffer events.
  "x-accel-buffering": "no",
};
/** How much a client may leave unread before its stream is closed. */
const MAX_UNREAD_BYTES = 4 * 1024 * 1024;

/** Server-sent events to one client. */
export class EventStream {
  readonly #response: HttpResponse;
  /** Bytes that were unread at the last keep-alive. */
  #unread = 0;

  constructor(response: HttpResponse, headers?: Headers) {
    this.#response = response;
    response.writeHead(200, { ...HEADERS, ...headers });
    response.flushHeaders();
  }

  get open(): boolean {
    return !this.#response.writableEnded && !this.#response.destroyed;
  }

  /** Sends a message; a client that reads too slowly loses the stream instead. */
  send(message: string): void {
    if (!this.open) return;
    if (this.#response.writableLength > MAX_UNREAD_BYTES) this.#response.destroy();
    else this.#response.write(event([message]).join(""));
  }

  /** Sends the last message without copying it, and ends the stream. */
  finish(message: Pieces): void {
    if (!this.open) return;
    const pieces = event(message);
    writeLast(
      this.#response,
      pieces,
      pieces.reduce((sum, piece) => sum + piece.length, 0),
    );
  }

  end(): void {
    if (this.open) this.#response.end();
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

/** An event ends where a line ends, whatever its reader takes for the end of a line. */
function event(message: Pieces): (string | Buffer)[] {
  return ["data: ", ...piecesOnOneLine(message), "\n\n"];
}
