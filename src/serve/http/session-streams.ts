import { randomBytes } from "node:crypto";
import type { ServerResponse as HttpResponse } from "node:http";

import { workbenchError } from "../../errors.ts";
import { EventStream } from "./event-stream.ts";
import type { Connections } from "./connections.ts";
import type { KeepAlive } from "./keep-alive.ts";
import { SessionEvents } from "./kept-events.ts";
import {
  type EventPlace,
  NumberedEvents,
  idIn,
  lostEvents,
  placeOf,
  unansweredIn,
} from "./numbered-events.ts";
import { type StreamsState, latestSmall } from "./streams-state.ts";
import { UnsolicitedMessages } from "./unsolicited-messages.ts";

const PREFIX_BYTES = 6;
const LOST = workbenchError("REPLICA_LOST", {});
/** Clients of this version and later expect an event that only has an id; earlier ones fail to read it. */
const FIRST_EVENT_VERSION = "2025-11-25";

/** A response that a client can continue to read on another connection. */
export interface ResumableReply {
  resume(response: HttpResponse, number: number): void;
}

/**
 * The event streams of a session: the one for unsolicited messages, and responses to requests. Each event has an id, which
 * names its stream, so a client that has lost a connection gets the rest of this stream and nothing of another one.
 */
export class SessionStreams {
  /** Ids of other sessions start differently, and so are unknown here. */
  #prefix = randomBytes(PREFIX_BYTES).toString("hex");
  readonly #kept: SessionEvents;
  readonly #keepAlive: KeepAlive;
  readonly #onClosed: () => void;
  readonly #replies = new Map<number, ResumableReply>();
  readonly #unsolicited = new UnsolicitedMessages();
  #events: NumberedEvents | undefined;
  #lastStream = 0;
  /** Whether a stream starts with an event that only has an id. */
  #hasFirstEvents = false;
  /** The latest of the streams that another replica had; 0 if none had any. */
  #lastOfOthers = 0;

  /** Whether another replica may have to say what became of a stream. */
  readonly #namesRequests: boolean;

  constructor(
    { keepAlive, kept }: Connections,
    onClosed: () => void,
    { namesRequests = false }: { readonly namesRequests?: boolean } = {},
  ) {
    this.#namesRequests = namesRequests;
    this.#kept = new SessionEvents(kept);
    this.#keepAlive = keepAlive;
    this.#onClosed = onClosed;
  }

  /** True while the stream for unsolicited messages is open. */
  get isListening(): boolean {
    return this.#unsolicited.open;
  }

  /** The version of the protocol is known. */
  setVersion(version: string | undefined): void {
    this.#hasFirstEvents = version !== undefined && version >= FIRST_EVENT_VERSION;
  }

  /** A response becomes a stream. */
  openReply(reply: ResumableReply, idTexts: readonly string[] = []): NumberedEvents {
    const events = this.#newEvents(idTexts);
    this.#replies.set(events.stream, reply);
    return events;
  }

  /** The last event of a response was sent; what is kept of it can still be asked for. */
  closeReply({ stream }: NumberedEvents): void {
    this.#replies.delete(stream);
  }

  /**
   * Opens the stream for unsolicited messages, or continues the one that the id of an event names. An unknown id opens a new
   * one, unless that is open: then the client learns that the stream it names has ended. False if it names none.
   */
  open(response: HttpResponse, lastId: string | undefined): boolean {
    const place = lastId === undefined ? undefined : placeOf(lastId, this.#prefix);
    if (lastId !== undefined && place !== undefined) this.#resume(response, place, lastId);
    else if (lastId !== undefined && this.#namesRequests && unansweredIn(lastId) !== undefined)
      // The replica that had this stream is lost.
      sendRest(response, lostEvents(lastId, LOST.rpcError));
    else if (this.isListening) {
      if (lastId !== undefined) response.writeHead(204).end();
      return lastId !== undefined;
    } else {
      this.#events = this.#newEvents();
      this.#listen(response, this.#events, []);
    }
    return true;
  }

  sendUnsolicited(message: string): void {
    this.#unsolicited.send(message);
  }

  /** Ends the stream for unsolicited messages; the client may open it again. */
  end(retryMs?: number): void {
    this.#unsolicited.endStream(retryMs);
  }

  /** What another replica needs to continue the streams; undefined if no client can ask for anything. */
  get state(): StreamsState | undefined {
    if (this.#lastStream === 0) return undefined;
    const { stream = 0, last = 0 } = this.#events ?? {};
    return {
      prefix: this.#prefix,
      lastStream: this.#lastStream,
      ...(stream > 0 && { own: { stream, last } }),
      events: latestSmall(this.#kept.all, ([, , text]) => text),
      unsent: latestSmall(this.#unsolicited.unsent, (message) => message),
    };
  }

  /** Continues the streams that another replica had. */
  restore({ prefix, lastStream, own, events, unsent }: StreamsState): void {
    this.#prefix = prefix;
    this.#lastStream = this.#lastOfOthers = lastStream;
    if (own !== undefined) this.#events = this.#newEvents([], own.stream, own.last);
    for (const [stream, number, text] of events) this.#kept.keep(stream, number, text);
    for (const message of unsent) this.#unsolicited.send(message);
  }

  close(): void {
    this.#unsolicited.close();
    this.#replies.clear();
    this.#kept.clear();
  }

  #resume(response: HttpResponse, { stream, number }: EventPlace, lastId: string): void {
    const reply = this.#replies.get(stream);
    if (reply !== undefined) {
      reply.resume(response, number);
      return;
    }
    const rest = this.#kept.after(stream, number);
    if (this.#events?.stream === stream) this.#listen(response, this.#events, rest, number);
    else {
      const last = idIn(rest.at(-1) ?? "") ?? lastId;
      // Another replica had to end before all answers were known.
      const lost = stream <= this.#lastOfOthers ? lostEvents(last, LOST.rpcError) : [];
      sendRest(response, [...rest, ...lost]);
    }
  }

  #listen(
    response: HttpResponse,
    events: NumberedEvents,
    rest: readonly string[],
    number = 0,
  ): void {
    const stream = new EventStream(response, undefined, events);
    const member = this.#keepAlive.add(stream);
    response.once("close", () => {
      this.#keepAlive.remove(member);
      this.#onClosed();
    });
    stream.write(rest.length > 0 ? rest : events.start(number));
    this.#unsolicited.attach(stream);
  }

  #newEvents(
    idTexts: readonly string[] = [],
    stream = ++this.#lastStream,
    last = 0,
  ): NumberedEvents {
    const isNamed = this.#namesRequests && idTexts.length > 0;
    return new NumberedEvents(this.#kept, {
      prefix: `${this.#prefix}-${stream}-`,
      requests: isNamed ? idTexts : undefined,
      stream,
      hasStart: this.#hasFirstEvents,
      last,
    });
  }
}

/** Sends the last events of a stream. If there are none, 204 says that it has ended: the client does not connect again. */
function sendRest(response: HttpResponse, events: readonly string[]): void {
  if (events.length === 0) {
    response.writeHead(204).end();
    return;
  }
  const stream = new EventStream(response);
  stream.write(events);
  stream.end();
}
