import type { Call } from "../../../calls/call.ts";
import type { Line } from "../../../wire/lines.ts";
import type { ChannelEvents } from "../channel.ts";
import type { HttpResponse } from "./http-response.ts";
import type { Post } from "./post.ts";
import { RemoteFailure } from "./remote-failure.ts";
import { type MessageHandlers, readMessages } from "./response-messages.ts";
import { ResumableStream, type StreamSettings } from "./resumable-stream.ts";

/** How long a server may keep a stream open after the answer, which ends its purpose. */
const LINGER_MS = 2000;

/** Reads the responses to calls, each of which carries the answer. */
export class ResponseReader {
  readonly #source: Omit<StreamSettings, "cancellation" | "handlers">;
  readonly #events: ChannelEvents;

  constructor(source: Omit<StreamSettings, "cancellation" | "handlers">, events: ChannelEvents) {
    this.#source = source;
    this.#events = events;
  }

  /** Rejects if the response ends without the answer. */
  async read(post: Post, call: Call, response: HttpResponse): Promise<void> {
    const { http, limit } = this.#source;
    const { isEventStream } = response;
    let lingering: NodeJS.Timeout | undefined;
    const handlers: MessageHandlers = {
      line: (line: Line) => {
        this.#events.onLine(line, call);
        if (isEventStream && lingering === undefined && !this.#events.isAwaited(call))
          lingering = setTimeout(() => post.cancel(), LINGER_MS).unref();
      },
      oversized: (head: Buffer, bytes: number) => {
        // A subscription has ended by that. A call has failed, and the rest is of no use.
        if (post.isSubscription) return;
        this.#events.onOversized(head, bytes, call);
        post.cancel();
      },
    };
    try {
      if (isEventStream && !post.modern) {
        const stream = new ResumableStream({ ...this.#source, cancellation: post, handlers });
        await stream.followAnswer(response, () => !this.#events.isAwaited(call));
      } else await readMessages(response, limit, handlers);
    } finally {
      clearTimeout(lingering);
    }
    if (post.cancelled || !this.#events.isAwaited(call)) return;
    if (isEventStream) throw new RemoteFailure("truncated", http.host);
    throw new RemoteFailure("noAnswer", http.host, `HTTP ${response.status}`);
  }
}
