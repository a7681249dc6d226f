import type { ServerRef } from "../calls/identifier.ts";
import { onlyReadsAt } from "../calls/principal.ts";
import type { Viewer } from "./surface/seen-tools.ts";

/**
 * What may pass between a client and a server besides the client's calls, which a step decides about. The
 * policy may change while they are connected, so it is read for every message.
 */

interface Placed {
  readonly place: ServerRef;
}

const ABOUT_OTHERS = /^notifications\/(?:resources|prompts)\//;

/** Whether a client may get a notification of a server that does not belong to one of its calls. */
export function mayReceive(
  { principal, pipeline: { visibility } }: Viewer,
  { place }: Placed,
  method: string,
): boolean {
  if (visibility === undefined) return true;
  if (visibility.hides(principal, place)) return false;
  return !ABOUT_OTHERS.test(method) || !visibility.deniesOthers(principal, place);
}

const ROOTS_CHANGED = "notifications/roots/list_changed";

/** Whether a client may send a notification to a server. Only the server knows what its own ones change. */
export function maySend(
  { principal, pipeline: { visibility } }: Viewer,
  { place }: Placed,
  method: string,
): boolean {
  if (visibility?.hides(principal, place)) return false;
  if (method === ROOTS_CHANGED) return true;
  if (onlyReadsAt(principal, place) || visibility?.onlyReads(principal, place)) return false;
  return !visibility?.deniesOthers(principal, place);
}
