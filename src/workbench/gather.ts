import type { Server } from "../servers/server.ts";

/** How long an answer that several servers contribute to waits for them. */
const MAX_WAIT_MS = 5000;
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
): Promise<Gathered<T>> {
  const found: { server: Server; value: T }[] = [];
  const missing: { server: Server; reason: string }[] = [];
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<typeof LATE>((resolve) => {
    timer = setTimeout(resolve, maxWaitMs, LATE);
  });
  const values = await Promise.all(
    servers.map((server) =>
      Promise.race([valueOf(server), late]).catch((): typeof FAILED => FAILED),
    ),
  );
  clearTimeout(timer);
  for (const [i, server] of servers.entries()) {
    const value = values[i];
    if (value === LATE) missing.push({ server, reason: `no answer within ${maxWaitMs} ms` });
    else if (value === FAILED) missing.push({ server, reason: "it cannot be listed now" });
    else if (value !== undefined) found.push({ server, value });
  }
  return { found, missing };
}
