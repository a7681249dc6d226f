import {
  type Stats,
  type WriteStream,
  closeSync,
  createWriteStream,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  writeSync,
} from "node:fs";
import type { Writable } from "node:stream";

import { reasonOf } from "../errors.ts";
import { codeOf } from "../text/error-code.ts";

/** A stream with more than this unwritten loses lines; the workbench does not wait for it. */
const MAX_BACKLOG_BYTES = 1024 * 1024;
/** After this many bytes, check whether another process rotated the file. */
const CHECK_EVERY_BYTES = 16 * 1024;
/** Reserved for what other processes write to a rotated file until their next check. */
const RESERVED_BYTES = 4 * CHECK_EVERY_BYTES;

/** Writes a line unless the stream is far behind. */
export function append(stream: Writable | undefined, line: string): void {
  if (stream?.destroyed === false && stream.writableLength < MAX_BACKLOG_BYTES) stream.write(line);
}

/**
 * A file of lines that is renamed to `FILE.1` when it is full, so the two take at most twice the limit.
 * Several processes may write to the same file, and each of them may rotate it.
 */
export class RotatingFile {
  readonly #path: string;
  readonly #limit: number;
  readonly #onLost: (reason: string) => void;
  #stream: WriteStream | undefined;
  /** Identifies the open file; undefined until it is open. */
  #inode: number | undefined;
  /** The size of the file including what is not written yet. */
  #bytes = 0;
  #sinceCheck = 0;

  /** `onLost` is called at most once, with the reason why nothing is written from then on. */
  constructor(path: string, limit: number, onLost: (reason: string) => void) {
    this.#path = path;
    this.#limit = limit - RESERVED_BYTES;
    this.#onLost = onLost;
    this.#open();
  }

  write(line: string): void {
    if (this.#stream === undefined) return;
    const length = Buffer.byteLength(line);
    this.#sinceCheck += length;
    if (this.#bytes + length > this.#limit || this.#sinceCheck > CHECK_EVERY_BYTES)
      this.#makeRoom(length);
    this.#bytes += length;
    append(this.#stream, line);
  }

  close(): void {
    this.#stream?.end();
    this.#stream = undefined;
  }

  #open(): void {
    this.#bytes = statOf(this.#path)?.size ?? 0;
    this.#inode = undefined;
    const stream = createWriteStream(this.#path, { flags: "a", mode: 0o600 });
    stream.once("open", (fd) => {
      if (this.#stream === stream) this.#inode = fstatSync(fd).ino;
    });
    stream.on("error", (error) => {
      if (this.#stream === stream) this.#giveUp(error);
    });
    this.#stream = stream;
  }

  /** Makes room for `next` bytes in the current file. */
  #makeRoom(next: number): void {
    if (this.#stream === undefined || this.#inode === undefined) return;
    this.#sinceCheck = 0;
    const current = statOf(this.#path);
    if (current?.ino !== this.#inode) {
      // Another process rotated or removed it.
      this.#stream.end();
      this.#open();
      return;
    }
    // Only regular files are rotated, not terminals or pipes.
    this.#bytes = current.size + this.#stream.writableLength;
    if (current.isFile() && this.#bytes + next > this.#limit)
      this.#rotate(this.#stream, current.size);
  }

  #rotate(stream: WriteStream, size: number): void {
    const rotated = `${this.#path}.1`;
    const waiting = stream.writableLength;
    stream.end();
    try {
      renameSync(this.#path, rotated);
      if (size > this.#limit) keepEnd(rotated, Math.max(0, this.#limit - waiting));
    } catch (error) {
      // Another process rotated it first.
      if (codeOf(error) !== "ENOENT") return this.#giveUp(error);
    }
    this.#open();
  }

  #giveUp(error: unknown): void {
    this.#stream = undefined;
    this.#onLost(reasonOf(error));
  }
}

/** Shortens a file to its last whole lines, of at most this many bytes. */
function keepEnd(path: string, bytes: number): void {
  const fd = openSync(path, "r+");
  try {
    const { size } = fstatSync(fd);
    const end = Buffer.alloc(Math.min(size, bytes));
    const read = readSync(fd, end, 0, end.length, size - end.length);
    const lines = end.subarray(end.indexOf("\n") + 1, read);
    writeSync(fd, lines, 0, lines.length, 0);
    ftruncateSync(fd, lines.length);
  } finally {
    closeSync(fd);
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}
