import { type WriteStream, createWriteStream, renameSync, statSync } from "node:fs";
import type { Writable } from "node:stream";

import type { WorkbenchSettings } from "./config/types.ts";
import type { Redact } from "./text/redact.ts";

/** What happened, for the person who runs the workbench. Standard output is the protocol's. */
export interface Logger {
  debug(message: string, about?: LogFields): void;
  info(message: string, about?: LogFields): void;
  warn(message: string, about?: LogFields): void;
  error(message: string, about?: LogFields): void;
}

export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

type Level = keyof Logger;

const ORDER = ["debug", "info", "warn", "error", "silent"];
const FILE_BYTES = 10 * 1024 * 1024;
/** A reader or a disk that is this far behind misses lines; nobody waits for it. */
const MOST_WAITING = 1024 * 1024;

export const NO_LOG: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

export function createLogger(settings: WorkbenchSettings["log"], redact: Redact): Logger {
  const least = ORDER.indexOf(settings.level);
  const file =
    settings.file === undefined
      ? undefined
      : new LogFile(settings.file, (reason) => write("warn", `log file lost: ${reason}`));
  // A reader that is gone or a disk that is full must never stop the serving.
  if (!process.stderr.listeners("error").includes(ignore)) process.stderr.on("error", ignore);
  const write = (level: Level, message: string, about: LogFields = {}): void => {
    if (ORDER.indexOf(level) < least) return;
    const line = redact(
      settings.format === "json"
        ? jsonLine(level, message, about)
        : textLine(level, message, about),
    );
    append(process.stderr, line);
    file?.write(line);
  };
  return {
    debug: (message, about) => write("debug", message, about),
    info: (message, about) => write("info", message, about),
    warn: (message, about) => write("warn", message, about),
    error: (message, about) => write("error", message, about),
  };
}

const ignore = (): void => {};

function append(stream: Writable | undefined, line: string): void {
  if (stream?.destroyed === false && stream.writableLength < MOST_WAITING) stream.write(line);
}

function jsonLine(level: Level, message: string, about: LogFields): string {
  return `${JSON.stringify({ time: new Date().toISOString(), level, message, ...about })}\n`;
}

// oxlint-disable-next-line no-control-regex -- control characters are what this removes.
const CONTROL = /[\u0000-\u001f\u007f]+/g;

function textLine(level: Level, message: string, about: LogFields): string {
  const fields = Object.entries(about)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}=${typeof value === "string" ? JSON.stringify(value) : value}`);
  // What servers wrote may be in the message: it must not be able to look like a line of ours.
  const oneLine = message.replace(CONTROL, " ");
  return `${new Date().toISOString()} ${level.toUpperCase().padEnd(5)} ${oneLine}${fields.join("")}\n`;
}

/** A log file that is put aside once when it is full, so that it takes twice its limit at most. */
class LogFile {
  readonly #path: string;
  readonly #lost: (reason: string) => void;
  #stream: WriteStream | undefined;
  #bytes = 0;

  /** `lost` is told, once, why nothing is written any more. */
  constructor(path: string, lost: (reason: string) => void) {
    this.#path = path;
    this.#lost = lost;
    this.#open();
  }

  write(line: string): void {
    if (this.#stream === undefined) return;
    this.#bytes += Buffer.byteLength(line);
    if (this.#bytes > FILE_BYTES) this.#rotate(Buffer.byteLength(line));
    append(this.#stream, line);
  }

  #open(): void {
    this.#bytes = sizeOf(this.#path);
    this.#stream = createWriteStream(this.#path, { flags: "a", mode: 0o600 });
    this.#stream.once("error", (error) => this.#giveUp(error));
    this.#stream.on("error", ignore);
  }

  #rotate(next: number): void {
    this.#stream?.end();
    try {
      renameSync(this.#path, `${this.#path}.1`);
    } catch (error) {
      this.#giveUp(error);
      return;
    }
    this.#open();
    this.#bytes += next;
  }

  #giveUp(error: unknown): void {
    if (this.#stream === undefined) return;
    this.#stream = undefined;
    this.#lost(error instanceof Error ? error.message : String(error));
  }
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}
