import type { RemoteTransport, ServerSettings } from "../../../config/types.ts";
import type { JsonObject } from "../../../wire/messages.ts";
import type { Channel, ChannelEvents } from "../channel.ts";
import type { Cancellation } from "./cancellation.ts";
import type { HttpResponse } from "./http-response.ts";
import type { Post } from "./post.ts";
import { PostingChannel } from "./posting-channel.ts";
import type { RemoteFailure } from "./remote-failure.ts";
import { SseStream } from "./sse-stream.ts";

const POST_HEADERS = { "content-type": "application/json" };

/** HTTP+SSE, the transport before Streamable HTTP. Rejects if the server does not offer it. */
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

/** The server says where to post messages; everything it sends arrives on one stream. */
class SseChannel extends PostingChannel {
  readonly refusesUnknown = false;
  #stream = this.#newStream();
  /** The stream of a lost session: calls that the server accepted may still be answered there. */
  #former: SseStream | undefined;

  async open(openMs: number): Promise<void> {
    this.checkPause();
    await this.#stream.open(openMs);
  }

  protected get session(): SseStream {
    return this.#stream;
  }

  protected request(post: Post): Promise<HttpResponse> {
    // The server named the address, so once there was a handshake, "not found" means a lost session.
    post.session = this.memory.version === undefined ? undefined : this.#stream;
    return this.#post(post.message, this.#stream, post);
  }

  protected async onAccepted(_post: Post, response: HttpResponse): Promise<void> {
    response.discard();
  }

  protected async renewSession(cancellation: Cancellation): Promise<void> {
    const { connectMs, totalMs } = this.settings.timeouts;
    const stream = this.#newStream();
    try {
      this.checkPause();
      cancellation.onCancel(() => stream.close());
      await stream.open(connectMs);
      await this.#replay(stream, cancellation);
    } catch (error) {
      stream.close();
      throw error;
    }
    if (this.isEnded) {
      stream.close();
      return;
    }
    const former = this.#stream;
    this.#former?.close();
    this.#former = former;
    // No call lasts longer.
    setTimeout(() => former.close(), totalMs).unref();
    this.#stream = stream;
  }

  protected onFailure(failure: RemoteFailure): void {
    // All calls that wait for the new session are notified first.
    if (failure.code === "noNewSession") setImmediate(() => this.lose(failure));
  }

  protected async endSession(): Promise<void> {
    this.#stream.close();
    this.#former?.close();
  }

  #replay(stream: SseStream, cancellation: Cancellation): Promise<void> {
    const send = async (message: string): Promise<void> => {
      const response = await this.#post(message, stream, cancellation);
      response.discard();
      if (!response.ok) throw this.failureOf(response);
    };
    const initialize = async (message: string, id: number): Promise<JsonObject> => {
      const answer = stream.answerTo(id);
      // If the POST fails, that is the error to report.
      answer.catch(() => {});
      await send(message);
      cancellation.onCancel(() => stream.close());
      return answer;
    };
    return this.memory.replay({ initialize, send, onInitialized: () => {} });
  }

  #post(message: string, { endpoint }: SseStream, until: Cancellation): Promise<HttpResponse> {
    const { version } = this.memory;
    const headers = { ...POST_HEADERS, ...(version && { "mcp-protocol-version": version }) };
    const address = endpoint && { url: endpoint };
    return this.http.request({ method: "POST", headers, body: message, ...address }, until);
  }

  #newStream(): SseStream {
    return new SseStream({
      http: this.http,
      limit: this.settings.limits.messageBytes,
      handlers: {
        line: (line) => this.events.onLine(line),
        oversized: (head, bytes) => this.events.onOversized(head, bytes),
      },
      failureOf: (response) => this.failureOf(response),
      // The server's side of the session ends with the stream, unless that is about to be replaced.
      onEnd: (stream, failure) => {
        if (stream === this.#stream && this.state !== "renewing") this.lose(failure);
      },
    });
  }
}
