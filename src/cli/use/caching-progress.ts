import { enabledServersIn } from "../../workbench/scopes.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import { seenScope } from "./seen-tools.ts";

/** The progress of connecting to servers whose tools are not cached, with the number that are. */
export function cachingProgress(workbench: Workbench): () => string {
  const servers = enabledServersIn(seenScope(workbench));
  const { catalogues } = workbench;
  return () => {
    const known = servers.filter((server) => catalogues.known(server) !== undefined);
    return `connecting to new servers (${known.length} of ${servers.length} known)`;
  };
}
