import type { RemoteTransport, ServerSettings } from "../../config/types.ts";
import type { Call } from "../../relay/call.ts";
import type { Era } from "../../relay/client-profile.ts";
import { EventStreamReader } from "../../wire/event-stream.ts";
import type { Channel, ChannelEvents } from "../channel.ts";
import { Exchange } from "./exchange.ts";
import { HttpClient } from "./http-client.ts";
import type { HttpResponse } from "./http-response.ts";
import { Post } from "./post.ts";
import { answerIn, readRefusal } from "./refusal.ts";
import { RemoteFailure } from "./remote-failure.ts";
import { EVENT_STREAM, messageEvents } from "./response-messages.ts";
import { refusedFailure } from "./retry-after.ts";

const POST_HEADERS = { "content-type": "application/json" };

/**
 * The older HTTP+SSE transport: one stream brings everything the server says, beginning with the
 * address that messages are posted to. Rejects if there is no such stream.
 */
export async function openSseChannel(
  settings: ServerSettings,
  transport: RemoteTransport,
  events: ChannelEvents,
  openMs = settings.timeouts.connectMs,
): Promise<Channel> {
  const channel = new SseChannel(settings, transport, events);
  let late = false;
  const impatience = setTimeout(() => {
    late = true;
    void channel.close();
  }, openMs);
  try {
    await channel.open();
    return channel;
  } catch (error) {
    void channel.close();
    throw late ? new RemoteFailure("noEndpoint", new URL(transport.url).host) : error;
  } finally {
    clearTimeout(impatience);
  }
}

class SseChannel implements Channel {
  readonly pid = undefined;
  readonly refusesUnknown = false;
  readonly #settings: ServerSettings;
  readonly #events: ChannelEvents;
  readonly #http: HttpClient;
  readonly #stream = new Exchange();
  readonly #posts = new Set<Post>();
  /** Where messages are posted to; set when the server has said it. */
  #endpoint: URL | undefined;
  #version: string | undefined;
  #closed = false;

  constructor(settings: ServerSettings, transport: RemoteTransport, events: ChannelEvents) {
    this.#settings = settings;
    this.#events = events;
    const { connectMs } = settings.timeouts;
    this.#http = new HttpClient(new URL(transport.url), transport.headers, connectMs);
  }

  get backlog(): number {
    let bytes = 0;
    for (const { message } of this.#posts) bytes += message.length;
    return bytes;
  }

  /** Resolves when the server has said where messages are to be posted. */
  async open(): Promise<void> {
    this.#checkPause();
    const request = { method: "GET" as const, headers: { accept: EVENT_STREAM } };
    const response = await this.#http.request(request, this.#stream);
    if (!response.ok) {
      response.discard();
      throw this.#failureOf(response);
    }
    if (response.mediaType !== EVENT_STREAM) {
      response.cancel();
      throw new RemoteFailure(
        "wrongContent",
        this.#http.host,
        response.mediaType || "no content type",
      );
    }
    await this.#read(response);
  }

  send(message: string, call?: Call): void {
    if (this.#closed) return;
    void this.#post(message, call).catch((error: unknown) => {
      if (call === undefined || this.#closed) return;
      const failure =
        error instanceof RemoteFailure
          ? error
          : new RemoteFailure("reset", this.#http.host, error instanceof Error ? error.name : "");
      this.#events.undeliverable(call, failure);
    });
  }

  /** The server is told by a message; if it has not even taken the request, that is given up too. */
  abandon(call: Call): boolean {
    for (const post of this.#posts) if (post.call === call) post.cancel();
    return false;
  }

  negotiated(_era: Era, version: string): void {
    this.#version = version;
  }

  unusable(): undefined {}

  stderrTail(): string[] {
    return [];
  }

  close(): Promise<void> {
    this.#closed = true;
    this.#stream.cancel();
    for (const post of this.#posts) post.cancel();
    this.#http.close();
    return Promise.resolve();
  }

  /** Reads the stream for as long as it lasts; resolves with its first event. */
  #read(response: HttpResponse): Promise<void> {
    return new Promise((resolve, reject) => {
      const messages = messageEvents({
        line: (line) => this.#events.line(line),
        oversized: (head, bytes) => this.#events.oversized(head, bytes),
      });
      const reader = new EventStreamReader(this.#settings.limits.messageBytes, {
        ...messages,
        event: (type, data) => {
          if (type !== "endpoint" || this.#endpoint !== undefined) messages.event(type, data);
          else this.#takeEndpoint(data.text).then(resolve, reject);
        },
      });
      const ended = (): void => {
        reject(new RemoteFailure("noEndpoint", this.#http.host));
        this.#ended();
      };
      response.read((chunk) => reader.push(chunk)).then(ended, ended);
    });
  }

  /** Messages carry the configured headers, so they may only go where these were meant for. */
  async #takeEndpoint(address: string): Promise<void> {
    const { url, host } = this.#http;
    if (!URL.canParse(address, url.href)) throw new RemoteFailure("noEndpoint", host);
    const endpoint = new URL(address, url);
    if (endpoint.origin !== url.origin)
      throw new RemoteFailure("endpointElsewhere", host, endpoint.origin);
    this.#endpoint = endpoint;
  }

  /** The server's side of the session is tied to the stream and ends with it. */
  #ended(): void {
    if (this.#closed || this.#endpoint === undefined) return;
    const { reason, code } = new RemoteFailure("streamEnded", this.#http.host);
    this.#events.lost(reason, code);
  }

  async #post(message: string, call: Call | undefined): Promise<void> {
    this.#checkPause();
    const post = new Post(message, call);
    const impatience = setTimeout(() => post.cancel(), this.#settings.timeouts.callMs);
    this.#posts.add(post);
    try {
      const version = this.#version && { "mcp-protocol-version": this.#version };
      const response = await this.#http.request(
        {
          method: "POST",
          headers: { ...POST_HEADERS, ...version },
          body: message,
          ...(this.#endpoint && { url: this.#endpoint }),
        },
        post,
      );
      if (response.ok) response.discard();
      else await this.#refused(response, call);
    } finally {
      clearTimeout(impatience);
      this.#posts.delete(post);
    }
  }

  async #refused(response: HttpResponse, call: Call | undefined): Promise<void> {
    const failure = this.#failureOf(response);
    const refusal = await readRefusal(response);
    const answer = call && answerIn(refusal, call);
    if (answer === undefined) throw failure;
    this.#events.line(answer, call);
  }

  #failureOf(response: HttpResponse): RemoteFailure {
    return refusedFailure(response, this.#http.host, this.#events.respite);
  }

  #checkPause(): void {
    const held = this.#events.respite.failure();
    if (held !== undefined) throw held;
  }
}
