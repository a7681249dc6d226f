import { workbenchError } from "../../errors.ts";
import { untilAborted } from "../use/with-workbench.ts";
import type { RemoteServer } from "./remote-server.ts";

/** How long a login waits for the user. */
const MAX_LOGIN_MS = 10 * 60_000;

/** Runs a login until it ends, the user stops it, or its time is over. */
export async function withinLoginTime<T>(
  stopped: AbortSignal,
  place: RemoteServer["place"],
  work: (signal: AbortSignal) => Promise<T>,
  limitMs = MAX_LOGIN_MS,
): Promise<T> {
  const expired = new AbortController();
  const tooLate = (): void => {
    const reason = "nothing came back from the browser within 10 minutes";
    const details = { ...place, what: "the login", reason };
    expired.abort(workbenchError("CALL_TIMEOUT", details, "Run the command again"));
  };
  const timer = setTimeout(tooLate, limitMs);
  const signal = AbortSignal.any([stopped, expired.signal]);
  try {
    return await untilAborted(signal, work(signal));
  } finally {
    clearTimeout(timer);
  }
}
