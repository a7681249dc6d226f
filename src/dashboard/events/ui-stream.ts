import type { ServerResponse as HttpResponse } from "node:http";

import type { DashboardEvent } from "../contract.ts";

/** What a browser may leave unread before events are left out. */
const MAX_UNREAD_BYTES = 512 * 1024;

/**
 * The event stream of one page. A page that reads too slowly loses events; when it reads again, it learns how many,
 * and loads everything again.
 */
export class UiStream {
  readonly #response: HttpResponse;
  #lost = 0;

  constructor(response: HttpResponse) {
    this.#response = response;
    response.writeHead(200, {
      "content-type": "text/event-stream",
      // Otherwise proxies would buffer events.
      "x-accel-buffering": "no",
    });
    response.flushHeaders();
  }

  get isOpen(): boolean {
    return !this.#response.writableEnded && !this.#response.destroyed;
  }

  onClosed(listener: () => void): void {
    this.#response.once("close", listener);
  }

  send(event: DashboardEvent): void {
    if (!this.isOpen) return;
    const isSlow = this.#response.writableLength > MAX_UNREAD_BYTES;
    if (isSlow) {
      this.#lost++;
      return;
    }
    if (this.#lost > 0) {
      this.#write({ type: "lost", events: this.#lost });
      this.#lost = 0;
    }
    this.#write(event);
  }

  /** Keeps the connection alive, and shows whether the browser is still there. */
  ping(): void {
    if (!this.isOpen || this.#response.writableLength > MAX_UNREAD_BYTES) return;
    if (this.#lost > 0) this.send({ type: "changed", topics: [] });
    else this.#response.write(":\n\n");
  }

  end(event: DashboardEvent): void {
    if (!this.isOpen) return;
    this.#write(event);
    this.#response.end();
  }

  /** JSON has no line breaks outside of texts, where they are escaped. */
  #write(event: DashboardEvent): void {
    this.#response.write(`data: ${JSON.stringify(event)}\n\n`);
  }
}
