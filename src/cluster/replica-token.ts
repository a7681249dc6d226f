import type { ClusterLink } from "./cluster-link.ts";

const PREFIX = "workbench-replica-";
const PURPOSE = "replica token";
const MAX_CHARS = 1024;
const FOR_REPLICA = "replica";
const FOR_CLIENT = "client";

export interface ReplicaToken {
  /** The replica whose client has it, and has to get it back. */
  readonly replica: string;
  /** Where that replica is, also for those that cannot ask Redis; undefined if another one has made the token. */
  readonly address: string | undefined;
  /** Whether that replica got it from another one, which runs a server for it. */
  readonly isForReplica: boolean;
}

/**
 * A secret that names the replica it has to come back to; clients can neither read nor make one.
 * @param asker the replica for which this one runs a server, if its client gets the token
 */
export function newReplicaToken(link: ClusterLink, asker?: string): string {
  const random = crypto.randomUUID();
  const parts =
    asker === undefined
      ? [link.replica, random, FOR_CLIENT, link.advertise]
      : [asker, random, FOR_REPLICA];
  return PREFIX + link.seal(parts.join(" "), PURPOSE);
}

/** What a token says; undefined for anything else. */
export function openReplicaToken(link: ClusterLink, token: unknown): ReplicaToken | undefined {
  if (typeof token !== "string" || token.length > MAX_CHARS || !token.startsWith(PREFIX))
    return undefined;
  const text = link.open(token.slice(PREFIX.length), PURPOSE);
  if (text === undefined) return undefined;
  const [replica = "", , kind, address] = text.split(" ");
  return { replica, address, isForReplica: kind === FOR_REPLICA };
}
