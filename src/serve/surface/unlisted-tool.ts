import type { Destination } from "../../calls/destination.ts";
import type { ToolIdentifier } from "../../calls/identifier.ts";
import type { Server } from "../../servers/server.ts";
import { choices } from "../../text/choices.ts";
import { parseToolName } from "../../toolboxes/native-names.ts";
import type { ToolboxView } from "../../toolboxes/toolbox.ts";
import type { ServedClient } from "../served-client.ts";
import { withheldHint } from "./approved-items.ts";
import type { NativeTool } from "./native-definitions.ts";
import { unknownTool } from "./unknown-tool.ts";

type ListedTools = ReadonlyMap<string, Pick<NativeTool, "id">>;

/** The answer to a call of a native tool that is not in the client's list. */
export function unlistedTool(
  client: ServedClient,
  name: string,
  listed: ListedTools,
  isOpenBox: (toolbox: ToolboxView) => boolean,
): Destination {
  return unknownTool(name, (tool) => {
    const toolbox = tool === null ? undefined : client.scope.get(tool.toolbox);
    const isOpen = toolbox !== undefined && isOpenBox(toolbox);
    const server = tool === null ? undefined : toolbox?.servers.get(tool.server);
    const blocked = isOpen ? withheldHint(client, server, tool?.name ?? "") : undefined;
    return blocked ?? unlistedToolHint(name, tool, toolbox, isOpen, listed);
  });
}

/** The answer to a call by native name of a tool that the user has to approve first; undefined for others. */
export function blockedTool(client: ServedClient, name: string): Destination | undefined {
  const tool = parseToolName(name);
  const server = tool && client.scope.get(tool.toolbox)?.servers.get(tool.server);
  const hint = tool ? withheldHint(client, server ?? undefined, tool.name) : undefined;
  return hint === undefined ? undefined : unknownTool(name, () => hint);
}

/** What to do instead of calling a native tool that is not in the client's list. */
export function unlistedToolHint(
  name: string,
  tool: ToolIdentifier | null,
  toolbox: Pick<ToolboxView, "name" | "servers"> | undefined,
  isOpen: boolean,
  listed: ListedTools,
): string {
  const native = nativeNameOf(name, listed);
  if (native !== undefined) return `Call it as '${native}'`;
  if (tool === null || toolbox === undefined)
    return "Find tools with search_tools; open_toolbox adds those of a toolbox";
  const server = toolbox.servers.get(tool.server);
  if (!isOpen && !hasOnlyFailed(server))
    return `Open toolbox '${toolbox.name}' with open_toolbox first`;
  return (
    serverProblem(server) ??
    choices(
      name,
      Array.from(listed, ([other, { id }]) => (id.toolbox === toolbox.name ? [other] : [])).flat(),
    )
  );
}

/** Whether a server was tried and never connected, so that opening its toolbox did not help. */
function hasOnlyFailed(server: Server | undefined): boolean {
  if (server === undefined || server.state === "ready") return false;
  return server.failures.lastError !== undefined && !server.connections.observed.toolCount;
}

/** The name in the list of a tool that was called by its path or its own name. */
function nativeNameOf(given: string, listed: ListedTools): string | undefined {
  for (const [native, { id }] of listed) {
    const path = [id.toolbox, id.server, id.name];
    const spellings = [path.join("/"), path.join("."), path.slice(1).join("/"), id.name];
    if (spellings.includes(given)) return native;
  }
  return undefined;
}

/** Opening the toolbox again would not help. */
function serverProblem(server: Pick<Server, "name" | "state" | "failures"> | undefined) {
  if (server === undefined || server.state === "ready") return undefined;
  if (server.state === "connecting" || server.state === "downloading")
    return `Server '${server.name}' is still starting; its tools are listed when it is ready`;
  return server.failures.lastError === undefined
    ? undefined
    : `Server '${server.name}' failed to connect`;
}
