import { randomBytes } from "node:crypto";
import { ensurePrivateDir } from "../config/directories.ts";
import { reasonOf } from "../errors.ts";
import { VERSION } from "../version.ts";
import { AuditFile, removeFilesBefore } from "./audit-file.ts";
import { type ChainEnd, NEW_CHAIN, chained, endAfter } from "./chain.ts";
import { auditFileName, dayOf, oldestKeptDay } from "./file-names.ts";

/** Entries are written together this long after the first of them. */
const COMMIT_MS = 40;
const MAX_FILE_BYTES = 64 * 1024 * 1024;
/** Entries above this are written at once. */
const MAX_BATCH_BYTES = 256 * 1024;
/** What is kept in memory while nothing can be written; entries beyond it are counted only. */
const MAX_PENDING_BYTES = 4 * 1024 * 1024;
/** How often to check whether the file was removed. */
const CHECK_MS = 1000;

export interface AuditLogOptions {
  readonly folder: string;
  readonly retainDays: () => number;
  /** Called when writing fails for the first time, and again after it has worked in between. */
  readonly onProblem: (reason: string) => void;
  readonly now?: () => number;
  readonly maxFileBytes?: number;
}

/**
 * The audit log of this process: a chain of entries in files that no other process writes to. Files
 * are created with the first entry, for each day, and when the current one is full.
 */
export class AuditLog {
  readonly run = `${process.pid}-${randomBytes(4).toString("hex")}`;
  readonly #options: AuditLogOptions;
  readonly #now: () => number;
  /** Entries that are not written yet, as JSON objects. */
  #pending: string[] = [];
  #pendingBytes = 0;
  /** Entries that did not fit into memory. */
  #lost = 0;
  #timer: NodeJS.Timeout | undefined;
  #file: AuditFile | undefined;
  #day = "";
  #part = 0;
  #previous: string | undefined;
  #end: ChainEnd = NEW_CHAIN;
  #checkedAt = 0;
  #problem: string | undefined;

  constructor(options: AuditLogOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** Adds an entry, which is written a little later. */
  add(body: string): void {
    if (this.#pendingBytes + body.length > MAX_PENDING_BYTES) this.#lost++;
    else {
      this.#pending.push(body);
      this.#pendingBytes += body.length;
    }
    if (this.#pendingBytes > MAX_BATCH_BYTES && this.#problem === undefined) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), COMMIT_MS);
  }

  /** Writes all entries now, and creates the file if there is none; returns why that failed. */
  flush(): string | undefined {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    try {
      let file = this.#currentFile();
      do file = this.#writeBatch(file);
      while (this.#pending.length > 0 || this.#lost > 0);
      this.#problem = undefined;
    } catch (error) {
      const isNew = this.#problem === undefined;
      this.#problem = reasonOf(error);
      if (isNew) this.#options.onProblem(this.#problem);
    }
    return this.#problem;
  }

  /** Writes what is pending. The log can be used afterwards. */
  close(): void {
    if (this.#pending.length > 0 || this.#lost > 0) this.flush();
    this.#previous = this.#file?.name ?? this.#previous;
    this.#file?.close();
    this.#file = undefined;
  }

  /** Writes as many entries as fit into one batch. */
  #writeBatch(current: AuditFile): AuditFile {
    let file = current;
    let count = 0;
    let size = 0;
    while (count < this.#pending.length && (count === 0 || size < MAX_BATCH_BYTES)) {
      size += this.#pending[count]?.length ?? 0;
      count++;
    }
    const bodies = this.#pending.slice(0, count);
    if (count === this.#pending.length && this.#lost > 0) bodies.push(this.#lostEntry());
    if (bodies.length === 0 && file.bytes > 0) return file;
    const limit = this.#options.maxFileBytes ?? MAX_FILE_BYTES;
    if (file.bytes > 0 && file.bytes + size > limit) file = this.#openNext();
    if (file.bytes === 0) bodies.unshift(this.#startEntry());
    let end = this.#end;
    let text = "";
    for (const body of bodies) {
      const line = chained(end, this.run, body);
      end = endAfter(end, line);
      text += `${line}\n`;
    }
    file.append(text);
    this.#end = end;
    if (count === this.#pending.length) this.#lost = 0;
    this.#pending = this.#pending.slice(count);
    this.#pendingBytes = this.#pending.reduce((sum, { length }) => sum + length, 0);
    return file;
  }

  #currentFile(): AuditFile {
    const now = this.#now();
    const file = this.#file;
    if (file === undefined || file.isDamaged || dayOf(now) !== this.#day) return this.#openNext();
    if (Math.abs(now - this.#checkedAt) < CHECK_MS) return file;
    this.#checkedAt = now;
    return file.isInPlace ? file : this.#openNext();
  }

  #openNext(): AuditFile {
    const { folder, retainDays } = this.#options;
    const now = this.#now();
    const day = dayOf(now);
    ensurePrivateDir(folder);
    removeFilesBefore(folder, oldestKeptDay(now, retainDays()));
    const next = new AuditFile(folder, auditFileName(day, this.run, this.#part));
    this.#file?.close();
    this.#previous = this.#file?.name ?? this.#previous;
    this.#file = next;
    this.#day = day;
    this.#part++;
    this.#checkedAt = now;
    return next;
  }

  /** The first entry of every file. */
  #startEntry(): string {
    return JSON.stringify({
      time: this.#time(),
      event: "start",
      pid: process.pid,
      version: VERSION,
      retainDays: this.#options.retainDays(),
      previous: this.#previous,
    });
  }

  #lostEntry(): string {
    return JSON.stringify({ time: this.#time(), event: "lost", count: this.#lost });
  }

  #time(): string {
    return new Date(this.#now()).toISOString();
  }
}
