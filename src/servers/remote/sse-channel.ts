import type { RemoteTransport, ServerSettings } from "../../config/types.ts";
import { reasonOf } from "../../errors.ts";
import type { Call } from "../../calls/call.ts";
import type { Era } from "../../protocol/client-profile.ts";
import { withMembers } from "../../wire/members.ts";
import { notificationText } from "../../wire/messages.ts";
import type { Channel, ChannelEvents } from "../channel.ts";
import { Exchange } from "./exchange.ts";
import { HttpClient } from "./http-client.ts";
import type { HttpResponse } from "./http-response.ts";
import { MAX_POSTS, Post } from "./post.ts";
import { answerIn, isLostSession, readRefusal } from "./refusal.ts";
import { RemoteFailure, asRemoteFailure } from "./remote-failure.ts";
import { refusedFailure } from "./retry-after.ts";
import { SessionMemory } from "./session-memory.ts";
import { SseStream } from "./sse-stream.ts";

const POST_HEADERS = { "content-type": "application/json" };

/** The older HTTP+SSE transport. Rejects if there is no such stream. */
export async function openSseChannel(
  settings: ServerSettings,
  transport: RemoteTransport,
  events: ChannelEvents,
  openMs = settings.timeouts.connectMs,
): Promise<Channel> {
  const channel = new SseChannel(settings, transport, events);
  try {
    await channel.open(openMs);
    return channel;
  } catch (error) {
    void channel.close();
    throw error;
  }
}

/**
 * Messages go by POST to where the server wants them, and all that it says comes on one stream.
 *
 * As over Streamable HTTP, a request is sent a second time in one case only: the server has refused
 * it because it does not know the session any more. Then there is a new stream and a new handshake
 * with the words of the first, once for all requests that ran into it.
 */
class SseChannel implements Channel {
  readonly pid = undefined;
  readonly refusesUnknown = false;
  readonly #settings: ServerSettings;
  readonly #events: ChannelEvents;
  readonly #http: HttpClient;
  readonly #memory = new SessionMemory();
  readonly #posts = new Set<Post>();
  #stream: SseStream;
  /** The stream of a session that was lost: calls it had taken may still be answered there. */
  #former: SseStream | undefined;
  #renewing: Promise<void> | undefined;
  /** Ids that no call has, because these count up from 1. An answer to one of them is dropped. */
  #ownId = Number.MAX_SAFE_INTEGER;
  #ended = false;

  constructor(settings: ServerSettings, transport: RemoteTransport, events: ChannelEvents) {
    this.#settings = settings;
    this.#events = events;
    const { connectMs } = settings.timeouts;
    this.#http = new HttpClient(new URL(transport.url), transport.headers, connectMs);
    this.#stream = this.#newStream();
  }

