/** The character that `toLowerCase` adds to the i for a capital I with a dot. */
const COMBINING_DOT = /\u0307/g;

/**
 * The text as seen by programs that ignore case, by Unicode's rules or those of some language: `ſ` is an
 * s, `K` (Kelvin) a k, `ı` and `İ` an i. Programs in C also stop at a NUL.
 */
export function foldCase(text: string): string {
  const end = text.indexOf("\0");
  const read = end < 0 ? text : text.slice(0, end);
  return read.toUpperCase().toLowerCase().replace(COMBINING_DOT, "");
}
