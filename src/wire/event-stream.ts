import { ByteParts, headOf, withoutStart } from "./byte-parts.ts";
import { Line } from "./lines.ts";
import { CARRIAGE_RETURN, LINE_FEED, SPACE } from "./characters.ts";

/**
 * Server-sent events: byte chunks in, events out.
 *
 * Works on bytes and keeps the chunks they arrived in, so that a large answer is neither decoded
 * nor copied. Time is linear in the number of bytes however they are cut, and an event above the
 * limit is dropped while it arrives instead of being collected. That is reported at once, so that
 * the reader need not wait for an end that may never come.
 */

const BYTE_ORDER_MARK = Buffer.from("\ufeff");

/** Room for a field's name in addition to the data, which the limit is about. */
const FIELD_ROOM = 16;
const FIELD_NAME = /^(data|event|id|retry)(?::|$)/;
const OVERSIZED_HEAD = 256;
const MAX_SETTING_BYTES = 1024;
/** An id is sent back in a header, so it may only contain what a header can. */
// oxlint-disable-next-line no-control-regex -- control characters are what this finds.
const UNSENDABLE = /[\u0000-\u001f\u007f]/;

/**
 * The lines of an event's data are joined by a space and not by a line feed: the data is JSON, where
 * both mean the same between two tokens, and a message has to stay on one line.
 */
const JOINT = Buffer.from(" ");

export interface EventHandlers {
  /** A complete event; `type` is "message" unless the server set another one. */
  event(type: string, data: Line): void;
  /**
   * The current event is above the limit and is dropped; `head` holds the first bytes of its data,
   * and `bytes` is how many have arrived so far.
   */
  oversized(head: Buffer, bytes: number): void;
}

export class EventStreamReader {
  /** The id of the last event, to resume after it; undefined if there is none. */
  lastEventId: string | undefined;
  /** How long the server asks to wait before reconnecting. */
  retryMs: number | undefined;
  readonly #limit: number;
  readonly #handlers: EventHandlers;
  #afterCarriageReturn = false;
  #isFirstLine = true;
  /** The current line; only the head is kept if it is above the limit. */
  readonly #line = new ByteParts();
  #lineBytes = 0;
  #lineHead: Buffer | undefined;
  /** The current event, likewise. */
  #type = "";
  #id: string | undefined;
  readonly #data = new ByteParts();
  #dataBytes = 0;
  #isOversized = false;

  constructor(limit: number, handlers: EventHandlers) {
    this.#limit = limit;
    this.#handlers = handlers;
  }

  /** How much of the current event has arrived. */
  get arriving(): number {
    return this.#dataBytes + this.#lineBytes;
  }

  /** Takes a chunk until `mayGoOn`, asked after each line, says no; gives how many bytes it took. */
  push(chunk: Buffer, mayGoOn: () => boolean = () => true): number {
    if (chunk.length === 0) return 0;
    let at = this.#afterCarriageReturn && chunk[0] === LINE_FEED ? 1 : 0;
    this.#afterCarriageReturn = false;
    let lineFeed = -1;
    let carriageReturn = -1;
    while (at < chunk.length) {
      // Each is searched for again only after it was passed. Otherwise many of one kind would cost
      // a search of the whole chunk for the other.
      if (lineFeed < at) lineFeed = orInfinity(chunk.indexOf(LINE_FEED, at));
      if (carriageReturn < at) carriageReturn = orInfinity(chunk.indexOf(CARRIAGE_RETURN, at));
      const end = Math.min(lineFeed, carriageReturn);
      if (end === Infinity) break;
      this.#addToLine(chunk.subarray(at, end));
      this.#endLine();
      at = end + 1;
      if (end === carriageReturn) {
        if (at === chunk.length) this.#afterCarriageReturn = true;
        else if (chunk[at] === LINE_FEED) at++;
      }
      if (at < chunk.length && !mayGoOn()) return at;
    }
    if (at < chunk.length) this.#addToLine(chunk.subarray(at));
    return chunk.length;
  }

