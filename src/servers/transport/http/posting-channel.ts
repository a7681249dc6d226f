import type { RemoteTransport, ServerSettings } from "../../../config/types.ts";
import { reasonOf } from "../../../errors.ts";
import type { Call } from "../../../calls/call.ts";
import type { Era } from "../../../protocol/client-profile.ts";
import type { Line } from "../../../wire/lines.ts";
import type { JsonObject } from "../../../wire/messages.ts";
import type { Channel, ChannelEvents } from "../channel.ts";
import { Cancellation } from "./cancellation.ts";
import { HttpClient } from "./http-client.ts";
import type { HttpResponse } from "./http-response.ts";
import { MAX_POSTS, Post } from "./post.ts";
import { type Refusal, answerIn, isLostSession, readRefusal } from "./refusal.ts";
import { RemoteFailure, asRemoteFailure, needsSignIn } from "./remote-failure.ts";
import { refusedFailure } from "./refused-failure.ts";
import { SessionMemory } from "./session-memory.ts";

/** "new" until the server has accepted a message. */
type State = "new" | "open" | "renewing" | "lost" | "closed";

/**
 * What both HTTP transports have in common: every message is a POST.
 *
 * A request is sent a second time in one case only: the server refused it because it no longer knows
 * the session, so it was not executed. The session belongs to the transport, so it is renewed here,
 * once for all requests that were refused. Callers do not notice; only the lists are read again.
 */
export abstract class PostingChannel implements Channel {
  readonly pid = undefined;
  abstract readonly refusesUnknown: boolean;
  protected readonly settings: ServerSettings;
  protected readonly events: ChannelEvents;
  protected readonly http: HttpClient;
  protected readonly memory = new SessionMemory();
  protected era: Era | undefined;
  readonly #posts = new Set<Post>();
  #state: State = "new";
  #renewal: Promise<void> | undefined;
  #closing: Promise<void> | undefined;

  constructor(settings: ServerSettings, transport: RemoteTransport, events: ChannelEvents) {
    this.settings = settings;
    this.events = events;
    const { connectMs } = settings.timeouts;
    const { url, headers } = transport;
    this.http = new HttpClient(new URL(url), headers, connectMs, events.authorization);
  }

