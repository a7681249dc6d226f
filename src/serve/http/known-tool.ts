import type { Server } from "../../servers/server.ts";
import type { ListedTool } from "../../servers/tools/catalogue.ts";
import { parseToolName } from "../../toolboxes/native-names.ts";
import type { ClientView } from "../client-view.ts";

/** The definition of a tool as the client sees it, if its server has listed it already. */
export function knownTool({ scope, server }: ClientView, name: string): ListedTool | undefined {
  if (server !== undefined) return toolOf(server, name);
  const id = parseToolName(name);
  const owner = id === null ? undefined : scope.get(id.toolbox)?.servers.get(id.server);
  return owner && toolOf(owner, id?.name ?? "");
}

function toolOf({ connections }: Server, name: string): ListedTool | undefined {
  for (const { catalogue } of connections.values()) {
    const tool = catalogue.tools.get(name);
    if (tool !== undefined) return tool;
  }
  return undefined;
}
