import { fstatSync, readSync, writeSync } from "node:fs";
import { LINE_FEED } from "../wire/characters.ts";

/** A longer first message is left to the regular input, which limits its size. */
const MAX_FIRST_BYTES = 64 * 1024;
const STDIN = 0;
const STDOUT = 1;

export interface FirstLine {
  /** Without its line break; empty if there is no whole line. */
  readonly line: Buffer;
  /** All that was read. */
  readonly all: Buffer;
  /** Whether the stream has reported the end of the input, which it does only once. */
  readonly hasEnded: boolean;
}

/**
 * The first line of standard input. A pipe is read without the stream `process.stdin`: creating it
 * takes a millisecond, and can wait until the client has its answer.
 * Nothing else runs until the first line is there, so it may block.
 */
export async function firstLine(): Promise<FirstLine> {
  const parts: Buffer[] = [];
  if (process.platform !== "win32" && isProgramConnected() && readLine(parts))
    return joined(parts, false);
  putBack(Buffer.concat(parts));
  return fromStream();
}

/** True if standard input comes from another program or a file, and not from a terminal. */
export function isProgramConnected(): boolean {
  try {
    const stdin = fstatSync(STDIN);
    return stdin.isFIFO() || stdin.isSocket() || stdin.isFile();
  } catch {
    return false;
  }
}

/** Makes these bytes the next that are read from standard input. */
export function putBack(bytes: Buffer): void {
  if (bytes.length > 0) process.stdin.unshift(bytes);
}

/** Writes to standard output without the stream `process.stdout`: creating it takes another millisecond. */
export function writeFirst(text: string): void {
  let rest = Buffer.from(text);
  try {
    while (process.platform !== "win32" && rest.length > 0)
      rest = rest.subarray(writeSync(STDOUT, rest));
  } catch {
    // A pipe that is full for now, or closed: the stream waits, or reports it.
  }
  if (rest.length > 0) process.stdout.write(rest);
}

/** Reads a line, or up to the end or the limit; false if a pipe must not be read like this. */
function readLine(parts: Buffer[]): boolean {
  for (let bytes = 0; bytes <= MAX_FIRST_BYTES;) {
    const chunk = Buffer.allocUnsafe(MAX_FIRST_BYTES);
    let count: number;
    try {
      count = readSync(STDIN, chunk);
    } catch {
      // Usually EAGAIN: the pipe is non-blocking, and nothing has arrived yet.
      return false;
    }
    if (count === 0) return true;
    const part = chunk.subarray(0, count);
    parts.push(part);
    bytes += count;
    if (part.includes(LINE_FEED)) return true;
  }
  return true;
}

function fromStream(): Promise<FirstLine> {
  const input = process.stdin;
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    const done = (hasEnded: boolean): void => {
      input.off("data", onData);
      input.off("end", onEnd);
      input.off("close", onEnd);
      input.pause();
      resolve(joined(parts, hasEnded));
    };
    const onEnd = (): void => done(true);
    const onData = (part: Buffer): void => {
      parts.push(part);
      bytes += part.length;
      if (part.includes(LINE_FEED) || bytes > MAX_FIRST_BYTES) done(false);
    };
    input.on("data", onData);
    input.on("end", onEnd);
    input.on("close", onEnd);
  });
}

/** At the end of the input, text without a line break is a line as well. */
function joined(parts: readonly Buffer[], hasEnded: boolean): FirstLine {
  const all = Buffer.concat(parts);
  const end = all.indexOf(LINE_FEED);
  return {
    line: all.subarray(0, end < 0 && hasEnded ? all.length : Math.max(end, 0)),
    all,
    hasEnded,
  };
}
