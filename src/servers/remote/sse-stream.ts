import { EventStreamReader } from "../../wire/event-stream.ts";
import { tryParseWithinLimits } from "../../wire/json-limits.ts";
import type { Line } from "../../wire/lines.ts";
import { type JsonObject, isObject } from "../../wire/messages.ts";
import { Exchange } from "./exchange.ts";
import type { HttpClient } from "./http-client.ts";
import type { HttpResponse } from "./http-response.ts";
import { RemoteFailure } from "./remote-failure.ts";
import {
  EVENT_STREAM,
  MAX_TOLD,
  type MessageHandlers,
  messageEvents,
} from "./response-messages.ts";

export interface SseStreamSettings {
  readonly http: HttpClient;
  readonly limit: number;
  readonly handlers: MessageHandlers;
  /** What a response means that is not a success. */
  readonly refused: (response: HttpResponse) => RemoteFailure;
  /** The stream has ended by itself after it was open. */
  readonly ended: (stream: SseStream, failure: RemoteFailure) => void;
}

/**
 * How many times the limit of a message the rest of one that is too large may have. It is dropped,
 * because all calls of the session would end with the stream; but there must be an end to it.
 */
const MOST_OVERFLOW = 4;

interface Awaited {
  readonly id: number;
  readonly resolve: (answer: JsonObject) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The stream of the older transport, which brings everything the server says, beginning with the
 * address that messages are posted to. The session is tied to it.
 */
export class SseStream {
  readonly #settings: SseStreamSettings;
  readonly #exchange = new Exchange();
  #endpoint: URL | undefined;
  #awaited: Awaited | undefined;
  #closed = false;

  constructor(settings: SseStreamSettings) {
    this.#settings = settings;
  }

  /** Where messages are posted to; set once the stream is open. */
  get endpoint(): URL | undefined {
    return this.#endpoint;
  }

  /** Resolves when the server has said where messages are to be posted. Rejects with a RemoteFailure. */
  async open(openMs: number): Promise<void> {
    let late = false;
    const impatience = setTimeout(() => {
      late = true;
      this.close();
    }, openMs);
    try {
      await this.#open();
    } catch (error) {
      this.close();
      throw late ? new RemoteFailure("noEndpoint", this.#settings.http.host) : error;
    } finally {
      clearTimeout(impatience);
    }
  }

  /** Keeps the answer with this id for the caller instead of handing it on. */
  answerTo(id: number): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      this.#awaited = { id, resolve, reject };
    });
  }

  close(): void {
    this.#closed = true;
    this.#exchange.cancel();
  }

  async #open(): Promise<void> {
    const { http, refused } = this.#settings;
    const request = { method: "GET" as const, headers: { accept: EVENT_STREAM } };
    const response = await http.request(request, this.#exchange);
    if (!response.ok) {
      response.discard();
      throw response.status === 405
        ? new RemoteFailure("noEventStream", http.host)
        : refused(response);
    }
    if (response.mediaType !== EVENT_STREAM) {
      response.cancel();
      const told = response.mediaType.slice(0, MAX_TOLD) || "no content type";
      throw new RemoteFailure("notEventStream", http.host, told);
    }
    await this.#read(response);
  }

  /** Reads the stream for as long as it lasts; resolves with its first event. */
  #read(response: HttpResponse): Promise<void> {
    const { http, limit, handlers } = this.#settings;
    return new Promise((resolve, reject) => {
      const messages = messageEvents({
        line: (line) => {
          if (!this.#keeps(line)) handlers.line(line);
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
      const most = limit * (1 + MOST_OVERFLOW);
      let exceeded = false;
      const ended = (): void => {
        reject(new RemoteFailure("noEndpoint", http.host));
        const failure = exceeded
          ? new RemoteFailure("endlessMessage", http.host, String(most))
          : new RemoteFailure("streamEnded", http.host);
        this.#ended(failure);
      };
      const take = (chunk: Buffer): void => {
        reader.push(chunk);
        if (reader.arriving <= most) return;
        exceeded = true;
        response.cancel();
      };
      response.read(take).then(ended, ended);
    });
  }

  #keeps(line: Line): boolean {
    if (this.#awaited === undefined) return false;
    const message = tryParseWithinLimits(line.text);
    if (!isObject(message) || message["id"] !== this.#awaited.id) return false;
    this.#awaited.resolve(message);
    this.#awaited = undefined;
    return true;
  }

  /** Messages carry the configured headers, so they may only go where these were meant for. */
  async #takeEndpoint(address: string): Promise<void> {
    const { url, host } = this.#settings.http;
    if (!URL.canParse(address, url.href)) throw new RemoteFailure("noEndpoint", host);
    const endpoint = new URL(address, url);
    if (endpoint.origin !== url.origin)
      throw new RemoteFailure("endpointElsewhere", host, endpoint.origin);
    this.#endpoint = endpoint;
  }

  #ended(failure: RemoteFailure): void {
    this.#awaited?.reject(failure);
    this.#awaited = undefined;
    if (!this.#closed && this.#endpoint !== undefined) this.#settings.ended(this, failure);
  }
}
