/**
 * Limits on JSON that has to be parsed. JSON.parse blocks the event loop, so all clients wait while
 * one message is parsed. The text is scanned first, which takes a small part of that time.
 */

/** Deeper values can be parsed but not written again: JSON.stringify would exhaust the stack. */
export const MAX_DEPTH = 128;

/**
 * Members with distinct keys are by far the slowest to parse. Measured on a 2-core virtual machine:
 * 100,000 of them take 60 to 90 ms, 560,000 take over a second. Large strings cost next to nothing.
 */
export const MAX_MEMBERS = 100_000;

/** Elements of arrays are about ten times cheaper: 500,000 numbers or empty objects take 40 ms. */
export const MAX_ELEMENTS = 500_000;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;

/** The limit that a JSON text exceeds; undefined if it may be parsed. */
export function excessOf(text: string): string | undefined {
  // JSON of this length cannot exceed any limit.
  if (text.length <= 2 * MAX_DEPTH) return undefined;
  let depth = 0;
  let members = 0;
  let elements = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === QUOTE) i = endOfString(text, i);
    else if (c === COMMA) {
      if (++elements > MAX_ELEMENTS) return `it has more than ${MAX_ELEMENTS} elements`;
    } else if (c === COLON) {
      if (++members > MAX_MEMBERS) return `it has more than ${MAX_MEMBERS} members`;
    }
    // `[` and `{` differ in one bit from each other, as do `]` and `}`.
    else if ((c | 0x20) === 0x7b) {
      if (++depth > MAX_DEPTH) return `it is over ${MAX_DEPTH} levels deep`;
    } else if ((c | 0x20) === 0x7d) depth--;
  }
  return undefined;
}

/** JSON.parse for texts of a peer. Also throws for JSON that exceeds a limit. */
export function parseWithinLimits(text: string): unknown {
  const excess = excessOf(text);
  if (excess !== undefined) throw new Error(excess);
  return JSON.parse(text);
}

/** The same; undefined for a text that is not JSON or exceeds a limit. */
export function tryParseWithinLimits(text: string): unknown {
  try {
    return parseWithinLimits(text);
  } catch {
    return undefined;
  }
}

/** The offset of the closing quote of the string that starts at `from`. */
function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}
