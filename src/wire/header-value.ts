import { isUtf8 } from "node:buffer";

/** The headers of the modern era repeat values of the request; both sides use the same rules. */

const ENCODED = /^=\?base64\?(.*)\?=$/s;
const PLAIN = /^[\t\x20-\x7e]*$/;
/** Spaces at either end do not survive in a header, and an empty header may not arrive at all. */
const SAFE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** Text that a header cannot carry, or that would be taken for encoded text, is sent as base64. */
export function encodeHeaderValue(value: string): string {
  const ambiguous = value.startsWith("=?base64?") && value.endsWith("?=");
  if (SAFE.test(value) && !ambiguous) return value;
  return `=?base64?${Buffer.from(value).toString("base64")}?=`;
}

/**
 * The text that a header represents: itself, or the text inside `=?base64?…?=`. Undefined if it
 * contains characters that are not allowed in a header, or if the encoding is not exact.
 */
export function decodeHeaderValue(value: string): string | undefined {
  if (!PLAIN.test(value)) return undefined;
  const base64 = ENCODED.exec(value)?.[1];
  if (base64 === undefined) return value;
  const bytes = Buffer.from(base64, "base64");
  // Node decodes as much as it can; the value is valid only if it encodes back to the same text.
  return bytes.toString("base64") === base64 && isUtf8(bytes) ? bytes.toString("utf8") : undefined;
}

/** The parameter that the header `Mcp-Name` repeats: the tool, prompt, resource or task. */
export function namedParameterOf(method: string): string | undefined {
  return NAMED_PARAMETERS.get(method);
}

const NAMED_PARAMETERS: ReadonlyMap<string, string> = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
  ["tasks/get", "taskId"],
  ["tasks/update", "taskId"],
  ["tasks/cancel", "taskId"],
]);
