import { isUtf8 } from "node:buffer";

const ENCODED = /^=\?base64\?(.*)\?=$/s;
const PLAIN = /^[\t\x20-\x7e]*$/;

/**
 * The text of a header, which may be encoded as `=?base64?…?=`. Undefined if it contains characters
 * that are not allowed in a header, or the encoding is not exact.
 */
export function decodeHeaderValue(value: string): string | undefined {
  if (!PLAIN.test(value)) return undefined;
  const base64 = ENCODED.exec(value)?.[1];
  if (base64 === undefined) return value;
  const bytes = Buffer.from(base64, "base64");
  // Node decodes invalid base64 as far as it can; valid text encodes back to the same.
  return bytes.toString("base64") === base64 && isUtf8(bytes) ? bytes.toString("utf8") : undefined;
}
