import type { Redact } from "./redact.ts";

/** Longer messages help no reader, and searching megabytes for secrets takes seconds. */
const MAX_CHARS = 16 * 1024;
/** No secret is longer, so a secret at the cut is found as a whole. */
const MAX_SECRET_CHARS = 4 * 1024;

/** The start of a text of any length, with its secrets removed. */
export function redactStart(redact: Redact, text: string): string {
  if (text.length <= MAX_CHARS + MAX_SECRET_CHARS) return redact(text);
  const start = redact(text.slice(0, MAX_CHARS + MAX_SECRET_CHARS));
  // A secret that was cut in two may remain, at the very end.
  return `${start.slice(0, Math.max(0, start.length - MAX_SECRET_CHARS))}…`;
}