  get backlog(): number {
    let bytes = 0;
    for (const { message } of this.#posts) bytes += message.length;
    return bytes;
  }

  async open(openMs: number): Promise<void> {
    this.#checkPause();
    await this.#stream.open(openMs);
  }

  send(message: string, call?: Call): void {
    const isTooMuch = call === undefined && this.#posts.size > MAX_POSTS;
    if (!this.#ended && !isTooMuch) void this.#carry(new Post(message, call));
  }

  /** The server is told by a message; if it has not even taken the request, that is given up too. */
  abandon(call: Call): boolean {
    for (const post of this.#posts) if (post.call === call) post.cancel();
    return false;
  }

  negotiated(_era: Era, version: string): void {
    this.#memory.version = version;
  }

  unusable(): undefined {}

  stderrTail(): string[] {
    return [];
  }

  close(): Promise<void> {
    this.#ended = true;
    this.#stream.close();
    this.#former?.close();
    for (const post of this.#posts) post.cancel();
    this.#http.close();
    return Promise.resolve();
  }

  async #carry(post: Post): Promise<void> {
    const { call } = post;
    // A call has a deadline of its own; nobody waits for other messages, nor after the answer.
    const impatience = setInterval(() => {
      if (call === undefined || !this.#events.awaits(call)) post.cancel();
    }, this.#settings.timeouts.callMs);
    this.#posts.add(post);
    try {
      await this.#deliver(post);
    } catch (error) {
      if (call === undefined || post.cancelled || this.#ended) return;
      this.#events.undeliverable(call, asRemoteFailure(error, this.#http.host));
    } finally {
      clearInterval(impatience);
      this.#posts.delete(post);
    }
  }

  async #deliver(post: Post): Promise<void> {
    const { call, message } = post;
    // What is no request concerns the session it was meant for.
    if (call !== undefined && this.#renewing !== undefined) await this.#renewing;
    if (post.cancelled) return;
    this.#checkPause();
    const stream = this.#stream;
    const response = await this.#post(message, stream, post);
    if (!response.ok) await this.#refused(post, response, stream);
    else {
      response.discard();
      if (call !== undefined) this.#memory.remember(call.method, message);
    }
  }

  async #post(message: string, { endpoint }: SseStream, exchange: Exchange): Promise<HttpResponse> {
    const { version } = this.#memory;
    const headers = { ...POST_HEADERS, ...(version && { "mcp-protocol-version": version }) };
    const address = endpoint && { url: endpoint };
    return this.#http.request({ method: "POST", headers, body: message, ...address }, exchange);
  }

  async #refused(post: Post, response: HttpResponse, stream: SseStream): Promise<void> {
    const { call } = post;
    const failure = this.#failureOf(response);
    const refusal = await readRefusal(response);
    if (call === undefined || post.cancelled) return;
    // The address came from the server, so if there is nothing any more, the session is gone.
    if (this.#memory.version !== undefined && isLostSession(refusal)) {
      await this.#repeat(post, stream);
      return;
    }
    const answer = answerIn(refusal, call);
    if (answer === undefined) throw failure;
    this.#events.line(answer, call);
  }

  async #repeat(post: Post, lost: SseStream): Promise<void> {
    if (post.repeated) throw new RemoteFailure("lostSession", this.#http.host);
    post.repeated = true;
    // Whoever comes later finds the new session, or waits for it.
    if (this.#stream === lost)
      this.#renewing ??= this.#renew().finally(() => {
        this.#renewing = undefined;
      });
    await this.#deliver(post);
  }

  async #renew(): Promise<void> {
    const { connectMs, totalMs } = this.#settings.timeouts;
    const stream = this.#newStream();
    const exchange = new Exchange();
    let late = false;
    const impatience = setTimeout(() => {
      late = true;
      exchange.cancel();
      stream.close();
    }, connectMs);
    try {
      this.#checkPause();
      await stream.open(connectMs);
      await this.#greet(stream, exchange);
    } catch (error) {
      stream.close();
      const reason = late ? `no answer within ${connectMs} ms` : reasonOf(error);
      const failure = new RemoteFailure("noNewSession", this.#http.host, reason);
      // Calls that wait for the new session are told first.
      setImmediate(() => this.#lose(failure));
      throw failure;
    } finally {
      clearTimeout(impatience);
    }
    if (this.#ended) {
      stream.close();
      return;
    }
    const former = this.#stream;
    this.#former?.close();
    this.#former = former;
    // No call lasts longer.
    setTimeout(() => former.close(), totalMs).unref();
    this.#stream = stream;
    this.#events.renewed();
  }

  /** Says all again that the server has forgotten. */
  async #greet(stream: SseStream, exchange: Exchange): Promise<void> {
    const id = this.#ownId--;
    const answer = stream.answerTo(id);
    // If the POST fails, that is what is told.
    answer.catch(() => {});
    await this.#tell(withMembers(this.#memory.initialize, { id: String(id) }), stream, exchange);
    const objection = this.#memory.objectionTo(await answer);
    if (objection !== undefined) throw new Error(objection);
    await this.#tell(notificationText("notifications/initialized"), stream, exchange);
    for (const wish of this.#memory.wishes) {
      const again = withMembers(wish, { id: String(this.#ownId--) });
      // A server that does not accept it any more is still as good as new.
      await this.#tell(again, stream, exchange).catch(() => {});
    }
  }

  async #tell(message: string, stream: SseStream, exchange: Exchange): Promise<void> {
    const response = await this.#post(message, stream, exchange);
    response.discard();
    if (!response.ok) throw this.#failureOf(response);
  }

  #newStream(): SseStream {
    return new SseStream({
      http: this.#http,
      limit: this.#settings.limits.messageBytes,
      handlers: {
        line: (line) => this.#events.line(line),
        oversized: (head, bytes) => this.#events.oversized(head, bytes),
      },
      refused: (response) => this.#failureOf(response),
      ended: (stream, failure) => {
        // One that is about to be replaced is missed by nobody.
        if (stream === this.#stream && this.#renewing === undefined) this.#lose(failure);
      },
    });
  }

  /** The server's side of the session is tied to the stream and ends with it. */
  #lose({ reason, code }: RemoteFailure): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#events.lost(reason, code);
  }

  #failureOf(response: HttpResponse): RemoteFailure {
    return refusedFailure(response, this.#http.host, this.#events.respite);
  }

  #checkPause(): void {
    const held = this.#events.respite.failure();
    if (held !== undefined) throw held;
  }
}
