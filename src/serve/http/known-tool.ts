import type { Server } from "../../servers/server.ts";
import type { ListedTool } from "../../servers/tools/catalogue.ts";
import { parseToolName } from "../../toolboxes/native-names.ts";
import type { ClientView } from "../client-view.ts";
import { type Viewer, seenBy } from "../surface/seen-tools.ts";

/**
 * The definition of a tool that a client can call by this name, if its server has listed it already. What
 * the client may not see must make no difference.
 */
export function knownTool(
  { scope, server }: ClientView,
  viewer: Viewer,
  name: string,
  hasNativeTools: boolean,
): ListedTool | undefined {
  if (server !== undefined) return toolOf(viewer, server, name);
  const id = hasNativeTools ? parseToolName(name) : null;
  const owner = id === null ? undefined : scope.get(id.toolbox)?.servers.get(id.server);
  return owner && toolOf(viewer, owner, id?.name ?? "");
}

function toolOf(viewer: Viewer, server: Server, name: string): ListedTool | undefined {
  for (const { catalogue } of server.connections.values()) {
    const tool = seenBy(viewer, server, catalogue).tools.get(name);
    if (tool !== undefined) return tool;
  }
  return undefined;
}
