import { parseJson } from "../text/json.ts";
import type { ClusterLink } from "./cluster-link.ts";

const PURPOSE = "place";

/** Where a replica is. */
export interface ReplicaPlace {
  readonly id: string;
  readonly address: string;
}

/** Names this replica, for something that leaves the cluster: only replicas can make or read it. */
export function replicaPlace(link: Pick<ClusterLink, "seal" | "replica" | "advertise">): string {
  return link.seal(JSON.stringify([link.replica, link.advertise]), PURPOSE);
}

/** The replica that has this name; undefined for anything else. */
export function openPlace(
  link: Pick<ClusterLink, "open">,
  sealed: string,
): ReplicaPlace | undefined {
  const text = link.open(sealed, PURPOSE);
  if (text === undefined) return undefined;
  const [id, address] = parseJson(text) as [string, string];
  return { id, address };
}
