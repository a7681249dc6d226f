import { retryAfterMs } from "../../../text/retry-after.ts";
import { EventStreamReader } from "../../../wire/event-stream.ts";
import type { Cancellation } from "./cancellation.ts";
import type { HttpClient } from "./http-client.ts";
import { EVENT_STREAM, type HttpResponse } from "./http-response.ts";
import { Reopening, isWorthRetrying } from "../../handshake/reopening.ts";
import { type MessageHandlers, endingAtLimit, messageEvents } from "./response-messages.ts";

/** How many reconnections in a row may fail while a caller waits for the answer. */
const MAX_FAILURES = 5;

export interface StreamSettings {
  readonly http: HttpClient;
  /** The headers of the session as they are now. */
  readonly headers: () => Record<string, string>;
  /** How long the server has asked for no requests at all. */
  readonly pauseMs: () => number;
  readonly limit: number;
  readonly cancellation: Cancellation;
  readonly handlers: MessageHandlers;
}

/** The result of a connection attempt: a stream, another response, or neither. */
interface Attempt {
  readonly stream?: HttpResponse;
  readonly status?: number;
  /** How long the server has asked to wait. */
  readonly waitMs?: number | undefined;
}

/**
 * An event stream over several connections: a legacy server may close one at any time and continue
 * on the next, which names the last event received.
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
   * Follows the stream that answers a call until `hasAnswer`. Resolves without an answer if the
   * stream ends and cannot be resumed.
   */
  async followAnswer(first: HttpResponse, hasAnswer: () => boolean): Promise<void> {
    const { cancellation } = this.#settings;
    const isOver = (): boolean =>
      cancellation.cancelled || hasAnswer() || this.#lastEventId === undefined;
    await this.#read(first);
    while (!isOver() && this.#reopening.failures <= MAX_FAILURES) {
      await this.#pause();
      if (isOver()) return;
      const { stream, status } = await this.#connect(false);
      if (stream !== undefined) await this.#read(stream);
      else if (!isWorthRetrying(status, false)) return;
      else this.#reopening.failed();
    }
  }

  /**
   * Follows the stream of messages that belong to no call until it is cancelled. Resolves earlier if
   * the server does not offer one. `onMissedEvents` is called when it is open again and events may
   * have been missed in the meantime.
   */
  async followMessages(onMissedEvents: () => void): Promise<void> {
    const { cancellation } = this.#settings;
    let hasWorked = false;
    while (!cancellation.cancelled) {
      const { stream, status, waitMs } = await this.#connect(true);
      if (stream !== undefined) {
        const resumes = this.#lastEventId !== undefined && this.#reopening.failures === 0;
        const isFirst = !hasWorked && this.#reopening.failures === 0;
        if (!isFirst && !resumes && this.#reopening.hasMissedEvents) onMissedEvents();
        hasWorked = true;
        await this.#read(stream);
      } else if (isWorthRetrying(status, hasWorked)) {
        this.#reopening.failed();
        // The server may no longer know the event to continue from.
        if (status === 400 || status === 404) this.#lastEventId = undefined;
      } else return;
      if (!cancellation.cancelled) await this.#pause(waitMs);
    }
  }

  #pause(waitMs = 0): Promise<void> {
    const { cancellation, pauseMs } = this.#settings;
    return cancellation.sleep(Math.max(waitMs, pauseMs(), this.#reopening.pauseMs(this.#retryMs)));
  }

  async #connect(isOptional: boolean): Promise<Attempt> {
    const { http, cancellation } = this.#settings;
    const headers: Record<string, string> = { ...this.#settings.headers(), accept: EVENT_STREAM };
    if (this.#lastEventId !== undefined)
      headers["last-event-id"] = Buffer.from(this.#lastEventId).toString("latin1");
    try {
      const response = await http.request({ method: "GET", headers, isOptional }, cancellation);
      if (response.ok && response.isEventStream) return { stream: response };
      response.discard();
      const { status } = response;
      return { status, waitMs: retryAfterMs(response.headers["retry-after"]) };
    } catch {
      return {};
    }
  }

  /** A stream that breaks can be resumed like one that was closed. */
  async #read(response: HttpResponse): Promise<void> {
    const { limit, handlers } = this.#settings;
    const startedAt = performance.now();
    let hasDelivered = false;
    let exceeded = false;
    const inner = endingAtLimit(response, messageEvents(handlers), () => {
      exceeded = true;
    });
    const reader = new EventStreamReader(limit, {
      ...inner,
      event: (type, data) => {
        hasDelivered = true;
        inner.event(type, data);
      },
    });
    await response.read((chunk, mayGoOn) => reader.push(chunk, mayGoOn)).catch(() => {});
    const { lastEventId = this.#lastEventId } = reader;
    if (lastEventId !== this.#lastEventId) hasDelivered = true;
    this.#lastEventId = lastEventId;
    this.#retryMs = reader.retryMs ?? this.#retryMs;
    if (exceeded) this.#reopening.failed();
    else this.#reopening.ended(performance.now() - startedAt, hasDelivered);
  }
}
