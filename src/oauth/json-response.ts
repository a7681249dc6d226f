import { isObject, parseJson, type JsonObject } from "../text/json.ts";
import { retryAfterMs } from "../text/retry-after.ts";
import { OAuthFailure } from "./failure.ts";

/** The JSON object in a response; undefined if it is something else. */
export async function jsonOf(response: Response): Promise<JsonObject | undefined> {
  const value = parseJson(await response.text());
  return isObject(value) ? value : undefined;
}

/** True if the same request may succeed later: the host is overloaded or broken. */
export function isTemporary({ status }: Response): boolean {
  return status >= 500 || status === 429 || status === 408;
}

/** Says that a host cannot answer now, and when to try again. */
export function temporaryFailure(response: Response, where: string, now: number): OAuthFailure {
  return new OAuthFailure("network", `${where} answered with the status ${response.status}`, {
    hint: "Try again later",
    retryAfterMs: retryAfterMs(response.headers.get("retry-after") ?? undefined, now),
  });
}
