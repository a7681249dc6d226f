import type { RemoteTransport, ServerSettings } from "../../config/types.ts";
import { RPC, reasonOf } from "../../errors.ts";
import type { Call } from "../../calls/call.ts";
import type { Era } from "../../protocol/client-profile.ts";
import type { Line } from "../../wire/lines.ts";
import type { JsonObject } from "../../wire/messages.ts";
import { paramHeadersOf } from "../../wire/param-headers.ts";
import type { Channel, ChannelEvents } from "../channel.ts";
import { ResumableStream, type StreamSettings } from "./resumable-stream.ts";
import { Exchange } from "./exchange.ts";
import { HttpClient } from "./http-client.ts";
import { type HttpResponse, isSuccess } from "./http-response.ts";
import { HttpSession, POST_HEADERS } from "./http-session.ts";
import { MAX_POSTS, Post } from "./post.ts";
import { type Refusal, answerIn, isLostSession, readRefusal } from "./refusal.ts";
import { Reopening, mayBeHadLater } from "../reopening.ts";
import { RemoteFailure, type RemoteFailureCode, asRemoteFailure } from "./remote-failure.ts";
import { modernHeaders } from "./request-headers.ts";
import { EVENT_STREAM, readMessages } from "./response-messages.ts";
import { refusedFailure } from "./retry-after.ts";
import { ServerStream } from "./server-stream.ts";

/** How long a server may keep a stream open after the answer; it has no more to say on it. */
const LINGER_MS = 2000;

/** The server as a whole cannot be reached, whatever is asked of it. */
const OUT_OF_REACH: ReadonlySet<RemoteFailureCode> = new Set<RemoteFailureCode>([
  "dns",
  "refused",
  "unreachable",
  "connectTimeout",
  "tls",
  "tlsUntrusted",
  "tlsExpired",
  "tlsWrongHost",
  "noNewSession",
]);

/** Asked when the first message is refused: true if somebody else takes care of it. */
export type TakeOver = (post: Post, refusal: Refusal) => Promise<boolean>;

/**
 * Streamable HTTP, of both eras: each message is a POST, and the response to it carries the answer.
 *
 * A request is sent a second time in one case only: the server has refused it because it does not
 * know the session any more, so it was not executed. The session is a matter of the transport, so
 * it is renewed here, with the `initialize` of the first, and nobody else has to know; the rest of
 * the program is told to look at the lists again.
 */
export class HttpChannel implements Channel {
  readonly pid = undefined;
  readonly refusesUnknown = true;
  readonly #settings: ServerSettings;
  readonly #events: ChannelEvents;
  readonly #takeOver: TakeOver | undefined;
  readonly #http: HttpClient;
  readonly #session: HttpSession;
  readonly #stream: ServerStream;
  readonly #posts = new Set<Post>();
  #era: Era | undefined;
  /** Set as soon as the server has accepted something. */
  #works = false;
  /** What must have happened before anything else is sent. */
  #gate: Promise<void> | undefined;
  #renewing: Promise<void> | undefined;
  #lost = false;
  #closing: Promise<void> | undefined;

