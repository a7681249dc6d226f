/**
 * Bytes of one message, kept in the chunks they arrived in. A peer may send chunks of one byte
 * each, and an object for each of them would cost a hundred times their size, so above a certain
 * number small chunks are copied together.
 */

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
