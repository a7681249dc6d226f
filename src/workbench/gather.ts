import type { Server } from "../servers/server.ts";

/** How long an answer that several servers contribute to waits for them. */
const MAX_WAIT_MS = 5000;
/** The same for servers that an earlier answer has waited for without success. */
const LATE_WAIT_MS = 250;
const LATE = Symbol("late");
const FAILED = Symbol("failed");

/** The values of several servers, in the order of the configuration. */
export interface Gathered<T> {
  readonly found: readonly { readonly server: Server; readonly value: T }[];
  /** The servers that failed or did not answer in time. */
  readonly missing: readonly { readonly server: Server; readonly reason: string }[];
}

/**
 * Asks several servers at once. No server can hold up the others: what has not arrived in time is
 * missing. A server without a value is in neither list.
 */
export async function gather<T>(
  servers: readonly Server[],
  valueOf: (server: Server) => Promise<T | undefined>,
  maxWaitMs = MAX_WAIT_MS,
  isLate: (server: Server) => boolean = () => false,
): Promise<Gathered<T>> {
  const found: { server: Server; value: T }[] = [];
  const missing: { server: Server; reason: string }[] = [];
  const timers: NodeJS.Timeout[] = [];
  const after = (ms: number): Promise<typeof LATE> =>
    new Promise((resolve) => void timers.push(setTimeout(resolve, ms, LATE)));
  const limit = after(maxWaitMs);
  const shortLimit = after(LATE_WAIT_MS);
  const values = await Promise.all(
    servers.map((server) =>
      Promise.race([valueOf(server), isLate(server) ? shortLimit : limit]).catch(
        (): typeof FAILED => FAILED,
      ),
    ),
  );
  for (const timer of timers) clearTimeout(timer);
  for (const [i, server] of servers.entries()) {
    const value = values[i];
    if (value === LATE) missing.push({ server, reason: `no answer within ${maxWaitMs} ms` });
    else if (value === FAILED) missing.push({ server, reason: "it cannot be listed now" });
    else if (value !== undefined) found.push({ server, value });
  }
  return { found, missing };
}
