import type { ClusterLink } from "../../cluster/cluster-link.ts";
import { ReplicaLease } from "../../cluster/replica-lease.ts";
import type { RemoteResults, ResultOwner } from "../../results/result-store.ts";
import { AddressCheck } from "./address-check.ts";
import { ModernPlacement, TASK_PATH } from "./modern-placement.ts";
import { OwnCheck } from "./own-check.ts";
import { OwnedSessions } from "./owned-sessions.ts";
import { OwnerFinder } from "./owner-finder.ts";
import { type OnUnreachable, PeerClient } from "./peer-client.ts";
import { RESULT_PATH, ReplicaResults } from "./replica-results.ts";
import { RequestRouter } from "./request-router.ts";
import { SessionDirectory } from "./session-directory.ts";
import { SessionTokens } from "./session-tokens.ts";

export { RESULT_PATH, TASK_PATH };
export type { RemoteResults };

/** What a replica consists of. */
export interface ClusterParts {
  readonly tokens: SessionTokens;
  readonly lease: ReplicaLease;
  readonly directory: SessionDirectory;
  readonly owned: OwnedSessions;
  readonly peers: PeerClient;
  readonly finder: OwnerFinder;
  readonly router: RequestRouter;
  readonly modern: ModernPlacement;
  readonly results: ReplicaResults;
  readonly addressCheck: AddressCheck;
}

/** What other replicas may ask this one for. */
export interface ReplicaContents {
  isKnownTask(taskId: string): boolean;
  resultFile(owner: ResultOwner, id: string): string | undefined;
}

/** @param keptMs how long Redis keeps a session without use */
export function newParts(
  link: ClusterLink,
  contents: ReplicaContents,
  keptMs: () => number,
  onUnreachable: OnUnreachable,
  warn: (problem: string) => void,
  onRenewed: (hadGap: boolean) => void,
): ClusterParts {
  const lease = new ReplicaLease(link, onRenewed);
  const directory = new SessionDirectory(link, keptMs);
  const owned = new OwnedSessions(directory, lease);
  const peers = new PeerClient(link, onUnreachable);
  const finder = new OwnerFinder(link, lease, directory, peers);
  const ownCheck = new OwnCheck(owned, finder, link.replica);
  const router = new RequestRouter({ owned, finder, peers, ownCheck });
  const { isKnownTask, resultFile: fileOf } = contents;
  const modern = new ModernPlacement({ link, lease, peers, router, isKnownTask });
  const results = new ReplicaResults({ link, lease, peers, fileOf });
  const tokens = new SessionTokens(link);
  const addressCheck = new AddressCheck(link, warn);
  const parts = { tokens, lease, directory, owned, peers, finder, router, modern, results };
  return { ...parts, addressCheck };
}
