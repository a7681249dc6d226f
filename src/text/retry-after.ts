/**
 * The longest wait that is accepted: a wrong value, or one set by a proxy, must not disable a server
 * for a day.
 */
const MAX_WAIT_MS = 5 * 60 * 1000;

/** Milliseconds from now in a `Retry-After` header; undefined if it is missing or not valid. */
export function retryAfterMs(header: string | undefined, now = Date.now()): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isNaN(ms) ? undefined : Math.min(MAX_WAIT_MS, Math.max(0, ms));
}
