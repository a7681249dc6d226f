import {
  closeSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { parseFileName } from "./file-names.ts";

/** One file of an audit log, open for appending. It contains whole lines only. */
export class AuditFile {
  readonly name: string;
  bytes = 0;
  /** True if an incomplete line could not be removed: nothing may follow it. */
  isDamaged = false;
  readonly #path: string;
  readonly #fd: number;

  /** Creates the file, which must not exist: no two processes write to the same file. */
  constructor(folder: string, name: string) {
    this.name = name;
    this.#path = join(folder, name);
    this.#fd = openSync(this.#path, "ax", 0o600);
  }

  /** Appends lines, all or none of them. */
  append(lines: string): void {
    const data = Buffer.from(lines);
    let written = 0;
    try {
      while (written < data.length) written += writeSync(this.#fd, data, written);
    } catch (error) {
      if (written > 0) this.#removeIncomplete();
      throw error;
    }
    this.bytes += data.length;
  }

  /** Whether its path still leads to it. */
  get isInPlace(): boolean {
    try {
      return statSync(this.#path).ino === fstatSync(this.#fd).ino;
    } catch {
      return false;
    }
  }

  close(): void {
    closeSync(this.#fd);
  }

  #removeIncomplete(): void {
    try {
      ftruncateSync(this.#fd, this.bytes);
    } catch {
      this.isDamaged = true;
    }
  }
}

/** Deletes the files of all processes from before this day. What cannot be deleted stays. */
export function removeFilesBefore(folder: string, day: string): void {
  try {
    for (const name of readdirSync(folder)) {
      const file = parseFileName(name);
      if (file !== undefined && file.day < day) rmSync(join(folder, name), { force: true });
    }
  } catch {
    // The next file will be created after another attempt.
  }
}
