import type { RemoteTransport } from "../../config/types.ts";

/**
 * How long servers want to be left alone (`Retry-After`). Kept for the configured server and not
 * for a connection to it, because the wish outlives the connection it came on.
 */

/** A wrong value must not switch a server off for days. */
const LONGEST_MS = 60 * 60 * 1000;

const until = new WeakMap<RemoteTransport, number>();

/** Milliseconds from now; undefined if the header says nothing that can be understood. */
export function retryAfterMs(header: string | undefined, now = Date.now()): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isNaN(ms) ? undefined : Math.min(LONGEST_MS, Math.max(0, ms));
}

export function leaveAlone(server: RemoteTransport, ms: number): void {
  until.set(server, performance.now() + ms);
}

/** How long the server still wants to be left alone; 0 if it does not. */
export function aloneForMs(server: RemoteTransport): number {
  return Math.max(0, (until.get(server) ?? 0) - performance.now());
}
