import type { RemoteTransport, ServerSettings } from "../../../config/types.ts";
import { RPC, workbenchError } from "../../../errors.ts";
import type { Call } from "../../../calls/call.ts";
import type { Era } from "../../../protocol/client-profile.ts";
import { Line } from "../../../wire/lines.ts";
import { type JsonObject, errorText } from "../../../wire/messages.ts";
import { paramHeadersOf } from "../../../wire/param-headers.ts";
import type { ChannelEvents } from "../channel.ts";
import { ResumableStream, type StreamSettings } from "./resumable-stream.ts";
import { Cancellation } from "./cancellation.ts";
import { type HttpResponse, isSuccess } from "./http-response.ts";
import { POST_HEADERS, RemoteSession } from "./remote-session.ts";
import type { Post } from "./post.ts";
import { PostingChannel } from "./posting-channel.ts";
import type { Refusal } from "./refusal.ts";
import { Reopening, mayBeHadLater } from "../../handshake/reopening.ts";
import { RemoteFailure, type RemoteFailureCode } from "./remote-failure.ts";
import { InexactArguments, modernHeaders } from "./request-headers.ts";
import { EVENT_STREAM, readMessages } from "./response-messages.ts";
import { ServerStream } from "./server-stream.ts";

/** How long a server may keep a stream open after the answer, which ends its purpose. */
const LINGER_MS = 2000;

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
  readonly #stream: ServerStream;
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
    this.#session = new RemoteSession(this.http, this.memory, settings.limits.messageBytes);
    this.#stream = new ServerStream({
      ...this.#streamSettings(),
      handlers: {
        line: (line) => events.onLine(line),
        oversized: (head, bytes) => events.onOversized(head, bytes),
      },
      onMissedEvents: () => events.onRenewed(),
    });
  }

  override onNegotiated(era: Era, version: string): void {
    super.onNegotiated(era, version);
    if (era === "modern") void this.endSession();
  }

  override reasonUnusable(tool: JsonObject): string | undefined {
    if (this.era !== "modern") return undefined;
    const found = paramHeadersOf(tool["inputSchema"]);
    return typeof found === "string" ? found : undefined;
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
    if (!(error instanceof InexactArguments) || call === undefined) throw error;
    const { rpcError } = workbenchError("INVALID_PARAMETERS", { reason: error.message });
    this.events.onLine(Line.of(errorText(String(call.id), rpcError)), call);
  }

  protected request(post: Post): Promise<HttpResponse> {
    const modern =
      this.era === "legacy"
        ? undefined
        : modernHeaders(post.message, (tool) => this.events.inputSchemaOf(tool));
    post.modern = modern !== undefined;
    post.session = modern === undefined ? this.#session.id : undefined;
    const headers = { ...POST_HEADERS, ...(modern ?? this.#session.headers) };
    return this.http.request({ method: "POST", headers, body: post.message }, post);
  }

  protected async onAccepted(post: Post, response: HttpResponse): Promise<void> {
    const { call } = post;
    if (response.mediaType === EVENT_STREAM) {
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
    await this.#receive(post, call, response);
  }

  protected override async answerOf(
    call: Call,
    post: Post,
    refusal: Refusal,
  ): Promise<Line | "elsewhere" | undefined> {
    if (this.state === "new" && (await this.#takeOver?.(post, refusal)) === true)
      return "elsewhere";
    return isTemporary(post, refusal) ? undefined : super.answerOf(call, post, refusal);
  }

  protected async renewSession(cancellation: Cancellation): Promise<void> {
    await this.#session.renew(cancellation);
    if (!this.isEnded) this.#stream.reopen();
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
    if (this.isEnded) this.#stream.close();
    if (this.#session.id === undefined) return;
    const cancellation = new Cancellation();
    const timer = setTimeout(() => cancellation.cancel(), this.settings.timeouts.shutdownMs);
    // A server that does not get the message forgets the session by itself.
    await this.#session.end(cancellation).catch(() => {});
    clearTimeout(timer);
  }

  /** A subscription that ends or cannot be opened is tried again; that repeats no effect. */
  async #deliverSubscription(post: Post): Promise<void> {
    const reopening = new Reopening();
    while (!post.cancelled) {
      const begun = performance.now();
      post.status = undefined;
      try {
        await this.attempt(post);
        return;
      } catch (error) {
        if (!mayBeHadLater(post.status, post.streamed)) throw error;
        if (post.status !== undefined && isSuccess(post.status))
          reopening.ended(performance.now() - begun, false);
        else reopening.failed();
        post.missedEvents ||= reopening.hasGap;
      }
      await post.sleep(Math.max(reopening.pauseMs(), this.events.respite.leftMs()));
    }
  }

  async #receive(post: Post, call: Call, response: HttpResponse): Promise<void> {
    const isStream = response.mediaType === EVENT_STREAM;
    let lingering: NodeJS.Timeout | undefined;
    const handlers = {
      line: (line: Line) => {
        this.events.onLine(line, call);
        if (isStream && lingering === undefined && !this.events.isAwaited(call))
          lingering = setTimeout(() => post.cancel(), LINGER_MS).unref();
      },
      oversized: (head: Buffer, bytes: number) => {
        // A subscription has ended by that. A call has failed, and the rest is of no use.
        if (post.isSubscription) return;
        this.events.onOversized(head, bytes, call);
        post.cancel();
      },
    };
    try {
      if (isStream && !post.modern) {
        const settings = { ...this.#streamSettings(), cancellation: post, handlers };
        const stream = new ResumableStream(settings);
        await stream.followAnswer(response, () => !this.events.isAwaited(call));
      } else await readMessages(response, this.settings.limits.messageBytes, handlers);
    } finally {
      clearTimeout(lingering);
    }
    if (post.cancelled || !this.events.isAwaited(call)) return;
    if (isStream) throw new RemoteFailure("truncated", this.http.host);
    throw new RemoteFailure("noAnswer", this.http.host, `HTTP ${response.status}`);
  }

  #streamSettings(): Omit<StreamSettings, "cancellation" | "handlers"> {
    return {
      http: this.http,
      headers: () => this.#session.headers,
      pauseMs: () => this.events.respite.leftMs(),
      limit: this.settings.limits.messageBytes,
    };
  }

  #listen(): void {
    if (this.era === "legacy" && !this.isEnded) this.#stream.open();
  }
}

/** Whether a refusal only means that a subscription cannot be opened at this time. */
function isTemporary({ isSubscription, streamed }: Post, { status, rpc }: Refusal): boolean {
  return isSubscription && rpc?.code !== RPC.methodNotFound && mayBeHadLater(status, streamed);
}
