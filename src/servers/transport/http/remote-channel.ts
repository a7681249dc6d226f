import type { RemoteTransport, ServerSettings } from "../../../config/types.ts";
import type { Call } from "../../../calls/call.ts";
import type { Era } from "../../../protocol/client-profile.ts";
import type { JsonObject } from "../../../wire/messages.ts";
import type { Channel, ChannelEvents } from "../channel.ts";
import { HttpChannel } from "./http-channel.ts";
import type { Post } from "./post.ts";
import type { Refusal } from "./refusal.ts";
import { needsSignIn } from "./remote-failure.ts";
import { openSseChannel } from "./sse-channel.ts";

/** A channel to a server with a URL. This module is loaded only if there is such a server. */
export async function openRemoteChannel(
  settings: ServerSettings,
  transport: RemoteTransport,
  events: ChannelEvents,
): Promise<Channel> {
  if (transport.kind === "http") return new HttpChannel(settings, transport, events);
  if (transport.kind === "sse") return openSseChannel(settings, transport, events);
  return new AutoChannel(settings, transport, events);
}

/** An HTTP+SSE server may respond like this to the first message. */
const MAYBE_SSE: ReadonlySet<number> = new Set([400, 404, 405]);

/** HTTP+SSE servers send their first event immediately; waiting must not use up the handshake time. */
const MAX_SSE_OPEN_MS = 5000;

/**
 * Streamable HTTP, unless the response to the first message shows that the server does not support it
 * and HTTP+SSE works.
 */
class AutoChannel implements Channel {
  readonly pid = undefined;
  readonly refusesUnknown = true;
  readonly #settings: ServerSettings;
  readonly #transport: RemoteTransport;
  readonly #events: ChannelEvents;
  readonly #streamable: HttpChannel;
  #active: Channel;
  #sse: Promise<Channel | undefined> | undefined;
  #closed = false;

  constructor(settings: ServerSettings, transport: RemoteTransport, events: ChannelEvents) {
    this.#settings = settings;
    this.#transport = transport;
    this.#events = events;
    this.#streamable = new HttpChannel(settings, transport, events, (post, refusal) =>
      this.#takeOver(post, refusal),
    );
    this.#active = this.#streamable;
  }

  get backlog(): number {
    return this.#active.backlog;
  }

  send(message: string, call?: Call): void {
    this.#active.send(message, call);
  }

  abandon(call: Call): boolean {
    return this.#active.abandon(call);
  }

  onNegotiated(era: Era, version: string): void {
    this.#active.onNegotiated(era, version);
  }

  reasonUnusable(tool: JsonObject): string | undefined {
    return this.#active.reasonUnusable(tool);
  }

  stderrTail(): string[] {
    return [];
  }

  async close(): Promise<void> {
    this.#closed = true;
    const sse = this.#sse?.catch(() => undefined);
    await Promise.all([this.#streamable.close(), sse?.then((channel) => channel?.close())]);
  }

  async #takeOver(post: Post, { status, rpc }: Refusal): Promise<boolean> {
    // A server that answers a modern request with a JSON-RPC error supports Streamable HTTP.
    if (!MAYBE_SSE.has(status) || (post.modern && rpc !== undefined)) return false;
    this.#sse ??= this.#openSse();
    const sse = await this.#sse;
    // HTTP+SSE is legacy only: a modern request is refused, and `initialize` follows.
    if (sse === undefined || this.#closed || post.modern) return false;
    if (!post.cancelled) sse.send(post.message, post.call);
    return true;
  }

  async #openSse(): Promise<Channel | undefined> {
    try {
      const { connectMs } = this.#settings.timeouts;
      const channel = await openSseChannel(
        this.#settings,
        this.#transport,
        this.#events,
        Math.min(connectMs, MAX_SSE_OPEN_MS),
      );
      if (this.#closed) await channel.close();
      else this.#active = channel;
      return channel;
    } catch (error) {
      if (needsSignIn(error)) throw error;
      // The response to the first message explains the failure better.
      return undefined;
    }
  }
}
