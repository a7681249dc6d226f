/**
 * Newline framing: byte chunks in, lines out.
 *
 * A line keeps the chunks it arrived in, so that a large answer is never copied into one buffer
 * unless somebody needs its text. Work is linear in the number of bytes, and a line longer than the
 * limit is dropped while it arrives instead of being collected.
 */

const NEWLINE = 10;
const CARRIAGE_RETURN = 13;

export class Line {
  readonly parts: readonly Buffer[];
  readonly bytes: number;
  #text: string | undefined;

  constructor(parts: readonly Buffer[], bytes: number) {
    this.parts = parts;
    this.bytes = bytes;
  }

  static of(text: string): Line {
    const bytes = Buffer.from(text);
    return new Line([bytes], bytes.length);
  }

  /** The whole line as text; decoded once. */
  get text(): string {
    this.#text ??= this.#decode();
    return this.#text;
  }

  #decode(): string {
    const [only] = this.parts;
    if (this.parts.length === 1 && only !== undefined) return only.toString("utf8");
    return Buffer.concat(this.parts, this.bytes).toString("utf8");
  }

  /** The first bytes, as one character a byte. */
  head(count: number): string {
    const first = this.parts[0] as Buffer;
    if (first.length >= count || this.parts.length === 1) return first.toString("latin1", 0, count);
    return Buffer.concat(this.parts, Math.min(this.bytes, count)).toString("latin1");
  }

  /** The last bytes, as one character a byte. */
  tail(count: number): string {
    const last = this.parts[this.parts.length - 1] as Buffer;
    if (last.length >= count || this.parts.length === 1)
      return last.toString("latin1", Math.max(0, last.length - count));
    let first = this.parts.length - 1;
    let size = last.length;
    while (first > 0 && size < count) size += (this.parts[--first] as Buffer).length;
    return Buffer.concat(this.parts.slice(first)).toString("latin1", Math.max(0, size - count));
  }
}

export interface LineHandlers {
  line(line: Line): void;
  /** A line above the limit was dropped; `head` holds its first bytes. */
  oversized(head: Buffer, bytes: number): void;
}

const OVERSIZED_HEAD = 256;

export class LineReader {
  readonly #limit: number;
  readonly #handlers: LineHandlers;
  #parts: Buffer[] = [];
  #bytes = 0;
  #dropping: Buffer | undefined;

  constructor(limit: number, handlers: LineHandlers) {
    this.#limit = limit;
    this.#handlers = handlers;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(NEWLINE, start);
      if (end < 0) break;
      this.#add(chunk, start, end);
      this.#finish();
      start = end + 1;
    }
    if (start < chunk.length) this.#add(chunk, start, chunk.length);
  }

  #add(chunk: Buffer, start: number, end: number): void {
    const size = end - start;
    this.#bytes += size;
    if (this.#dropping !== undefined) return;
    if (this.#bytes > this.#limit) {
      const head = Buffer.concat([...this.#parts, chunk.subarray(start, end)]);
      this.#dropping = Buffer.from(head.subarray(0, OVERSIZED_HEAD));
      this.#parts = [];
      return;
    }
    if (size > 0)
      this.#parts.push(start === 0 && end === chunk.length ? chunk : chunk.subarray(start, end));
  }

  #finish(): void {
    const parts = this.#parts;
    const bytes = this.#bytes;
    const dropped = this.#dropping;
    this.#parts = [];
    this.#bytes = 0;
    this.#dropping = undefined;
    if (dropped !== undefined) {
      this.#handlers.oversized(dropped, bytes);
      return;
    }
    const line = trimmed(parts, bytes);
    if (line !== undefined) this.#handlers.line(line);
  }
}

/** Drops a final carriage return; a line of nothing is no line. */
function trimmed(parts: Buffer[], bytes: number): Line | undefined {
  const last = parts[parts.length - 1];
  if (last === undefined) return undefined;
  if (last[last.length - 1] !== CARRIAGE_RETURN) return new Line(parts, bytes);
  if (bytes === 1) return undefined;
  if (last.length === 1) parts.pop();
  else parts[parts.length - 1] = last.subarray(0, last.length - 1);
  return new Line(parts, bytes - 1);
}
