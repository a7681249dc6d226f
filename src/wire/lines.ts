/**
 * Newline framing, as messages travel through pipes: `LineReader` finds the lines in what arrives,
 * `Outbox` writes messages as lines.
 *
 * A line that arrives keeps its chunks, so that a large answer is copied into one buffer only if its
 * text is needed. Work is linear in the number of bytes, and a line longer than the limit is dropped
 * while it arrives instead of being collected.
 *
 * A message that is written is one line for any reader, whatever it treats as the end of a line.
 * `node:readline` also ends lines at a carriage return, U+2028 and U+2029, Python's text streams at
 * a carriage return, and its `splitlines` at several control characters and U+0085. In JSON, line
 * breaks are white space between tokens, so a space can replace them. The other control characters
 * occur nowhere in JSON. The rest may occur in strings, where an escape means the same.
 */
import { isAscii } from "node:buffer";
import type { Writable } from "node:stream";

import { unicodeEscape } from "../text/safe-text.ts";
import { ByteParts, headOf, includesText, tailOf } from "./byte-parts.ts";
import { CARRIAGE_RETURN, LINE_FEED, SPACE } from "./characters.ts";

export class Line {
  readonly bytes: number;
  /** The single chunk that contains the whole line, or all parts of it. */
  readonly #in: Buffer | readonly Buffer[];
  /** Where it starts in the single chunk. */
  readonly #start: number;
  #text: string | undefined;

  constructor(within: Buffer | readonly Buffer[], bytes: number, start = 0) {
    this.#in = within;
    this.bytes = bytes;
    this.#start = start;
  }

  static of(text: string): Line {
    const bytes = Buffer.from(text);
    return new Line(bytes, bytes.length);
  }