  get backlog(): number {
    let bytes = 0;
    for (const post of this.#posts) if (post.waiting) bytes += post.message.length;
    return bytes;
  }

  send(message: string, call?: Call): void {
    if (this.isEnded || (call === undefined && this.#posts.size > MAX_POSTS)) return;
    const post = new Post(message, call);
    this.#posts.add(post);
    this.onSent(post, this.#carry(post));
  }

  /** Only a modern server takes the end of a response as a cancellation; others need a message. */
  abandon(call: Call): boolean {
    const post = [...this.#posts].find((sent) => sent.call === call);
    post?.cancel();
    return post?.modern ?? this.era === "modern";
  }

  onNegotiated(era: Era, version: string): void {
    this.era = era;
    this.memory.version = version;
  }

  reasonUnusable(_tool: JsonObject): string | undefined {
    return undefined;
  }

  stderrTail(): string[] {
    return [];
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  protected get posts(): Iterable<Post> {
    return this.#posts;
  }

  protected get state(): State {
    return this.#state;
  }

  protected get isEnded(): boolean {
    return this.#state === "lost" || this.#state === "closed";
  }

  /** Identifies the current session. A post keeps it if a refusal may mean that it was lost. */
  protected abstract get session(): object | string | undefined;
  /** Sends the message of a post. */
  protected abstract request(post: Post): Promise<HttpResponse>;
  /** The server has accepted a post. */
  protected abstract onAccepted(post: Post, response: HttpResponse): Promise<void>;
  /** Opens a session in place of one that the server has forgotten. */
  protected abstract renewSession(cancellation: Cancellation): Promise<void>;
  protected abstract endSession(): Promise<void>;

  protected onSent(_post: Post, _done: Promise<void>): void {}
  /** A call has failed, and its caller was notified. */
  protected abstract onFailure(failure: RemoteFailure): void;

  protected deliver(post: Post): Promise<void> {
    return this.attempt(post);
  }

  /** The answer that a refusal contains, or "elsewhere" if the request was passed on. */
  protected async answerOf(call: Call, _post: Post, refusal: Refusal): Promise<Answer> {
    return answerIn(refusal, call);
  }

  protected async attempt(post: Post): Promise<void> {
    // A notification or response is meant for the session in which it was sent.
    if (post.call !== undefined && this.#renewal !== undefined) await this.#renewal;
    if (post.cancelled) return;
    this.checkPause();
    const response = await this.request(post);
    post.waiting = false;
    post.status = response.status;
    if (!response.ok) {
      await this.#onRefused(post, response);
      return;
    }
    if (this.#state === "new") this.#state = "open";
    if (post.call !== undefined) this.memory.remember(post.call.method, post.message);
    await this.onAccepted(post, response);
  }

  /** The channel has ended, but was not closed. */
  protected lose({ reason, code }: RemoteFailure): void {
    if (this.isEnded) return;
    this.#state = "lost";
    this.events.onLost(reason, code);
  }

  protected failureOf(response: HttpResponse): RemoteFailure {
    return refusedFailure(response, this.http.host, this.events.retryAfter);
  }

  /** Throws while the server has asked for a pause. */
  protected checkPause(): void {
    const failure = this.events.retryAfter.failure();
    if (failure !== undefined) throw failure;
  }

  async #carry(post: Post): Promise<void> {
    const { call } = post;
    const { connectMs, callMs } = this.settings.timeouts;
    // A call has its own deadline. Other messages need a limit, and so does the rest of a response
    // after the answer.
    const timer = setInterval(
      () => {
        if (call === undefined || !this.events.isAwaited(call)) post.cancel();
      },
      call === undefined ? connectMs : callMs,
    );
    try {
      await this.deliver(post);
    } catch (error) {
      if (call === undefined || post.cancelled || this.isEnded) return;
      const failure = asRemoteFailure(error, this.http.host);
      this.events.onUndeliverable(call, failure);
      this.onFailure(failure);
    } finally {
      clearInterval(timer);
      this.#posts.delete(post);
    }
  }

  async #onRefused(post: Post, response: HttpResponse): Promise<void> {
    const failure = this.failureOf(response);
    const refusal = await readRefusal(response);
    const { call } = post;
    if (call === undefined || post.cancelled) return;
    if (post.session !== undefined && isLostSession(refusal)) {
      await this.#repeat(post);
      return;
    }
    const answer = await this.answerOf(call, post, refusal);
    if (answer === undefined) throw failure;
    if (answer !== "elsewhere") this.events.onLine(answer, call);
  }

  async #repeat(post: Post): Promise<void> {
    if (post.repeated) throw new RemoteFailure("lostSession", this.http.host);
    post.repeated = true;
    // Later requests find the new session, or wait for it.
    if (this.session === post.session) this.#renewal ??= this.#renew();
    await this.attempt(post);
  }

  async #renew(): Promise<void> {
    const { connectMs } = this.settings.timeouts;
    const cancellation = new Cancellation();
    const timer = setTimeout(() => cancellation.cancel(), connectMs);
    if (!this.isEnded) this.#state = "renewing";
    try {
      await this.renewSession(cancellation);
    } catch (error) {
      // The session can be renewed after the user has signed in.
      if (needsSignIn(error)) throw error;
      const reason = cancellation.cancelled ? `no answer within ${connectMs} ms` : reasonOf(error);
      throw new RemoteFailure("noNewSession", this.http.host, reason);
    } finally {
      clearTimeout(timer);
      this.#renewal = undefined;
      if (this.#state === "renewing") this.#state = "open";
    }
    if (!this.isEnded) this.events.onRenewed();
  }

  async #close(): Promise<void> {
    this.#state = "closed";
    for (const post of this.#posts) post.cancel();
    await this.endSession();
    this.http.close();
  }
}

/** What a refusal comes to: an answer, a request that was passed on, or neither. */
export type Answer = Line | "elsewhere" | undefined;
