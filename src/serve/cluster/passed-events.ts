import type { IncomingMessage, ServerResponse as HttpResponse } from "node:http";

import { eventOf } from "../http/numbered-events.ts";
import { READ_MS, writeLast } from "../http/http-responses.ts";
import type { OpenRequests } from "./open-requests.ts";
import { WholeEvents } from "./whole-events.ts";

export interface PassedEventsOptions {
  readonly open: OpenRequests;
  /** Whether the replica that sends the events still answers. */
  readonly isAlive: () => Promise<boolean>;
}

/** An event stream of another replica on its way to the client. */
export class PassedEvents {
  readonly #answer: IncomingMessage;
  readonly #response: HttpResponse;
  readonly #options: PassedEventsOptions;
  readonly #whole = new WholeEvents();
  /** Whether the client had to be waited for. */
  #wasSlow = false;

  constructor(answer: IncomingMessage, response: HttpResponse, options: PassedEventsOptions) {
    this.#answer = answer;
    this.#response = response;
    this.#options = options;
    response.flushHeaders();
    answer.on("data", (chunk: Buffer) => this.#pass(this.#whole.take(chunk)));
    answer.on("end", () => {
      if (this.#isOpen) writeLast(response, [], response.writableLength);
    });
    answer.on("error", () => void this.#onBroken());
  }

  get #isOpen(): boolean {
    return !this.#response.destroyed && !this.#response.writableEnded;
  }

  /** The replica is lost: requests without an answer get an error. */
  onLost(): void {
    if (!this.#isOpen) return;
    const events = this.#options.open.errors.map((message) => eventOf([message]).join(""));
    this.#response.end(events.join(""));
  }

  #pass(events: readonly Buffer[]): void {
    if (events.length === 0 || !this.#isOpen) return;
    this.#options.open.onEvents(events);
    let isRead = true;
    for (const piece of events) isRead = this.#response.write(piece);
    if (isRead || this.#answer.isPaused()) return;
    // The replica notices a client that reads too slowly only if it has to wait, too.
    this.#wasSlow = true;
    this.#answer.pause();
    this.#response.setTimeout(READ_MS);
    this.#response.once("drain", () => {
      this.#response.setTimeout(0);
      this.#answer.resume();
    });
  }

  /**
   * A replica cuts off clients that read too slowly. They can continue the stream as if it were not passed on. This replica
   * may notice it only after the client has read more.
   */
  async #onBroken(): Promise<void> {
    const isCutOff = this.#wasSlow && (await this.#options.isAlive());
    if (isCutOff) this.#response.destroy();
    else this.onLost();
  }
}