  constructor(
    settings: ServerSettings,
    transport: RemoteTransport,
    events: ChannelEvents,
    takeOver?: TakeOver,
  ) {
    this.#settings = settings;
    this.#events = events;
    this.#takeOver = takeOver;
    const { timeouts, limits } = settings;
    this.#http = new HttpClient(new URL(transport.url), transport.headers, timeouts.connectMs);
    this.#session = new HttpSession(this.#http, limits.messageBytes);
    this.#stream = new ServerStream({
      ...this.#streamSettings(),
      handlers: {
        line: (line) => events.line(line),
        oversized: (head, bytes) => events.oversized(head, bytes),
      },
      missed: () => events.renewed(),
    });
  }

  get backlog(): number {
    let bytes = 0;
    for (const post of this.#posts) if (post.waiting) bytes += post.message.length;
    return bytes;
  }

  send(message: string, call?: Call): void {
    if (this.#closing !== undefined) return;
    if (call === undefined && this.#posts.size > MAX_POSTS) return;
    const post = new Post(message, call);
    this.#posts.add(post);
    const carried = this.#carry(post);
    // Requests that overtake this notification are refused by strict servers.
    if (call === undefined && message.includes('"notifications/initialized"'))
      this.#gate = carried.finally(() => {
        this.#gate = undefined;
        this.#listen();
      });
  }

  /** A legacy server is told by a message of its own, and does not take the end of a stream for one. */
  abandon(call: Call): boolean {
    for (const post of this.#posts)
      if (post.call === call) {
        post.cancel();
        return post.modern;
      }
    return this.#era === "modern";
  }

  negotiated(era: Era, version: string): void {
    this.#era = era;
    this.#session.memory.version = version;
    if (era === "modern") void this.#endSession();
  }

  unusable(tool: JsonObject): string | undefined {
    if (this.#era !== "modern") return undefined;
    const found = paramHeadersOf(tool["inputSchema"]);
    return typeof found === "string" ? found : undefined;
  }

  stderrTail(): string[] {
    return [];
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #carry(post: Post): Promise<void> {
    // Calls have a deadline of their own; nobody waits for other messages.
    const impatience =
      post.call === undefined
        ? setTimeout(() => post.cancel(), this.#settings.timeouts.connectMs)
        : undefined;
    try {
      if (this.#gate !== undefined) await this.#gate;
      if (post.isStanding) await this.#deliverStanding(post);
      else if (!post.cancelled) await this.#deliver(post);
    } catch (error) {
      this.#failed(post, error);
    } finally {
      clearTimeout(impatience);
      this.#posts.delete(post);
    }
  }

  /**
   * A stream of changes that cannot be had now, or breaks off, is opened again; that repeats no
   * effect.
   */
  async #deliverStanding(post: Post): Promise<void> {
    const reopening = new Reopening();
    while (!post.cancelled) {
      const begun = performance.now();
      post.status = undefined;
      try {
        await this.#deliver(post);
        return;
      } catch (error) {
        if (!mayBeHadLater(post.status, post.streamed)) throw error;
        if (post.status !== undefined && isSuccess(post.status))
          reopening.ended(performance.now() - begun, false);
        else reopening.failed();
        post.broken ||= reopening.hasGap;
      }
      await post.sleep(Math.max(reopening.pauseMs(), this.#events.respite.leftMs()));
    }
  }

  async #deliver(post: Post): Promise<void> {
    const { call } = post;
    const held = this.#events.respite.failure();
    if (held !== undefined) throw held;
    const response = await this.#http.request(
      { method: "POST", headers: this.#headersOf(post), body: post.message },
      post,
    );
    post.waiting = false;
    post.status = response.status;
    if (!response.ok) {
      await this.#refused(post, response);
      return;
    }
    this.#works = true;
    if (response.mediaType === EVENT_STREAM) {
      post.streamed = true;
      if (post.broken) this.#events.renewed();
      post.broken = false;
    }
    if (call === undefined) response.discard();
    else {
      if (call.method === "initialize") this.#session.begun(response);
      this.#session.memory.remember(call.method, post.message);
      // A server that speaks both eras may be greeted in both; only one of them goes on.
      if (this.#era === "modern") void this.#endSession();
      else this.#listen();
      await this.#receive(post, call, response);
    }
  }

  #headersOf(post: Post): Record<string, string> {
    const modern =
      this.#era === "legacy"
        ? undefined
        : modernHeaders(post.message, (tool) => this.#events.inputSchemaOf(tool));
    post.modern = modern !== undefined;
    post.session = modern === undefined ? this.#session.id : undefined;
    return { ...POST_HEADERS, ...(modern ?? this.#session.headers) };
  }

  async #receive(post: Post, call: Call, response: HttpResponse): Promise<void> {
    const isStream = response.mediaType === EVENT_STREAM;
    let lingering: NodeJS.Timeout | undefined;
    const handlers = {
      line: (line: Line) => {
        this.#events.line(line, call);
        if (isStream && lingering === undefined && !this.#events.awaits(call))
          lingering = setTimeout(() => post.cancel(), LINGER_MS).unref();
      },
      oversized: (head: Buffer, bytes: number) => {
        // A stream of changes has broken off by that. A call has failed, and what follows is not
        // worth its time.
        if (post.isStanding) return;
        this.#events.oversized(head, bytes, call);
        post.cancel();
      },
    };
    try {
      if (isStream && !post.modern) {
        const stream = new ResumableStream({ ...this.#streamSettings(), exchange: post, handlers });
        await stream.followAnswer(response, () => !this.#events.awaits(call));
      } else await readMessages(response, this.#settings.limits.messageBytes, handlers);
    } finally {
      clearTimeout(lingering);
    }
    if (post.cancelled || !this.#events.awaits(call)) return;
    if (isStream) throw new RemoteFailure("truncated", this.#http.host);
    throw new RemoteFailure("noAnswer", this.#http.host, `HTTP ${response.status}`);
  }

  async #refused(post: Post, response: HttpResponse): Promise<void> {
    const failure = refusedFailure(response, this.#http.host, this.#events.respite);
    const refusal = await readRefusal(response);
    const { call } = post;
    // What is no request concerned a session that is gone, or was never understood.
    if (call === undefined || post.cancelled) return;
    if (post.session !== undefined && isLostSession(refusal)) {
      await this.#repeat(post, post.session);
      return;
    }
    if (!this.#works && (await this.#takeOver?.(post, refusal)) === true) return;
    const answer = passes(post, refusal) ? undefined : answerIn(refusal, call);
    if (answer === undefined) throw failure;
    this.#events.line(answer, call);
  }

  async #repeat(post: Post, lostSession: string): Promise<void> {
    if (post.repeated) throw new RemoteFailure("lostSession", this.#http.host);
    post.repeated = true;
    // Whoever comes later finds the new session, or waits for it.
    if (this.#session.id === lostSession)
      this.#renewing ??= this.#renew().finally(() => {
        this.#renewing = undefined;
      });
    await this.#renewing;
    if (!post.cancelled) await this.#deliver(post);
  }

  async #renew(): Promise<void> {
    const exchange = new Exchange();
    const { connectMs } = this.#settings.timeouts;
    const impatience = setTimeout(() => exchange.cancel(), connectMs);
    try {
      await this.#session.renew(exchange);
    } catch (error) {
      const reason = exchange.cancelled ? `no answer within ${connectMs} ms` : reasonOf(error);
      throw new RemoteFailure("noNewSession", this.#http.host, reason);
    } finally {
      clearTimeout(impatience);
    }
    if (this.#closing !== undefined) return;
    this.#stream.reopen();
    this.#events.renewed();
  }

  #streamSettings(): Omit<StreamSettings, "exchange" | "handlers"> {
    return {
      http: this.#http,
      headers: () => this.#session.headers,
      pauseMs: () => this.#events.respite.leftMs(),
      limit: this.#settings.limits.messageBytes,
    };
  }

  #listen(): void {
    if (this.#era === "legacy" && this.#closing === undefined) this.#stream.open();
  }

  #failed({ call, cancelled }: Post, error: unknown): void {
    if (call === undefined || cancelled || this.#closing !== undefined) return;
    const failure = asRemoteFailure(error, this.#http.host);
    this.#events.undeliverable(call, failure);
    const outOfReach = OUT_OF_REACH.has(failure.code) && !failure.mayHaveRun;
    if (outOfReach) this.#loseSoon(failure);
  }

  /**
   * A server out of reach counts as lost, so that it is left alone for a while, but not while other
   * calls are under way: they have connections of their own. Before the handshake is done, its
   * failure says it all.
   */
  #loseSoon({ reason, code }: RemoteFailure): void {
    // Calls that failed for the same reason are told theirs first.
    setImmediate(() => {
      const calls = Array.from(this.#posts).filter((post) => post.call !== undefined);
      const busy = calls.some((post) => !post.isStanding);
      if (busy || this.#lost || this.#era === undefined || this.#closing !== undefined) return;
      this.#lost = true;
      this.#events.lost(reason, code);
    });
  }

  async #end(): Promise<void> {
    for (const post of this.#posts) post.cancel();
    this.#stream.close();
    await this.#endSession();
    this.#http.close();
  }

  async #endSession(): Promise<void> {
    if (this.#session.id === undefined) return;
    const exchange = new Exchange();
    const impatience = setTimeout(() => exchange.cancel(), this.#settings.timeouts.shutdownMs);
    // A server that cannot be told forgets the session by itself.
    await this.#session.end(exchange).catch(() => {});
    clearTimeout(impatience);
  }
}

/** Whether a refusal only says that there is no stream of changes at this time. */
function passes({ isStanding, streamed }: Post, { status, rpc }: Refusal): boolean {
  return isStanding && rpc?.code !== RPC.methodNotFound && mayBeHadLater(status, streamed);
}
