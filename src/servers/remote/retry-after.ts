import type { Respite } from "../respite.ts";
import type { HttpResponse } from "./http-response.ts";
import { RemoteFailure, statusFailure } from "./remote-failure.ts";

/** What a server says about when it wants to be asked again (`Retry-After`). */

/**
 * No server is left alone for longer, whatever it says: a wrong value, or the one of a proxy in
 * between, must not switch it off for a day.
 */
const LONGEST_MS = 5 * 60 * 1000;

/** Milliseconds from now; undefined if the header says nothing that can be understood. */
export function retryAfterMs(header: string | undefined, now = Date.now()): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isNaN(ms) ? undefined : Math.min(LONGEST_MS, Math.max(0, ms));
}

/** What a response means that is not a success. One that asks for a respite gets it. */
export function refusedFailure(
  { status, headers }: Pick<HttpResponse, "status" | "headers">,
  host: string,
  respite: Respite,
): RemoteFailure {
  const waits = status === 429 || status === 503;
  const ms = waits ? retryAfterMs(headers["retry-after"]) : undefined;
  const failure = statusFailure(status, host, ms);
  if (ms !== undefined)
    // What is not sent at all cannot have an effect.
    respite.ask(ms, (left) => new RemoteFailure(failure.code, host, nextTryText(left), false));
  return failure;
}

function nextTryText(leftMs: number): string {
  return ` and wants to be left alone; next try in ${Math.ceil(leftMs / 100) / 10} s`;
}
