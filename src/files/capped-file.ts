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

/** A reader or a disk that is this far behind misses lines; nobody waits for it. */
const MOST_WAITING = 1024 * 1024;
/** After so many bytes it is looked at what others did to the file. */
const LOOK_EVERY = 16 * 1024;
/** Left for what others still write to a file that was put aside, until they look. */
const ROOM_FOR_OTHERS = 4 * LOOK_EVERY;

/** Writes a line unless the stream is far behind. */
export function append(stream: Writable | undefined, line: string): void {
  if (stream?.destroyed === false && stream.writableLength < MOST_WAITING) stream.write(line);
}

/**
 * A file of lines that is put aside once, as `FILE.1`, when it is full; so it takes twice its limit at
 * most. Other programs may write to the same file and put it aside, too.
 */
export class CappedFile {
  readonly #path: string;
  readonly #limit: number;
  readonly #lost: (reason: string) => void;
  #stream: WriteStream | undefined;
  /** Which file is open; undefined until it is. */
  #inode: number | undefined;
  /** The size of the file with all that is on its way to it. */
  #bytes = 0;
  #sinceLook = 0;

  /** `lost` is told, once, why nothing is written any more. */
  constructor(path: string, limit: number, lost: (reason: string) => void) {
    this.#path = path;
    this.#limit = limit - ROOM_FOR_OTHERS;
    this.#lost = lost;
    this.#open();
  }

  write(line: string): void {
    if (this.#stream === undefined) return;
    const length = Buffer.byteLength(line);
    this.#sinceLook += length;
    if (this.#bytes + length > this.#limit || this.#sinceLook > LOOK_EVERY) this.#look(length);
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

  /** Makes room for `next` bytes, in the file that is there now. */
  #look(next: number): void {
    if (this.#stream === undefined || this.#inode === undefined) return;
    this.#sinceLook = 0;
    const there = statOf(this.#path);
    if (there?.ino !== this.#inode) {
      // Somebody else has put it aside, or taken it away.
      this.#stream.end();
      this.#open();
      return;
    }
    // Terminals, pipes and the like are never full.
    this.#bytes = there.size + this.#stream.writableLength;
    if (there.isFile() && this.#bytes + next > this.#limit)
      this.#putAside(this.#stream, there.size);
  }

  #putAside(stream: WriteStream, size: number): void {
    const aside = `${this.#path}.1`;
    const waiting = stream.writableLength;
    stream.end();
    try {
      renameSync(this.#path, aside);
      if (size > this.#limit) keepEnd(aside, Math.max(0, this.#limit - waiting));
    } catch (error) {
      // Another program was quicker.
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") return this.#giveUp(error);
    }
    this.#open();
  }

  #giveUp(error: unknown): void {
    this.#stream = undefined;
    this.#lost(reasonOf(error));
  }
}

/** Shortens a file to its last whole lines of so many bytes. */
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
