import type { ServerResponse as HttpResponse } from "node:http";

import type { ServerResponse } from "../../wire/response.ts";
import type { ClientOutput } from "../client-output.ts";
import type { AcceptedTypes } from "./accepted-types.ts";
import { EventStream } from "./event-stream.ts";
import type { KeepAliveTarget, KeepAlive } from "./keep-alive.ts";
import { type Headers, type Pieces, writeJson } from "./http-responses.ts";
import type { NumberedEvents } from "./numbered-events.ts";
import type { SessionStreams } from "./session-streams.ts";

/** After this many keep-alives without an answer, the response becomes a stream, which can carry them. */
const MAX_SILENT_PINGS = 2;

export interface PostReplyOptions {
  readonly accepted: AcceptedTypes;
  readonly keepAlive: KeepAlive;
  /** How many requests the body contains; more than one for a batch. */
  readonly answers?: number | undefined;
  /** The HTTP status of an error that is sent as JSON. */
  readonly statusOf?: (code: number) => number;
  /** Sent with the response, be it JSON or a stream. */
  readonly headers?: () => Headers;
  /** Makes the response one that can be continued on another connection, once it is a stream. */
  readonly streams?: SessionStreams;
  /** The requests that a stream answers. */
  readonly idTexts?: readonly string[];
  /** The client disconnected before the response was complete. */
  readonly onDisconnect: () => void;
}

/**
 * The response to one POST. It is a single JSON message if only the answer is sent, and an event stream
 * if other messages come first.
 */
export class PostReply implements ClientOutput, KeepAliveTarget {
  readonly #options: PostReplyOptions;
  #response: HttpResponse;
  #stream: EventStream | undefined;
  #events: NumberedEvents | undefined;
  #missing: number;
  #pings = 0;

  constructor(response: HttpResponse, options: PostReplyOptions) {
    this.#response = response;
    this.#options = options;
    this.#missing = options.answers ?? 1;
    this.#watch(response);
  }

  /** True while an answer is missing that this response, or a continuation of it, can carry. */
  get open(): boolean {
    return this.#missing > 0;
  }

  /** True while the client waits for an answer on an open connection. */
  get isConnected(): boolean {
    return this.open && !this.#response.destroyed;
  }

  answer(idText: string, response: ServerResponse, insert?: string): void {
    if (!this.open) return;
    this.#finish(idText, response.pieces(idText, insert), response.errorCode);
  }

  reply(idText: string, message: string): void {
    if (this.open) this.#finish(idText, [message], errorCodeOf(message, idText));
  }

  /** Sends a message before the answer; false if this response cannot carry it. */
  send(message: string): boolean {
    if (!this.open || !this.openStream()) return false;
    this.#stream?.send(message);
    return true;
  }

  /** Makes the response a stream, if the client can read one. */
  openStream(): boolean {
    if (this.#stream === undefined && this.#options.accepted.events) {
      this.#events = this.#options.streams?.openReply(this, this.#options.idTexts);
      this.#stream = new EventStream(this.#response, this.#options.headers?.(), this.#events);
    }
    return this.#stream !== undefined;
  }

  /** The client continues to read the stream on another connection, after the event with this number. */
  resume(response: HttpResponse, number: number): void {
    const events = this.#events as NumberedEvents;
    this.#stream?.cut();
    this.#response = response;
    this.#watch(response);
    this.#stream = new EventStream(response, undefined, events);
    const rest = events.after(number);
    this.#stream.write(rest.length > 0 ? rest : events.start(number));
  }

  /** Ends the response without an answer. */
  giveUp(): void {
    if (!this.open) return;
    const isStream = this.openStream();
    this.#onAnswered(0);
    if (isStream) this.#stream?.end();
    else this.#response.writeHead(202).end();
  }

  ping(): void {
    if (this.#stream !== undefined) this.#stream.ping();
    else if (++this.#pings >= MAX_SILENT_PINGS && this.openStream()) this.#sendStart();
  }

  #sendStart(): void {
    this.#stream?.write(this.#events?.start() ?? []);
  }

  #watch(response: HttpResponse): void {
    const { keepAlive, onDisconnect } = this.#options;
    const number = keepAlive.add(this);
    response.on("close", () => {
      keepAlive.remove(number);
      if (this.#response !== response) return;
      if (response.writableEnded) return;
      // A client that knows the id of an event can continue the stream.
      if (this.#events?.isKnown !== true) this.#onAnswered(0);
      onDisconnect();
    });
  }

  #onAnswered(missing: number): void {
    this.#missing = missing;
    if (missing === 0 && this.#events !== undefined)
      this.#options.streams?.closeReply(this.#events);
  }

  #finish(idText: string, message: Pieces, errorCode: number | undefined): void {
    const { accepted, answers, statusOf, headers } = this.#options;
    // The answers of a batch arrive one by one, and only a stream can carry them like that.
    if (answers !== undefined || !accepted.json) this.openStream();
    this.#onAnswered(this.#missing - 1);
    if (this.#stream === undefined) {
      const status = errorCode === undefined ? 200 : (statusOf?.(errorCode) ?? 200);
      writeJson(this.#response, status, message, headers?.());
    } else if (this.#missing === 0) this.#stream.finish(message, idText);
    else this.#stream.answer(message, idText);
  }
}

// How `errorText` writes an error. The id may be megabytes long, so the message is not parsed.
const MESSAGE_START = '{"jsonrpc":"2.0","id":';
const ERROR_START = ',"error":{"code":';
const MAX_CODE_END = ERROR_START.length + 16;

/** The error code of a message written by the workbench; undefined for a result. */
export function errorCodeOf(message: string, idText: string): number | undefined {
  const at = MESSAGE_START.length + idText.length;
  if (!message.startsWith(ERROR_START, at)) return undefined;
  return Number.parseInt(message.slice(at + ERROR_START.length, at + MAX_CODE_END), 10);
}
