import type { ServerRef } from "../../calls/identifier.ts";
import type { ClusterLink } from "../../cluster/cluster-link.ts";
import { type Holder, type LeaseEvents, ServerLease } from "../../cluster/server-lease.ts";
import { serverToken } from "../../cluster/server-token.ts";
import type { ServerSettings } from "../../config/types.ts";
import type { Host } from "../host.ts";

/** A replica that does not answer this soon counts as gone until its lease has ended. */
const ANSWER_MS = 2_000;
/** Another process has the address, which does not know the token. */
const STRANGER: ReadonlySet<number> = new Set([401, 403]);

/** Where a server runs that only one replica may start. */
export interface Placement {
  /** Whether this replica may run it. */
  readonly isHere: boolean;
  /** Takes the right to run it, or finds the replica that does; rejects if neither is possible. */
  settle(): Promise<void>;
  /** The settings with which it is reached at the other replica; undefined if it runs here. */
  settingsElsewhere(settings: ServerSettings): ServerSettings | undefined;
  close(): Promise<void>;
}

export function createPlacement(
  { place, host }: { readonly place: ServerRef; readonly host: Host },
  link: ClusterLink,
  events: LeaseEvents,
): Placement {
  const lease = new ServerLease(link, `${place.toolbox}/${place.server}`, {
    onLost: () => {
      host.log.warn("another replica may start it, so it is stopped here", place);
      events.onLost();
    },
    onMoved: () => events.onMoved(),
  });
  return {
    get isHere() {
      return lease.isHeld;
    },
    settle: () => lease.settle((holder) => answers(link, holder, place)),
    settingsElsewhere(settings) {
      const { holder } = lease;
      if (holder === undefined) return undefined;
      const { url, headers } = addressAt(link, holder, place);
      return { ...settings, secretTexts: [], transport: { kind: "http", url, headers } };
    },
    close: () => lease.close(),
  };
}

/** The view of the server at the replica that runs it. */
function addressAt(link: ClusterLink, { id, address }: Holder, place: ServerRef) {
  const path = [place.toolbox, place.server].map(encodeURIComponent).join("/");
  const headers = { Authorization: `Bearer ${serverToken(link, id, place)}` };
  return { url: `${address}/mcp/${path}`, headers };
}

async function answers(link: ClusterLink, holder: Holder, place: ServerRef): Promise<boolean> {
  const { url, headers } = addressAt(link, holder, place);
  try {
    const signal = AbortSignal.timeout(ANSWER_MS);
    // Whatever it says about the method, it knows the token.
    const response = await fetch(url, { method: "PUT", headers, signal });
    await response.body?.cancel();
    return !STRANGER.has(response.status);
  } catch {
    return false;
  }
}
