import { EventStreamReader } from "../../../wire/event-stream.ts";
import { tryParseWithinLimits } from "../../../wire/json-limits.ts";
import type { Line } from "../../../wire/lines.ts";
import { type JsonObject, isObject } from "../../../wire/messages.ts";
import type { TakeChunk } from "../../turns.ts";
import { Cancellation } from "./cancellation.ts";
import type { HttpClient } from "./http-client.ts";
import { EVENT_STREAM, type HttpResponse } from "./http-response.ts";
import { RemoteFailure } from "./remote-failure.ts";
import { MAX_MEDIA_TYPE_CHARS, type MessageHandlers, messageEvents } from "./response-messages.ts";

export interface SseStreamSettings {
  readonly http: HttpClient;
  readonly limit: number;
  readonly handlers: MessageHandlers;
  /** What a response means that is not a success. */
  readonly failureOf: (response: HttpResponse) => RemoteFailure;
  /** The stream was open and has ended, but was not closed. */
  readonly onEnd: (stream: SseStream, failure: RemoteFailure) => void;
}

/**
 * How many times the limit the rest of a message that is too large may have. It is skipped, because
 * all calls of the session would end with the stream, but not forever.
 */
const MAX_OVERFLOW = 4;

interface Awaited {
  readonly id: number;
  readonly resolve: (answer: JsonObject) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The stream of HTTP+SSE. It carries everything the server sends, beginning with the address to post
 * messages to. The session ends with it.
 */
export class SseStream {
  readonly #settings: SseStreamSettings;
  readonly #cancellation = new Cancellation();
  #endpoint: URL | undefined;
  #awaited: Awaited | undefined;
  #closed = false;

  constructor(settings: SseStreamSettings) {
    this.#settings = settings;
  }

  /** Where to post messages; set once the stream is open. */
  get endpoint(): URL | undefined {
    return this.#endpoint;
  }

  /** Resolves when the server has sent the address for messages. Rejects with a RemoteFailure. */
  async open(openMs: number): Promise<void> {
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      this.close();
    }, openMs);
    try {
      await this.#open();
    } catch (error) {
      this.close();
      throw late ? new RemoteFailure("noEndpoint", this.#settings.http.host) : error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** The answer with this id, which is then not passed to the handlers. */
  answerTo(id: number): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      this.#awaited = { id, resolve, reject };
    });
  }

  close(): void {
    this.#closed = true;
    this.#cancellation.cancel();
  }

  async #open(): Promise<void> {
    const { http, failureOf } = this.#settings;
    const request = { method: "GET" as const, headers: { accept: EVENT_STREAM } };
    const response = await http.request(request, this.#cancellation);
    if (!response.ok) {
      response.discard();
      throw response.status === 405
        ? new RemoteFailure("noEventStream", http.host)
        : failureOf(response);
    }
    if (!response.isEventStream) {
      response.cancel();
      const type = response.mediaType.slice(0, MAX_MEDIA_TYPE_CHARS) || "no content type";
      throw new RemoteFailure("notEventStream", http.host, type);
    }
    await this.#read(response);
  }

  /** Reads the stream for as long as it lasts; resolves with its first event. */
  #read(response: HttpResponse): Promise<void> {
    const { http, limit, handlers } = this.#settings;
    return new Promise((resolve, reject) => {
      const messages = messageEvents({
        line: (line) => {
          if (!this.#resolveAwaited(line)) handlers.line(line);
        },
        oversized: (head, bytes) => {
          handlers.oversized(head, bytes);
          if (this.#endpoint === undefined) response.cancel();
        },
      });
      const reader = new EventStreamReader(limit, {
        ...messages,
        event: (type, data) => {
          if (type !== "endpoint" || this.#endpoint !== undefined) messages.event(type, data);
          else this.#takeEndpoint(data.text).then(resolve, reject);
        },
      });
      const maxBytes = limit * (1 + MAX_OVERFLOW);
      let exceeded = false;
      const onEnd = (): void => {
        reject(new RemoteFailure("noEndpoint", http.host));
        const failure = exceeded
          ? new RemoteFailure("endlessMessage", http.host, String(maxBytes))
          : new RemoteFailure("streamEnded", http.host);
        this.#onEnd(failure);
      };
      const take: TakeChunk = (chunk, mayGoOn) => {
        const taken = reader.push(chunk, mayGoOn);
        if (reader.arriving > maxBytes) {
          exceeded = true;
          response.cancel();
        }
        return taken;
      };
      response.read(take).then(onEnd, onEnd);
    });
  }

  #resolveAwaited(line: Line): boolean {
    if (this.#awaited === undefined) return false;
    const message = tryParseWithinLimits(line.text);
    if (!isObject(message) || message["id"] !== this.#awaited.id) return false;
    this.#awaited.resolve(message);
    this.#awaited = undefined;
    return true;
  }

  /** Messages carry the configured headers, so they may only go to the configured origin. */
  async #takeEndpoint(address: string): Promise<void> {
    const { url, host } = this.#settings.http;
    if (!URL.canParse(address, url.href)) throw new RemoteFailure("noEndpoint", host);
    const endpoint = new URL(address, url);
    if (endpoint.origin !== url.origin)
      throw new RemoteFailure("endpointElsewhere", host, endpoint.origin);
    this.#endpoint = endpoint;
  }

  #onEnd(failure: RemoteFailure): void {
    this.#awaited?.reject(failure);
    this.#awaited = undefined;
    if (!this.#closed && this.#endpoint !== undefined) this.#settings.onEnd(this, failure);
  }
}