  #addToLine(bytes: Buffer): void {
    this.#lineBytes += bytes.length;
    if (this.#lineHead !== undefined) return;
    this.#line.add(bytes);
    if (this.#lineBytes <= this.#limit + FIELD_ROOM) return;
    const head = Buffer.from(headOf(this.#line.take(), FIELD_ROOM + OVERSIZED_HEAD));
    this.#lineHead = head;
    this.#drop(this.#dataBytes > 0 ? this.#data.take() : (fieldOf([head])?.value ?? [head]));
  }

  #endLine(): void {
    const head = this.#lineHead;
    let parts: readonly Buffer[] = head === undefined ? this.#line.take() : [head];
    let bytes = this.#lineBytes;
    // A stream may begin with a byte order mark, which is not part of it.
    if (this.#isFirstLine && headOf(parts, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)) {
      parts = withoutStart(parts, BYTE_ORDER_MARK.length);
      bytes -= BYTE_ORDER_MARK.length;
    }
    this.#isFirstLine = false;
    this.#lineBytes = 0;
    this.#lineHead = undefined;
    if (bytes === 0) this.#endEvent();
    else this.#field(parts, bytes);
  }

  #field(parts: readonly Buffer[], bytes: number): void {
    const field = fieldOf(parts);
    if (field === undefined) return;
    const { name, value, skipped } = field;
    if (name === "data") this.#addData(value, bytes - skipped);
    else if (bytes - skipped <= MAX_SETTING_BYTES)
      this.#setting(name, Buffer.concat(value).toString("utf8"));
  }

  #addData(value: readonly Buffer[], bytes: number): void {
    const joint = this.#dataBytes > 0 ? JOINT.length : 0;
    this.#dataBytes += joint + bytes;
    if (this.#isOversized) return;
    if (joint > 0) this.#data.add(JOINT);
    for (const part of value) this.#data.add(part);
    if (this.#dataBytes > this.#limit) this.#drop(this.#data.take());
  }

  /** A reader that stops here can resume after this event, if its id is known. */
  #drop(data: readonly Buffer[]): void {
    if (this.#isOversized) return;
    this.#isOversized = true;
    this.#takeId();
    this.#handlers.oversized(Buffer.from(headOf(data, OVERSIZED_HEAD)), this.arriving);
  }

  /** An empty id resets the previous one. */
  #takeId(): void {
    if (this.#id !== undefined) this.lastEventId = this.#id === "" ? undefined : this.#id;
    this.#id = undefined;
  }

  #setting(name: string, value: string): void {
    if (name === "event") this.#type = value;
    else if (name === "id" && !UNSENDABLE.test(value)) this.#id = value;
    else if (name === "retry" && /^\d{1,9}$/.test(value)) this.retryMs = Number(value);
  }

  /** An event without data is not delivered, but its id counts: servers prime a stream that way. */
  #endEvent(): void {
    const type = this.#type === "" ? "message" : this.#type;
    const bytes = this.#dataBytes;
    const wasDropped = this.#isOversized;
    const data = this.#data.take();
    this.#takeId();
    this.#type = "";
    this.#dataBytes = 0;
    this.#isOversized = false;
    if (bytes > 0 && !wasDropped) this.#handlers.event(type, new Line(data, bytes));
  }
}

/** The field in a line, and the length of its name; undefined if the line is not a field. */
function fieldOf(
  parts: readonly Buffer[],
): { name: string; value: Buffer[]; skipped: number } | undefined {
  const head = headOf(parts, FIELD_ROOM);
  const name = FIELD_NAME.exec(head.toString("latin1"))?.[1];
  if (name === undefined) return undefined;
  let skipped = Math.min(name.length + 1, head.length);
  if (head[skipped] === SPACE) skipped++;
  return { name, value: withoutStart(parts, skipped), skipped };
}

function orInfinity(index: number): number {
  return index < 0 ? Infinity : index;
}
