import type { ServerResponse } from "../wire/response.ts";

/** The largest text that a client takes as it is. */
export interface ResultLimit {
  readonly chars?: number | undefined;
  readonly bytes?: number | undefined;
  readonly lines?: number | undefined;
}

/** A line break in JSON. */
const ESCAPED_BREAK = "\\n";

/** The number of bytes that a response may have without exceeding the limit. */
export function minBytesOf({ chars = Infinity, bytes = Infinity, lines }: ResultLimit): number {
  // JSON has at least one byte for each character and byte of a text, and two for a line break.
  return Math.min(chars, bytes, lines === undefined ? Infinity : ESCAPED_BREAK.length * lines);
}

/** False if the text in a response is certainly within the limit. */
export function mayExceed(limit: ResultLimit, response: ServerResponse): boolean {
  const { chars = Infinity, bytes = Infinity, lines = Infinity } = limit;
  if (response.bytes > Math.min(chars, bytes)) return true;
  return response.bytes > ESCAPED_BREAK.length * lines && hasMore(response.withId("0"), lines);
}

function hasMore(text: string, breaks: number): boolean {
  let found = 0;
  for (let at = text.indexOf(ESCAPED_BREAK); at >= 0; at = text.indexOf(ESCAPED_BREAK, at + 1))
    if (++found >= breaks) return true;
  return false;
}

/** Whether texts exceed the limit when they are put together. */
export function exceeds(limit: ResultLimit, texts: readonly string[]): boolean {
  const { chars = Infinity, bytes = Infinity, lines = Infinity } = limit;
  const sum = (measure: (text: string) => number): number =>
    texts.reduce((total, text) => total + measure(text), 0);
  if (sum((text) => text.length) > chars) return true;
  if (bytes !== Infinity && sum((text) => Buffer.byteLength(text)) > bytes) return true;
  return lines !== Infinity && sum(lineCount) > lines;
}

export function lineCount(text: string): number {
  let lines = 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}
