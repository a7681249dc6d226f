import type { ServerResponse as HttpResponse } from "node:http";

import { piecesOnOneLine } from "../../wire/lines.ts";
import type { ServerResponse } from "../../wire/response.ts";
import type { ClientOutput } from "../client-output.ts";
import type { AcceptedTypes } from "./accepted-types.ts";
import { EventStream } from "./event-stream.ts";
import type { KeepAliveTarget, KeepAlive } from "./keep-alive.ts";
import { type Headers, type Pieces, writeJson } from "./http-responses.ts";

/** After this many keep-alives without an answer, the response becomes a stream, which can carry them. */
const MAX_SILENT_PINGS = 2;

export interface PostReplyOptions {
  readonly accepted: AcceptedTypes;
  readonly keepAlive: KeepAlive;
  /** How many requests the body contains; more than one for a batch. */
  readonly answers?: number;
  /** The HTTP status of an error that is sent as JSON. */
  readonly statusOf?: (code: number) => number;
  /** Sent with the response, be it JSON or a stream. */
  readonly headers?: () => Headers;
  /** The client disconnected before the response was complete. */
  readonly onDisconnect: () => void;
}

/**
 * The response to one POST. It is a single JSON message if only the answer is sent, and an event stream
 * if other messages come first.
 */
export class PostReply implements ClientOutput, KeepAliveTarget {
  readonly #response: HttpResponse;
  readonly #options: PostReplyOptions;
  #stream: EventStream | undefined;
  #missing: number;
  #pings = 0;

  constructor(response: HttpResponse, options: PostReplyOptions) {
    this.#response = response;
    this.#options = options;
    this.#missing = options.answers ?? 1;
    options.keepAlive.add(this);
    response.once("close", () => {
      options.keepAlive.remove(this);
      if (response.writableEnded) return;
      this.#missing = 0;
      options.onDisconnect();
    });
  }

  /** True while an answer is missing. */
  get open(): boolean {
    return this.#missing > 0;
  }

  answer(idText: string, response: ServerResponse, insert?: string): void {
    if (!this.open) return;
    this.#finish(response.pieces(idText, insert), response.errorCode);
  }

  reply(idText: string, message: string): void {
    if (this.open) this.#finish([message], errorCodeOf(message, idText));
  }

  /** Sends a message before the answer; false if this response cannot carry it. */
  send(message: string): boolean {
    if (!this.open || !this.openStream()) return false;
    this.#stream?.send(message);
    return true;
  }

  /** Makes the response a stream, if the client can read one. */
  openStream(): boolean {
    if (this.#stream === undefined && this.#options.accepted.events)
      this.#stream = new EventStream(this.#response, this.#options.headers?.());
    return this.#stream !== undefined;
  }

  /** Ends the response without an answer. */
  giveUp(): void {
    if (!this.open) return;
    this.#missing = 0;
    if (this.openStream()) this.#stream?.end();
    else this.#response.writeHead(202).end();
  }

  ping(): void {
    if (this.#stream !== undefined) this.#stream.ping();
    else if (++this.#pings >= MAX_SILENT_PINGS) this.openStream();
  }

  #finish(message: Pieces, errorCode: number | undefined): void {
    const { accepted, answers, statusOf, headers } = this.#options;
    // The answers of a batch arrive one by one, and only a stream can carry them like that.
    if (answers !== undefined || !accepted.json) this.openStream();
    this.#missing--;
    if (this.#stream === undefined) {
      const status = errorCode === undefined ? 200 : (statusOf?.(errorCode) ?? 200);
      writeJson(this.#response, status, message, headers?.());
    } else if (this.#missing === 0) this.#stream.finish(message);
    else this.#stream.send(textOf(piecesOnOneLine(message)));
  }
}

function textOf(pieces: Pieces): string {
  return Buffer.concat(
    pieces.map((piece) => (typeof piece === "string" ? Buffer.from(piece) : piece)),
  ).toString("utf8");
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