  get parts(): readonly Buffer[] {
    if (!Buffer.isBuffer(this.#in)) return this.#in;
    return [this.#in.subarray(this.#start, this.#start + this.bytes)];
  }

  /** The whole line as text; decoded once. */
  get text(): string {
    this.#text ??= this.#decode();
    return this.#text;
  }

  #decode(): string {
    if (Buffer.isBuffer(this.#in))
      return this.#in.toString("utf8", this.#start, this.#start + this.bytes);
    return Buffer.concat(this.#in, this.bytes).toString("utf8");
  }

  /** The first bytes, one character per byte. */
  head(count: number): string {
    return headOf(this.parts, count).toString("latin1");
  }

  /** The last bytes, one character per byte. */
  tail(count: number): string {
    return tailOf(this.parts, count).toString("latin1");
  }

  /** True if this text occurs in the bytes. */
  includes(text: string): boolean {
    return includesText(this.parts, text);
  }
}

const NOTHING = Buffer.alloc(0);

export interface LineHandlers {
  line(line: Line): void;
  /** A line above the limit was dropped; `head` and `tail` are its first and last bytes. */
  oversized(head: Buffer, bytes: number, tail: Buffer): void;
}

const OVERSIZED_HEAD = 256;
const OVERSIZED_TAIL = 128;

export class LineReader {
  readonly #limit: number;
  readonly #handlers: LineHandlers;
  readonly #kept = new ByteParts();
  /** The length of the current line, including a dropped one. */
  #bytes = 0;
  /** The first bytes of a dropped line. */
  #dropping: Buffer | undefined;
  /** The last bytes of a dropped line that have arrived. */
  #tail: Buffer = NOTHING;

  constructor(limit: number, handlers: LineHandlers) {
    this.#limit = limit;
    this.#handlers = handlers;
  }

  /** Takes a chunk until `mayGoOn`, asked after each line, says no; gives how many bytes it took. */
  push(chunk: Buffer, mayGoOn: () => boolean = () => true): number {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(LINE_FEED, start);
      if (end < 0) break;
      if (this.#bytes === 0 && end - start <= this.#limit) this.#whole(chunk, start, end);
      else {
        this.#add(chunk, start, end);
        this.#finish();
      }
      start = end + 1;
      if (start < chunk.length && !mayGoOn()) return start;
    }
    if (start < chunk.length) this.#add(chunk, start, chunk.length);
    return chunk.length;
  }

  /** A line within a single chunk needs no parts. */
  #whole(chunk: Buffer, start: number, end: number): void {
    const bytes = end - start - (chunk[end - 1] === CARRIAGE_RETURN && end > start ? 1 : 0);
    if (bytes > 0) this.#handlers.line(new Line(chunk, bytes, start));
  }

  #add(chunk: Buffer, start: number, end: number): void {
    this.#bytes += end - start;
    if (this.#dropping !== undefined) {
      this.#keepTail(chunk.subarray(Math.max(start, end - OVERSIZED_TAIL), end));
      return;
    }
    const part = start === 0 && end === chunk.length ? chunk : chunk.subarray(start, end);
    this.#kept.add(part);
    if (this.#bytes <= this.#limit) return;
    const parts = this.#kept.take();
    this.#dropping = Buffer.from(headOf(parts, OVERSIZED_HEAD));
    for (const last of parts.slice(-OVERSIZED_TAIL)) this.#keepTail(last);
  }

  #keepTail(bytes: Buffer): void {
    this.#tail = Buffer.from(
      Buffer.concat([this.#tail, bytes.subarray(-OVERSIZED_TAIL)]).subarray(-OVERSIZED_TAIL),
    );
  }

  /** End of input: text after the last line break is a line as well. */
  end(): void {
    if (this.#bytes > 0) this.#finish();
  }

  #finish(): void {
    const parts = this.#kept.take();
    const bytes = this.#bytes;
    const dropped = this.#dropping;
    const tail = this.#tail;
    this.#bytes = 0;
    this.#dropping = undefined;
    if (dropped !== undefined) {
      this.#tail = NOTHING;
      this.#handlers.oversized(dropped, bytes, tail);
      return;
    }
    const line = trimmed(parts, bytes);
    if (line !== undefined) this.#handlers.line(line);
  }
}

/** Removes a final carriage return; an empty line is not a line. */
function trimmed(parts: Buffer[], bytes: number): Line | undefined {
  const last = parts[parts.length - 1];
  if (last === undefined) return undefined;
  if (last[last.length - 1] !== CARRIAGE_RETURN) return new Line(parts, bytes);
  if (bytes === 1) return undefined;
  if (last.length === 1) parts.pop();
  else parts[parts.length - 1] = last.subarray(0, last.length - 1);
  return new Line(parts, bytes - 1);
}

/** `\n \v \f \r`, and the separators from FS to US. */
const CONTROLS = [0x0a, 0x0b, 0x0c, 0x0d, 0x1c, 0x1d, 0x1e, 0x1f];
const SEPARATORS = /[\n\r\u0085\u2028\u2029]/g;
/** The first byte of a longer separator in UTF-8, after which it may be cut. */
const CUT_SEPARATOR = /(?:\u00c2|\u00e2\u0080?)$/;
const MAX_CUT = 2;
const NEXT_LINE = Buffer.from("\u0085");
const LINE_SEPARATOR = Buffer.from("\u2028");
const PARAGRAPH_SEPARATOR = Buffer.from("\u2029");

/** JSON text without separators. Characters that JSON never allows are not checked. */
export function onOneLine(json: string): string {
  return hasSeparator(json) ? json.replace(SEPARATORS, substitute) : json;
}

/** Searches for one character at a time are several times as fast as a regular expression. */
function hasSeparator(json: string): boolean {
  return (
    json.includes("\r") ||
    json.includes("\n") ||
    json.includes("\u2028") ||
    json.includes("\u2029") ||
    json.includes("\u0085")
  );
}

function substitute(separator: string): string {
  return separator.charCodeAt(0) < SPACE ? " " : unicodeEscape(separator);
}

/** The same for a text in pieces, which need not be JSON. Copies only those with a separator. */
export function piecesOnOneLine(pieces: readonly (string | Buffer)[]): (string | Buffer)[] {
  const safe: (string | Buffer)[] = [];
  let held: Buffer | undefined;
  for (const piece of pieces) {
    if (typeof piece === "string" && held === undefined) {
      safe.push(onOneLine(piece));
      continue;
    }
    const bytes = typeof piece === "string" ? Buffer.from(piece) : piece;
    const whole = held === undefined ? bytes : Buffer.concat([held, bytes]);
    const cut = cutLength(whole);
    held = cut === 0 ? undefined : whole.subarray(whole.length - cut);
    const rest = cut === 0 ? whole : whole.subarray(0, whole.length - cut);
    if (rest.length > 0) safe.push(bytesOnOneLine(rest));
  }
  if (held !== undefined) safe.push(held);
  return safe;
}

/** The number of bytes at the end that may start a separator. */
function cutLength(bytes: Buffer): number {
  const last = bytes.length === 0 ? 0 : (bytes[bytes.length - 1] as number);
  if (last !== 0xc2 && last !== 0xe2 && last !== 0x80) return 0;
  const end = bytes.toString("latin1", Math.max(0, bytes.length - MAX_CUT));
  return CUT_SEPARATOR.exec(end)?.[0].length ?? 0;
}

function bytesOnOneLine(bytes: Buffer): Buffer {
  const safe = withoutControls(bytes);
  if (isAscii(safe)) return safe;
  const isOneLine =
    !safe.includes(NEXT_LINE) &&
    !safe.includes(LINE_SEPARATOR) &&
    !safe.includes(PARAGRAPH_SEPARATOR);
  return isOneLine ? safe : escaped(safe);
}

/** Invalid UTF-8 stays unchanged, so the bytes must not be decoded. */
function escaped(bytes: Buffer): Buffer {
  const text = bytes.toString("latin1");
  const safe = text.replace(/\u00c2\u0085|\u00e2\u0080[\u00a8\u00a9]/g, (separator) =>
    substitute(Buffer.from(separator, "latin1").toString("utf8")),
  );
  return Buffer.from(safe, "latin1");
}

function withoutControls(bytes: Buffer): Buffer {
  let safe = bytes;
  for (const control of CONTROLS) {
    for (let at = safe.indexOf(control); at >= 0; at = safe.indexOf(control, at + 1)) {
      // The buffer may be shared with other code.
      if (safe === bytes) safe = Buffer.from(bytes);
      safe[at] = SPACE;
    }
  }
  return safe;
}

/** Its reactions run when the current work is done. `queueMicrotask` does the same at several times the cost. */
const TURN = Promise.resolve();

/**
 * Writes messages as lines. Collects what is written during one turn of the event loop and passes it
 * to the stream at once: many small messages cost one system call, and large buffers are never copied.
 */
export class Outbox {
  readonly #stream: Writable;
  #items: (string | Buffer)[] = [];
  /** The size of the items, in characters and bytes. */
  #collected = 0;
  #onlyText = true;
  #scheduled = false;

  constructor(stream: Writable) {
    this.#stream = stream;
  }

  /** About how many bytes are still unread at the other end of the stream. */
  get backlog(): number {
    return this.#stream.writableLength + this.#collected;
  }

  /** Writes text in front of the next message, on its line. */
  prefix(text: string): void {
    this.#items.push(text);
    this.#collected += text.length;
  }

  /** Writes a message that is JSON text. */
  line(message: string): void {
    this.#items.push(`${onOneLine(message)}\n`);
    this.#collected += message.length;
    this.#schedule();
  }

  /** Writes a message in pieces, which need not be JSON. */
  pieces(message: readonly (string | Buffer)[]): void {
    this.#items.push(...piecesOnOneLine(message), "\n");
    for (const piece of message) this.#collected += piece.length;
    this.#onlyText = false;
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    void TURN.then(this.#flush);
  }

  readonly #flush = (): void => {
    const items = this.#items;
    const onlyText = this.#onlyText;
    this.#items = [];
    this.#collected = 0;
    this.#onlyText = true;
    this.#scheduled = false;
    if (this.#stream.destroyed || this.#stream.writableEnded) return;
    if (onlyText) {
      this.#stream.write(items.length === 1 ? (items[0] as string) : items.join(""), "utf8");
      return;
    }
    this.#stream.cork();
    for (const item of items) this.#stream.write(item);
    this.#stream.uncork();
  };
}
