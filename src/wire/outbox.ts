import { isAscii } from "node:buffer";
import type { Writable } from "node:stream";

/**
 * Messages as lines: each is one line for any reader, whatever that takes for the end of a line.
 * `node:readline` also ends lines at a carriage return, U+2028 and U+2029, Python's text streams at
 * a carriage return, and its `splitlines` at several control characters and U+0085.
 *
 * In JSON, line breaks are white space between tokens, so a space can replace them. The other
 * control characters occur nowhere in JSON. The rest may occur in strings, where an escape means
 * the same.
 */

/** `\n \v \f \r`, and the separators from FS to US. */
const CONTROLS = [0x0a, 0x0b, 0x0c, 0x0d, 0x1c, 0x1d, 0x1e, 0x1f];
const SEPARATORS = /[\n\r\u0085\u2028\u2029]/g;
const SPACE = 0x20;
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
  const code = separator.charCodeAt(0);
  return code < SPACE ? " " : `\\u${code.toString(16).padStart(4, "0")}`;
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
    queueMicrotask(this.#flush);
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
