import { retryAfterMs } from "../../../text/retry-after.ts";
import type { RetryAfter } from "../retry-after.ts";
import type { HttpResponse } from "./http-response.ts";
import { RemoteFailure, statusFailure } from "./remote-failure.ts";

/**
 * What an error response means. If it asks for a pause (`Retry-After`), later requests wait for
 * that time.
 */
export function refusedFailure(
  { status, headers }: Pick<HttpResponse, "status" | "headers">,
  host: string,
  retryAfter: RetryAfter,
): RemoteFailure {
  const waits = status === 429 || status === 503;
  const ms = waits ? retryAfterMs(headers["retry-after"]) : undefined;
  const failure = statusFailure(status, host, ms);
  if (ms !== undefined)
    // A request that is not sent cannot have an effect.
    retryAfter.set(ms, (left) => new RemoteFailure(failure.code, host, nextTryText(left), false));
  return failure;
}

function nextTryText(leftMs: number): string {
  return ` and has asked to wait; next try in ${Math.ceil(leftMs / 100) / 10} s`;
}
