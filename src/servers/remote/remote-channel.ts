import type { RemoteTransport, ServerSettings } from "../../config/types.ts";
import type { Call } from "../../calls/call.ts";
import type { Era } from "../../protocol/client-profile.ts";
import type { JsonObject } from "../../wire/messages.ts";
import type { Channel, ChannelEvents } from "../channel.ts";
import { HttpChannel } from "./http-channel.ts";
import type { Post } from "./post.ts";
import type { Refusal } from "./refusal.ts";
import { openSseChannel } from "./sse-channel.ts";

/** A channel to a server with a url. This module and what it needs is loaded for such servers only. */
export async function openRemoteChannel(
  settings: ServerSettings,
  transport: RemoteTransport,
  events: ChannelEvents,
): Promise<Channel> {
  if (transport.kind === "http") return new HttpChannel(settings, transport, events);
  if (transport.kind === "sse") return openSseChannel(settings, transport, events);
  return new AutoChannel(settings, transport, events);
}

/** These responses to the first message may come from a server of the older kind. */
const MAYBE_OLDER: ReadonlySet<number> = new Set([400, 404, 405]);

/** The older kind says its first word at once; the time for the handshake must not run out on it. */
const OLDER_MS = 5000;

/**
 * Streamable HTTP, unless the response to the first message says that the server does not know it
 * and the older HTTP+SSE works.
 */
class AutoChannel implements Channel {
  readonly pid = undefined;
  readonly refusesUnknown = true;
  readonly #settings: ServerSettings;
  readonly #transport: RemoteTransport;
  readonly #events: ChannelEvents;
  readonly #streamable: HttpChannel;
  #active: Channel;
  #older: Promise<Channel | undefined> | undefined;
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

  negotiated(era: Era, version: string): void {
    this.#active.negotiated(era, version);
  }

  unusable(tool: JsonObject): string | undefined {
    return this.#active.unusable(tool);
  }

  stderrTail(): string[] {
    return [];
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([this.#streamable.close(), this.#older?.then((channel) => channel?.close())]);
  }

  async #takeOver(post: Post, { status, rpc }: Refusal): Promise<boolean> {
    // A server that responds to a modern request in its terms knows Streamable HTTP.
    if (!MAYBE_OLDER.has(status) || (post.modern && rpc !== undefined)) return false;
    this.#older ??= this.#openOlder();
    const older = await this.#older;
    // The older transport is of the older era: a modern request is refused, and `initialize` follows.
    if (older === undefined || this.#closed || post.modern) return false;
    if (!post.cancelled) older.send(post.message, post.call);
    return true;
  }

  async #openOlder(): Promise<Channel | undefined> {
    try {
      const { connectMs } = this.#settings.timeouts;
      const channel = await openSseChannel(
        this.#settings,
        this.#transport,
        this.#events,
        Math.min(connectMs, OLDER_MS),
      );
      if (this.#closed) await channel.close();
      else this.#active = channel;
      return channel;
    } catch {
      // The response to the first message is the better explanation.
      return undefined;
    }
  }
}
