import { BACKSLASH, OPEN_BRACKET, QUOTE } from "./characters.ts";

/**
 * Finds the end of a JSON object or array in the bytes of a large message, without decoding them.
 * Most of these bytes are inside strings, which the search for a quote skips.
 */

/** Short strings are read byte by byte; the native search costs a call, but is faster in long ones. */
const WALKED_BYTES = 12;

/** The offset after the object or array that starts at `from`; undefined if it does not end. */
export function bodyEnd(parts: readonly Buffer[], from: number): number | undefined {
  const state = { depth: 0, inString: false, isEscaped: false };
  let offset = 0;
  for (const part of parts) {
    if (offset + part.length > from) {
      const end = advance(part, Math.max(0, from - offset), state);
      if (state.depth === 0 && !state.inString) return offset + end;
    }
    offset += part.length;
  }
  return undefined;
}

interface State {
  depth: number;
  inString: boolean;
  /** Whether a backslash precedes the next byte. */
  isEscaped: boolean;
}

/** Continues to the end of the value or of the part; returns that position. */
function advance(part: Buffer, start: number, state: State): number {
  const { length } = part;
  let at = state.inString ? endOfString(part, start, state) : start;
  let { depth } = state;
  while (at < length && !state.inString) {
    const c = part[at++] as number;
    if (c === QUOTE) {
      // Most strings are short, and cost less without a call.
      const walked = Math.min(length, at + WALKED_BYTES);
      let last = 0;
      while (at < walked && (last = part[at] as number) !== QUOTE && last !== BACKSLASH) at++;
      if (last === QUOTE) at++;
      else {
        state.inString = true;
        at = endOfString(part, at, state);
      }
    } else if (c >= OPEN_BRACKET) {
      // `[` and `{` differ in one bit from each other, as do `]` and `}`.
      const either = c | 0x20;
      if (either === 0x7b) depth++;
      else if (either === 0x7d && --depth <= 0) break;
    }
  }
  state.depth = depth;
  return at;
}

/** The offset after the closing quote, or the end of the part. */
function endOfString(part: Buffer, start: number, state: State): number {
  const { length } = part;
  let at = state.isEscaped ? start + 1 : start;
  state.isEscaped = false;
  for (;;) {
    const walked = Math.min(length, at + WALKED_BYTES);
    while (at < walked) {
      const c = part[at++] as number;
      if (c === BACKSLASH) at++;
      else if (c === QUOTE) {
        state.inString = false;
        return at;
      }
    }
    if (at >= length) {
      state.isEscaped = at > length;
      return length;
    }
    const quote = part.indexOf(QUOTE, at);
    const run = quote < 0 ? length : quote;
    // The backslashes right before it decide whether the quote, or the next character, is escaped.
    let first = run;
    while (first > at && part[first - 1] === BACKSLASH) first--;
    at = run + ((run - first) % 2);
    if (at === quote) {
      state.inString = false;
      return at + 1;
    }
  }
}
