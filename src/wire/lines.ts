import { ByteParts, headOf } from "./byte-parts.ts";

/**
 * Newline framing: byte chunks in, lines out.
 *
 * A line keeps the chunks it arrived in, so that a large answer is copied into one buffer only if
 * its text is needed. Work is linear in the number of bytes, and a line longer than the limit is
 * dropped while it arrives instead of being collected.
 */

const NEWLINE = 10;
const CARRIAGE_RETURN = 13;

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
    const { parts } = this;
    const last = parts[parts.length - 1] as Buffer;
    if (last.length >= count || parts.length === 1)
      return last.toString("latin1", Math.max(0, last.length - count));
    let first = parts.length - 1;
    let size = last.length;
    while (first > 0 && size < count) size += (parts[--first] as Buffer).length;
    return Buffer.concat(parts.slice(first)).toString("latin1", Math.max(0, size - count));
  }

  /** True if this text occurs in the bytes after `from`, however they are cut. */
  includes(text: string, from = 0): boolean {
    const needle = Buffer.from(text);
    const overlap = needle.length - 1;
    let before: Buffer = NOTHING;
    let offset = 0;
    const { parts } = this;
    for (const part of parts) {
      const rest = from > offset ? part.subarray(from - offset) : part;
      offset += part.length;
      if (rest.includes(needle)) return true;
      if (parts.length === 1) return false;
      if (Buffer.concat([before, rest.subarray(0, overlap)]).includes(needle)) return true;
      before = Buffer.concat([before, rest.subarray(-overlap)]).subarray(-overlap);
    }
    return false;
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
      const end = chunk.indexOf(NEWLINE, start);
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
