import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** No more than this is read to find the last lines. */
const MAX_TAIL_BYTES = 1024 * 1024;
/** No more than this is shown at once of what was written since. */
const MAX_NEW_BYTES = 4 * 1024 * 1024;

/**
 * Reads the end of a log file, and then what is added to it. The file may not exist yet, and may be
 * renamed or copied to `FILE.1` at any time, and begin again.
 */
export class LogTail {
  readonly #path: string;
  #inode = 0;
  /** Identifies `FILE.1`. */
  #formerInode = 0;
  #offset = 0;
  /** The beginning of a line whose end is not written yet. */
  #partial = "";

  constructor(path: string) {
    this.#path = path;
  }

  /** All lines at the end of the file, as many as fit into a limit; `lines` continues after them. */
  end(): string[] {
    const current = read(this.#path, 0, MAX_TAIL_BYTES, "end");
    const rotated = read(`${this.#path}.1`, 0, MAX_TAIL_BYTES, "end");
    this.#inode = current?.inode ?? 0;
    this.#formerInode = rotated?.inode ?? 0;
    this.#offset = current?.end ?? 0;
    return [...this.#complete(rotated?.text ?? ""), ...this.#complete(current?.text ?? "")];
  }

  /** The lines that were added since the last call. */
  lines(): string[] {
    const current = read(this.#path, 0, 0);
    if (current === undefined) return [];
    const rotated = read(`${this.#path}.1`, this.#offset, MAX_NEW_BYTES);
    const isSame = current.inode === this.#inode;
    const isCopied = isSame && rotated !== undefined && rotated.inode !== this.#formerInode;
    this.#formerInode = rotated?.inode ?? 0;
    if (isSame && !isCopied && current.size >= this.#offset) return this.#next();
    // It begins again: the rest of what it had comes first.
    const isRest = isCopied || rotated?.inode === this.#inode;
    const rest = isRest ? this.#complete(rotated?.text ?? "") : [];
    this.#inode = current.inode;
    this.#offset = 0;
    return [...rest, ...this.#next()];
  }

  #next(): string[] {
    const added = read(this.#path, this.#offset, MAX_NEW_BYTES);
    if (added === undefined) return [];
    this.#offset = added.end;
    return this.#complete(added.text);
  }

  #complete(text: string): string[] {
    const lines = (this.#partial + text).split("\n");
    this.#partial = lines.pop() ?? "";
    return lines.filter((line) => line !== "");
  }
}

interface Part {
  readonly text: string;
  readonly inode: number;
  readonly size: number;
  /** Where the part ends in the file. */
  readonly end: number;
}

/** A part of a regular file, from an offset or at its end; undefined if it cannot be read. */
function read(path: string, from: number, bytes: number, where?: "end"): Part | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(path, "r");
    const stat = fstatSync(fd);
    if (!stat.isFile()) return undefined;
    const start = where === "end" ? Math.max(0, stat.size - bytes) : from;
    const buffer = Buffer.alloc(Math.max(0, Math.min(bytes, stat.size - start)));
    const count = readSync(fd, buffer, 0, buffer.length, start);
    // A part at the end begins with the first whole line.
    const cut = where === "end" && start > 0 ? buffer.indexOf("\n") + 1 : 0;
    const text = buffer.toString("utf8", cut, count);
    return { text, inode: stat.ino, size: stat.size, end: start + count };
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
