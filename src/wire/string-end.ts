import { BACKSLASH, QUOTE } from "./characters.ts";

/**
 * This many characters are read one by one, then the native search looks for the next quote. It
 * costs a call: in a text full of escaped quotes, one for each would take several times as long.
 */
const WALKED_CHARS = 16;

/** The offset after the closing quote of the string that starts at `at`; what is in it may be anything. */
export function stringEnd(text: string, at: number): number {
  let i = at + 1;
  for (;;) {
    const walked = i + WALKED_CHARS;
    while (i < walked) {
      const c = text.charCodeAt(i);
      if (c === QUOTE) return i + 1;
      // NaN is the end of the text: a malformed input must not loop.
      if (c !== c) return i;
      i += c === BACKSLASH ? 2 : 1;
    }
    const end = text.indexOf('"', i);
    if (end < 0) return text.length;
    let first = end;
    while (first > i && text.charCodeAt(first - 1) === BACKSLASH) first--;
    if ((end - first) % 2 === 0) return end + 1;
    i = end + 1;
  }
}
