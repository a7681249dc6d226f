/**
 * Bytes of one message, kept in the chunks they arrived in. A peer may send chunks of one byte
 * each, and an object for each of them would cost a hundred times their size, so above a certain
 * number small chunks are copied together.
 */

import { occursIn } from "./find-text.ts";

const MANY = 64;
const SMALL_BYTES = 1024;
const BLOCK_BYTES = 16 * 1024;

export class ByteParts {
  #parts: Buffer[] = [];
  #bytes = 0;
  #block: Buffer | undefined;
  #filled = 0;

  get bytes(): number {
    return this.#bytes;
  }

  add(part: Buffer): void {
    if (part.length === 0) return;
    this.#bytes += part.length;
    if (this.#parts.length < MANY || part.length >= SMALL_BYTES) {
      this.#endBlock();
      this.#parts.push(part);
      return;
    }
    if (this.#filled + part.length > BLOCK_BYTES) this.#endBlock();
    this.#block ??= Buffer.allocUnsafeSlow(BLOCK_BYTES);
    this.#filled += part.copy(this.#block, this.#filled);
  }

  /** Returns all parts, none of them empty, and clears the list. */
  take(): Buffer[] {
    this.#endBlock();
    const parts = this.#parts;
    this.#parts = [];
    this.#bytes = 0;
    return parts;
  }

  #endBlock(): void {
    if (this.#block === undefined) return;
    this.#parts.push(this.#block.subarray(0, this.#filled));
    this.#block = undefined;
    this.#filled = 0;
  }
}

/** The first bytes as one buffer. */
export function headOf(parts: readonly Buffer[], count: number): Buffer {
  const [first] = parts;
  if (first !== undefined && first.length >= count) return first.subarray(0, count);
  let size = 0;
  let needed = 0;
  while (needed < parts.length && size < count) size += (parts[needed++] as Buffer).length;
  return Buffer.concat(parts.slice(0, needed), Math.min(size, count));
}

/** The last bytes as one buffer. */
export function tailOf(parts: readonly Buffer[], count: number): Buffer {
  let size = 0;
  let first = parts.length;
  while (first > 0 && size < count) size += (parts[--first] as Buffer).length;
  const last = parts.slice(first);
  const whole = last.length === 1 ? (last[0] as Buffer) : Buffer.concat(last, size);
  return whole.subarray(Math.max(0, size - count));
}

/** True if this text occurs in the bytes, however they are cut. */
export function includesText(parts: readonly Buffer[], text: string): boolean {
  const needle = Buffer.from(text);
  const overlap = needle.length - 1;
  let before: Buffer = Buffer.alloc(0);
  for (const part of parts) {
    if (occursIn(part, text)) return true;
    if (parts.length === 1) return false;
    if (Buffer.concat([before, part.subarray(0, overlap)]).includes(needle)) return true;
    before = Buffer.concat([before, part.subarray(-overlap)]).subarray(-overlap);
  }
  return false;
}

/** The parts without their first bytes; none of them is empty. */
export function withoutStart(parts: readonly Buffer[], count: number): Buffer[] {
  const rest: Buffer[] = [];
  let left = count;
  for (const part of parts) {
    if (left < part.length) rest.push(left === 0 ? part : part.subarray(left));
    left = Math.max(0, left - part.length);
  }
  return rest;
}
