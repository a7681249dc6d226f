/** What `toLowerCase` leaves of a capital I with a dot. */
const COMBINING_DOT = /\u0307/g;

/**
 * The text as readers see it that compare without regard to case, by Unicode's rules or by those of
 * some language: `ſ` is an s, `K` (Kelvin) a k, `ı` and `İ` an i. Readers in C also stop at a NUL.
 */
export function folded(text: string): string {
  const end = text.indexOf("\0");
  const read = end < 0 ? text : text.slice(0, end);
  return read.toUpperCase().toLowerCase().replace(COMBINING_DOT, "");
}
