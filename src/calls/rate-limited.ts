import { type WorkbenchError, isWorkbenchError, workbenchError } from "../errors.ts";

/** Where a client finds out, in the result of a call, how long to wait. */
export const RETRY_AFTER_KEY = "mcp-workbench/retry-after-ms";

/** The cause of an error that does not occur if the call is made later. */
interface RetryLater {
  readonly retryAfterMs: number;
}

export interface ExceededRate {
  /** What is limited; empty for all calls. */
  readonly what: string;
  readonly rate: string;
  readonly waitMs: number;
}

export function rateLimited({ what, rate, waitMs }: ExceededRate): WorkbenchError {
  const wait = waitMs < 1000 ? `${waitMs} ms` : `${Math.ceil(waitMs / 1000)} s`;
  const cause: RetryLater = { retryAfterMs: waitMs };
  return workbenchError("RATE_LIMITED", { what, rate, wait }, undefined, cause);
}

/** How long to wait before the call is made again; undefined for every other error. */
export function retryAfterMsOf(error: unknown): number | undefined {
  if (!isWorkbenchError(error) || error.code !== "RATE_LIMITED") return undefined;
  return (error.cause as RetryLater).retryAfterMs;
}
