import { EventStreamReader } from "../../wire/event-stream.ts";
import type { Exchange } from "./exchange.ts";
import type { HttpClient } from "./http-client.ts";
import type { HttpResponse } from "./http-response.ts";
import { EVENT_STREAM, type MessageHandlers, messageEvents } from "./response-messages.ts";

/** How long to wait before a reconnection where the server does not say. */
const RETRY_MS = 1000;
/** A server that wishes for no delay must not make us reconnect in a tight loop. */
const MIN_RETRY_MS = 20;
const MAX_RETRY_MS = 30_000;
/** From this many connections in a row that brought nothing, the delay doubles with each further one. */
const PATIENCE = 3;
/** How many reconnections in a row may fail. */
const MAX_FAILURES = 5;

export interface StreamSettings {
  readonly http: HttpClient;
  /** The headers of the session as they are now. */
  readonly headers: () => Record<string, string>;
  readonly limit: number;
  readonly exchange: Exchange;
  readonly handlers: MessageHandlers;
}

/**
 * An event stream that goes on over several connections: a legacy server may close one at any time
 * and continue on the next, which names the last event that arrived.
 */
export class ResumableStream {
  readonly #settings: StreamSettings;
  #lastEventId: string | undefined;
  #retryMs: number | undefined;
  /** Whether the last connection brought anything. */
  #fruitful = false;

  constructor(settings: StreamSettings) {
    this.#settings = settings;
  }

  /**
   * Follows the stream that answers a call, until `done` says that the answer is there. Resolves
   * without it if the stream ends and cannot be resumed.
   */
  async followAnswer(first: HttpResponse, done: () => boolean): Promise<void> {
    await this.#read(first);
    await this.#goOn(() => done() || this.#lastEventId === undefined);
  }

  /**
   * Follows the stream of messages that belong to no call. Resolves to false if the server does not
   * offer one, and to true if it cannot be had at this time.
   */
  async followMessages(): Promise<boolean> {
    const first = await this.#connect();
    if (first === "refused") return false;
    if (first !== undefined) await this.#read(first);
    return this.#goOn(() => false);
  }

  async #goOn(done: () => boolean): Promise<boolean> {
    const { exchange } = this.#settings;
    let failures = 0;
    let barren = 0;
    while (!exchange.cancelled && !done() && failures <= MAX_FAILURES) {
      await exchange.sleep(this.#delay(barren));
      if (exchange.cancelled || done()) return true;
      const response = await this.#connect();
      if (response === "refused") return false;
      failures = response === undefined ? failures + 1 : 0;
      this.#fruitful = false;
      if (response !== undefined) await this.#read(response);
      barren = this.#fruitful ? 0 : barren + 1;
    }
    return true;
  }

  #delay(barren: number): number {
    const wished = Math.max(MIN_RETRY_MS, this.#retryMs ?? RETRY_MS);
    const patient = wished * 2 ** Math.min(10, Math.max(0, barren - PATIENCE));
    return Math.max(wished, Math.min(MAX_RETRY_MS, patient));
  }

  /** Undefined if it failed in a way that may pass. */
  async #connect(): Promise<HttpResponse | "refused" | undefined> {
    const { http, exchange } = this.#settings;
    const headers: Record<string, string> = { ...this.#settings.headers(), accept: EVENT_STREAM };
    if (this.#lastEventId !== undefined)
      headers["last-event-id"] = Buffer.from(this.#lastEventId).toString("latin1");
    try {
      const response = await http.request({ method: "GET", headers }, exchange);
      if (response.ok && response.mediaType === EVENT_STREAM) return response;
      response.discard();
      return response.status < 500 ? "refused" : undefined;
    } catch {
      return undefined;
    }
  }

  /** A stream that breaks off is as good as one that is closed: both can be resumed. */
  async #read(response: HttpResponse): Promise<void> {
    const { limit, handlers } = this.#settings;
    const inner = messageEvents(handlers);
    const reader = new EventStreamReader(limit, {
      ...inner,
      event: (type, data) => {
        this.#fruitful = true;
        inner.event(type, data);
      },
    });
    await response.read((chunk) => reader.push(chunk)).catch(() => {});
    const { lastEventId = this.#lastEventId } = reader;
    if (lastEventId !== this.#lastEventId) this.#fruitful = true;
    this.#lastEventId = lastEventId;
    this.#retryMs = reader.retryMs ?? this.#retryMs;
  }
}
