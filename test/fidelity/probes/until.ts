import { GENEROUS_MS } from "../../support/clients/json-rpc.ts";
import { waitFor } from "../../support/proc.ts";

/** Tries again and again until something is as it should be. */
export function until<T>(attempt: () => Promise<T>, what: string) {
  return waitFor(attempt, GENEROUS_MS, what);
}
