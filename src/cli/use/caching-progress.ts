import { enabledServersIn } from "../../workbench/scopes.ts";
import type { Workbench } from "../../workbench/workbench.ts";

/** The progress of connecting to servers whose tools are not cached, with the number that are. */
export function cachingProgress({ toolboxes, catalogues }: Workbench): () => string {
  const servers = enabledServersIn(toolboxes);
  return () => {
    const known = servers.filter((server) => catalogues.known(server) !== undefined);
    return `connecting to new servers (${known.length} of ${servers.length} known)`;
  };
}
