import type { RemoteTransport, ServerSettings } from "../../../config/types.ts";
import type { Call } from "../../../calls/call.ts";
import type { Era } from "../../../protocol/client-profile.ts";
import type { JsonObject } from "../../../wire/messages.ts";
import type { ChannelEvents } from "../channel.ts";
import type { Cancellation } from "./cancellation.ts";
import type { HttpResponse } from "./http-response.ts";
import { POST_HEADERS, RemoteSession } from "./remote-session.ts";
import type { Post } from "./post.ts";
import { type Answer, PostingChannel } from "./posting-channel.ts";
import type { Refusal } from "./refusal.ts";
import type { RemoteFailure, RemoteFailureCode } from "./remote-failure.ts";
import { headerProblemOf, lookalikeError, modernHeaders } from "./request-headers.ts";
import { ResponseReader } from "./response-reader.ts";
import { keepSubscribed, isTemporary } from "./subscription.ts";

/** The server as a whole cannot be reached, whatever the request. */
const UNREACHABLE: ReadonlySet<RemoteFailureCode> = new Set<RemoteFailureCode>([
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

/** Offers a refused first message to another transport; true if that sends it. */
export type TakeOver = (post: Post, refusal: Refusal) => Promise<boolean>;

/** Streamable HTTP, of both eras: the response to each POST carries the answer. */
export class HttpChannel extends PostingChannel {
  readonly refusesUnknown = true;
  readonly #takeOver: TakeOver | undefined;
  readonly #session: RemoteSession;
  readonly #responses: ResponseReader;
  /** The `initialized` notification, which has to arrive before anything else is sent. */
  #initialized: Promise<void> | undefined;

  constructor(
    settings: ServerSettings,
    transport: RemoteTransport,
    events: ChannelEvents,
    takeOver?: TakeOver,
  ) {
    super(settings, transport, events);
    this.#takeOver = takeOver;
    const source = {
      http: this.http,
      pauseMs: () => events.retryAfter.leftMs(),
      limit: settings.limits.messageBytes,
    };
    this.#session = new RemoteSession({
      ...source,
      memory: this.memory,
      handlers: {
        line: (line) => events.onLine(line),
        oversized: (head, bytes) => events.onOversized(head, bytes),
      },
      onMissedEvents: () => events.onRenewed(),
    });
    const headers = (): Record<string, string> => this.#session.headers;
    this.#responses = new ResponseReader({ ...source, headers }, events);
  }

  override onNegotiated(era: Era, version: string): void {
    super.onNegotiated(era, version);
    if (era === "modern") void this.endSession();
  }

  override reasonUnusable(tool: JsonObject): string | undefined {
    return this.era === "modern" ? headerProblemOf(tool["inputSchema"]) : undefined;
  }

  protected get session(): string | undefined {
    return this.#session.id;
  }

  protected override onSent({ call, message }: Post, done: Promise<void>): void {
    // Strict servers refuse requests that overtake this notification.
    if (call !== undefined || !message.includes('"notifications/initialized"')) return;
    this.#initialized = done.finally(() => {
      this.#initialized = undefined;
      this.#listen();
    });
  }

  protected override async deliver(post: Post): Promise<void> {
    if (this.#initialized !== undefined) await this.#initialized;
    if (post.isSubscription) await this.#deliverSubscription(post);
    else await this.attempt(post).catch((error: unknown) => this.#onNotSent(post, error));
  }

  #onNotSent({ call }: Post, error: unknown): void {
    const answer = call && lookalikeError(call.id, error);
    if (answer === undefined) throw error;
    this.events.onLine(answer, call);
  }

  protected request(post: Post): Promise<HttpResponse> {
    const modern =
      this.era === "legacy"
        ? undefined
        : modernHeaders(post.message, (tool) => this.events.inputSchemaOf(tool));
    post.modern = modern !== undefined;
    post.session = modern === undefined ? this.#session.id : undefined;
    const headers = { ...POST_HEADERS, ...(modern ?? this.#session.headers) };
    const { message: body, call } = post;
    const onToken = call && ((token: unknown) => void (call.credential = token));
    return this.http.request({ method: "POST", headers, body, ...(onToken && { onToken }) }, post);
  }

  protected async onAccepted(post: Post, response: HttpResponse): Promise<void> {
    const { call } = post;
    if (response.isEventStream) {
      post.streamed = true;
      if (post.missedEvents) this.events.onRenewed();
      post.missedEvents = false;
    }
    if (call === undefined) {
      response.discard();
      return;
    }
    if (call.method === "initialize") this.#session.begin(response);
    // A server that speaks both eras may accept both handshakes; only one of them is used.
    if (this.era === "modern") void this.endSession();
    else this.#listen();
    await this.#responses.read(post, call, response);
  }

  protected override async answerOf(call: Call, post: Post, refusal: Refusal): Promise<Answer> {
    if (this.state === "new" && (await this.#takeOver?.(post, refusal)) === true)
      return "elsewhere";
    return isTemporary(post, refusal) ? undefined : super.answerOf(call, post, refusal);
  }

  protected async renewSession(cancellation: Cancellation): Promise<void> {
    await this.#session.renew(cancellation);
    if (!this.isEnded) this.#session.reopenStream();
  }

  /**
   * A server that cannot be reached counts as lost, so that it is left alone for a while, but not
   * while other calls are in flight: they have their own connections. Before the handshake is done,
   * its failure explains it.
   */
  protected onFailure(failure: RemoteFailure): void {
    if (!UNREACHABLE.has(failure.code) || failure.mayHaveRun) return;
    // Calls that failed for the same reason are reported first.
    setImmediate(() => {
      const inFlight = [...this.posts].some(({ call, isSubscription }) => call && !isSubscription);
      if (!inFlight && this.era !== undefined) this.lose(failure);
    });
  }

  protected async endSession(): Promise<void> {
    if (this.isEnded) this.#session.closeStream();
    await this.#session.end(this.settings.timeouts.shutdownMs);
  }

  #deliverSubscription(post: Post): Promise<void> {
    const attempt = (): Promise<void> => this.attempt(post);
    return keepSubscribed(post, attempt, () => this.events.retryAfter.leftMs());
  }

  #listen(): void {
    if (this.era === "legacy" && !this.isEnded) this.#session.openStream();
  }
}
