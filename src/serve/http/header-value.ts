import { isUtf8 } from "node:buffer";

const ENCODED = /^=\?base64\?(.*)\?=$/s;
const PLAIN = /^[\t\x20-\x7e]*$/;

/**
 * The text a header stands for: itself, or what is inside of `=?base64?…?=`. Undefined if it holds
 * characters that a header must not, or the encoding is not exact.
 */
export function decodeHeaderValue(value: string): string | undefined {
  if (!PLAIN.test(value)) return undefined;
  const base64 = ENCODED.exec(value)?.[1];
  if (base64 === undefined) return value;
  const bytes = Buffer.from(base64, "base64");
  // Node decodes whatever it can; only what encodes back to the same text was valid.
  return bytes.toString("base64") === base64 && isUtf8(bytes) ? bytes.toString("utf8") : undefined;
}
