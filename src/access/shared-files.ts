import type { ClusterLink } from "../cluster/cluster-link.ts";
import { SharedText } from "../cluster/shared-text.ts";
import type { SharedFile, StateFile } from "./state-file.ts";

/** The files that replicas share, by their names in Redis. */
type SharedName = "tokens" | "approvals";

/** A file of this machine as a copy of what all replicas have. */
export function sharedFile(
  path: string,
  name: SharedName,
  link: ClusterLink,
  report: (problem: string) => void,
): SharedFile & { readonly shared: SharedText } {
  return { path, shared: new SharedText(link, name, report) };
}

/** The same; the file itself if there are no other replicas. */
export function stateFile(
  path: string,
  name: SharedName,
  link: ClusterLink | undefined,
  report: (problem: string) => void,
): StateFile {
  return link === undefined ? path : sharedFile(path, name, link, report);
}
