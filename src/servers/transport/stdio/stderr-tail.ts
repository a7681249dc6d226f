import { stripVTControlCharacters } from "node:util";

import { type Redact, redactLines } from "../../../secrets/redact.ts";

const KEEP_BYTES = 64 * 1024;
const LINE_CHARS = 300;
/** More than is shown, so that secrets are still complete when they are removed. */
const KEPT_LINE_CHARS = 2 * LINE_CHARS;
const MAX_CHUNKS = 256;
// oxlint-disable-next-line no-control-regex -- control characters are what this removes.
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** The last bytes a server wrote to its standard error, for messages. */
export class StderrTail {
  #chunks: Buffer[] = [];
  #bytes = 0;

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes < 2 * KEEP_BYTES && this.#chunks.length < MAX_CHUNKS) return;
    const kept = Buffer.from(Buffer.concat(this.#chunks).subarray(-KEEP_BYTES));
    this.#chunks = [kept];
    this.#bytes = kept.length;
  }

  /** The last lines that are not empty, without terminal codes; `shownLines` makes them readable. */
  lines(count: number): string[] {
    if (this.#bytes === 0) return [];
    const text = stripVTControlCharacters(Buffer.concat(this.#chunks).toString("utf8"));
    return text
      .split("\n")
      .map((line) => lastState(line).replace(CONTROL, "").trimEnd())
      .filter((line) => line !== "")
      .slice(-count)
      .map((line) => line.slice(0, KEPT_LINE_CHARS));
  }
}

/** What a terminal would show of a line that was rewritten, such as the progress of a download. */
function lastState(line: string): string {
  const written = line.replace(/\r+$/, "");
  return written.slice(written.lastIndexOf("\r") + 1);
}

/** The last `count` of these lines for display: secrets removed, then cut to a readable length. */
export function shownLines(redact: Redact, lines: readonly string[], count: number): string[] {
  return redactLines(redact, lines, count).map(cutLine);
}

/** How many lines to search for the reason of a failure: more than a stack trace has. */
export const CRASH_LINES = 60;

/** The same without a stack trace: the reason of a failure is above it and would be cut off. */
export function reasonLines(redact: Redact, lines: readonly string[], count: number): string[] {
  const all = redactLines(redact, lines, lines.length);
  const telling = all.some((line) => FRAME.test(line))
    ? all.filter((line) => !FRAME.test(line) && !CRASH_NOISE.test(line))
    : all;
  return (telling.length > 0 ? telling : all).slice(-count).map(cutLine);
}

const FRAME = /^\s+at (?:async )?\S/;
/** What Node.js prints around the message: its version, the place, a marker, fields, brackets. */
const CRASH_NOISE =
  /^(?:Node\.js v\d.*|(?:node:|file:|\/).*:\d+|[\s^{}[\](),]*|\s+(?:code|errno|syscall|path|address|port|requireStack): .*)$/;

function cutLine(line: string): string {
  return line.length > LINE_CHARS ? `${line.slice(0, LINE_CHARS)}…` : line;
}
