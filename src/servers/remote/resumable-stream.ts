import { EventStreamReader } from "../../wire/event-stream.ts";
import type { Exchange } from "./exchange.ts";
import type { HttpClient } from "./http-client.ts";
import type { HttpResponse } from "./http-response.ts";
import { Reopening, mayBeHadLater } from "../reopening.ts";
import {
  EVENT_STREAM,
  type MessageHandlers,
  endingAtLimit,
  messageEvents,
} from "./response-messages.ts";
import { retryAfterMs } from "./retry-after.ts";

/** How many reconnections in a row may fail for an answer, which somebody waits for. */
const MAX_FAILURES = 5;

export interface StreamSettings {
  readonly http: HttpClient;
  /** The headers of the session as they are now. */
  readonly headers: () => Record<string, string>;
  /** How long the server wants to be left alone, whatever is asked of it. */
  readonly pauseMs: () => number;
  readonly limit: number;
  readonly exchange: Exchange;
  readonly handlers: MessageHandlers;
}

/** What came of a try to connect: a stream, or a response that is none, or neither. */
interface Attempt {
  readonly stream?: HttpResponse;
  readonly status?: number;
  /** How long the server wants to be left alone. */
  readonly waitMs?: number | undefined;
}

/**
 * An event stream that goes on over several connections: a legacy server may close one at any time
 * and continue on the next, which names the last event that arrived.
 */
export class ResumableStream {
  readonly #settings: StreamSettings;
  readonly #reopening = new Reopening();
  #lastEventId: string | undefined;
  #retryMs: number | undefined;

  constructor(settings: StreamSettings) {
    this.#settings = settings;
  }

  /**
   * Follows the stream that answers a call, until `done` says that the answer is there. Resolves
   * without it if the stream ends and cannot be resumed.
   */
  async followAnswer(first: HttpResponse, done: () => boolean): Promise<void> {
    const { exchange } = this.#settings;
    const isOver = (): boolean => exchange.cancelled || done() || this.#lastEventId === undefined;
    await this.#read(first);
    while (!isOver() && this.#reopening.failures <= MAX_FAILURES) {
      await this.#pause();
      if (isOver()) return;
      const { stream, status } = await this.#connect();
      if (stream !== undefined) await this.#read(stream);
      else if (!mayBeHadLater(status, false)) return;
      else this.#reopening.failed();
    }
  }

  /**
   * Follows the stream of messages that belong to no call, for as long as it is not given up.
   * Resolves before that if the server does not offer one. `missed` is called when it is open again
   * after something may have been said meanwhile.
   */
  async followMessages(missed: () => void): Promise<void> {
    const { exchange } = this.#settings;
    let hasWorked = false;
    while (!exchange.cancelled) {
      const { stream, status, waitMs } = await this.#connect();
      if (stream !== undefined) {
        const resumes = this.#lastEventId !== undefined && this.#reopening.failures === 0;
        const isFirst = !hasWorked && this.#reopening.failures === 0;
        if (!isFirst && !resumes && this.#reopening.hasGap) missed();
        hasWorked = true;
        await this.#read(stream);
      } else if (mayBeHadLater(status, hasWorked)) {
        this.#reopening.failed();
        // The event to go on from may be what the server does not know any more.
        if (status === 400 || status === 404) this.#lastEventId = undefined;
      } else return;
      if (!exchange.cancelled) await this.#pause(waitMs);
    }
  }

  #pause(waitMs = 0): Promise<void> {
    const { exchange, pauseMs } = this.#settings;
    return exchange.sleep(Math.max(waitMs, pauseMs(), this.#reopening.pauseMs(this.#retryMs)));
  }

  async #connect(): Promise<Attempt> {
    const { http, exchange } = this.#settings;
    const headers: Record<string, string> = { ...this.#settings.headers(), accept: EVENT_STREAM };
    if (this.#lastEventId !== undefined)
      headers["last-event-id"] = Buffer.from(this.#lastEventId).toString("latin1");
    try {
      const response = await http.request({ method: "GET", headers }, exchange);
      if (response.ok && response.mediaType === EVENT_STREAM) return { stream: response };
      response.discard();
      const { status } = response;
      return { status, waitMs: retryAfterMs(response.headers["retry-after"]) };
    } catch {
      return {};
    }
  }

  /** A stream that breaks off is as good as one that is closed: both can be resumed. */
  async #read(response: HttpResponse): Promise<void> {
    const { limit, handlers } = this.#settings;
    const begun = performance.now();
    let fruitful = false;
    let exceeded = false;
    const inner = endingAtLimit(response, messageEvents(handlers), () => {
      exceeded = true;
    });
    const reader = new EventStreamReader(limit, {
      ...inner,
      event: (type, data) => {
        fruitful = true;
        inner.event(type, data);
      },
    });
    await response.read((chunk) => reader.push(chunk)).catch(() => {});
    const { lastEventId = this.#lastEventId } = reader;
    if (lastEventId !== this.#lastEventId) fruitful = true;
    this.#lastEventId = lastEventId;
    this.#retryMs = reader.retryMs ?? this.#retryMs;
    if (exceeded) this.#reopening.failed();
    else this.#reopening.ended(performance.now() - begun, fruitful);
  }
}
