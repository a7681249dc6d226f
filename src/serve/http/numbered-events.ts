import { workbenchError } from "../../errors.ts";
import { parseJson } from "../../text/json.ts";
import { elementsOf } from "../../wire/members.ts";
import { type RpcError, errorText } from "../../wire/messages.ts";
import { piecesOnOneLine } from "../../wire/lines.ts";
import type { Pieces } from "./http-responses.ts";
import { MAX_EVENT_BYTES, type SessionEvents } from "./kept-events.ts";

/** The place of an event: its stream, and its number there. */
export interface EventPlace {
  readonly stream: number;
  readonly number: number;
}

export interface EventNumbering {
  /** The start of all ids of the stream. */
  readonly prefix: string;
  /** The requests that the stream answers, as JSON, if its ids name them. */
  readonly requests?: readonly string[] | undefined;
  readonly stream: number;
  /** Whether the client can read an event that only has an id. */
  readonly hasStart: boolean;
  /** The number of the last event, if another replica has sent some. */
  readonly last?: number | undefined;
}

/** The events of one stream with their ids. A stream may outlive its connection. */
export class NumberedEvents {
  readonly #kept: SessionEvents;
  readonly #numbering: EventNumbering;
  #last: number;
  #isKnown = false;
  #unanswered: readonly string[] | undefined;
  /** The end of all ids, which names the requests without an answer. */
  #names: string;

  constructor(kept: SessionEvents, numbering: EventNumbering) {
    this.#kept = kept;
    this.#numbering = numbering;
    this.#last = numbering.last ?? 0;
    this.#unanswered = numbering.requests;
    this.#names = namesOf(numbering.requests);
  }

  get stream(): number {
    return this.#numbering.stream;
  }

  /** The number of the last event. */
  get last(): number {
    return this.#last;
  }

  /** True once the client may know the id of an event. */
  get isKnown(): boolean {
    return this.#isKnown || this.#last > 0;
  }

  /**
   * The event that a connection without any other starts with, if the client can read it. With its id, the client can
   * continue the stream even if it has received nothing else.
   */
  start(number = 0): string[] {
    this.#isKnown ||= this.#numbering.hasStart;
    return this.#numbering.hasStart ? [`${this.#idLine(number)}data: \n\n`] : [];
  }

  /** The event for a message. */
  next(message: string): string {
    const number = ++this.#last;
    const text = eventOf([message], this.#idLine(number)).join("");
    if (text.length <= MAX_EVENT_BYTES) this.#kept.keep(this.stream, number, text);
    return text;
  }

  /** The event for the answer to a request, in pieces. Of an answer that is too large to be kept, an error is kept. */
  answer(idText: string, message: Pieces): Pieces {
    const number = ++this.#last;
    this.#onAnswered(idText);
    const line = this.#idLine(number);
    const pieces = eventOf(message, line);
    const kept =
      lengthOf(pieces) <= MAX_EVENT_BYTES
        ? textOf(pieces)
        : eventOf([errorText(idText, workbenchError("ANSWER_LOST", {}).rpcError)], line).join("");
    if (kept.length <= MAX_EVENT_BYTES) this.#kept.keep(this.stream, number, kept);
    return pieces;
  }

  after(number: number): string[] {
    return this.#kept.after(this.stream, number);
  }

  #idLine(number: number): string {
    return `id: ${this.#numbering.prefix}${number}${this.#names}\n`;
  }

  #onAnswered(idText: string): void {
    if (this.#unanswered === undefined) return;
    this.#unanswered = this.#unanswered.filter((id) => id !== idText);
    this.#names = namesOf(this.#unanswered);
  }
}

/** An event ends where a line ends, whatever its reader takes for the end of a line. */
export function eventOf(message: Pieces, idLine = ""): (string | Buffer)[] {
  return [`${idLine}data: `, ...piecesOnOneLine(message), "\n\n"];
}

const EVENT_ID = /^([0-9a-f]+)-(\d{1,15})-(\d{1,15})(?:\.([\w-]+))?$/;

/** The place that an id names, if it is one of those with this prefix. */
export function placeOf(id: string, prefix: string): EventPlace | undefined {
  const match = EVENT_ID.exec(id);
  if (match === null || match[1] !== prefix) return undefined;
  return { stream: Number(match[2]), number: Number(match[3]) };
}

/** Longer ids of requests are not part of the ids of events. */
const MAX_NAMED_CHARS = 256;

function namesOf(idTexts: readonly string[] | undefined): string {
  const text = idTexts === undefined ? "" : `[${idTexts.join(",")}]`;
  if (text === "" || text.length > MAX_NAMED_CHARS) return "";
  return `.${Buffer.from(text).toString("base64url")}`;
}

/** The requests without an answer after the event with this id, as JSON; undefined if the id does not name them. */
export function unansweredIn(id: string): readonly string[] | undefined {
  const text = Buffer.from(EVENT_ID.exec(id)?.[4] ?? "", "base64url").toString("utf8");
  const ids = text.length > MAX_NAMED_CHARS ? undefined : parseJson(text);
  const isId = (value: unknown): boolean => typeof value === "string" || typeof value === "number";
  return Array.isArray(ids) && ids.every(isId) ? elementsOf(text) : undefined;
}

/** Events with an error for each request without an answer after the event with this id. */
export function lostEvents(id: string, error: RpcError): string[] {
  const [place = ""] = id.split(".");
  const unanswered = unansweredIn(id) ?? [];
  return unanswered.map((idText, i) => {
    const line = `id: ${place}${namesOf(unanswered.slice(i + 1))}\n`;
    return eventOf([errorText(idText, error)], line).join("");
  });
}

/** The id of an event. */
export function idIn(event: string): string | undefined {
  return /^id: (.*)\n/.exec(event)?.[1];
}

export function textOf(pieces: Pieces): string {
  return Buffer.concat(
    pieces.map((piece) => (typeof piece === "string" ? Buffer.from(piece) : piece)),
  ).toString("utf8");
}

export function lengthOf(pieces: Pieces): number {
  return pieces.reduce((sum, piece) => sum + piece.length, 0);
}
