const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * True if objects and arrays of a JSON text stand inside each other more than `limit` deep. Such a
 * text can be parsed but not written again, and nobody sends one in good faith.
 */
export function deeperThan(text: string, limit: number): boolean {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === QUOTE) i = endOfString(text, i);
    // `[` and `{` differ in one bit from each other, as do `]` and `}`.
    else if ((c | 0x20) === 0x7b && ++depth > limit) return true;
    else if ((c | 0x20) === 0x7d) depth--;
  }
  return false;
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
