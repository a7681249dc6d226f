import type { ToolDestination } from "../../calls/destination.ts";
import type { SeenTools } from "../../calls/visibility.ts";
import type { ListedTool } from "../../servers/tools/catalogue.ts";
import type { Server } from "../../servers/server.ts";
import { Slices } from "../../servers/slices.ts";
import type { ToolIdentifier } from "../../calls/identifier.ts";
import { formatToolName } from "../../toolboxes/native-names.ts";
import { withMembers } from "../../wire/members.ts";
import { isObject } from "../../wire/messages.ts";

/** A tool as it is listed under its native name. */
export interface NativeTool {
  readonly server: Server;
  readonly id: ToolIdentifier;
  readonly text: string;
}

type NativeTools = ReadonlyMap<string, NativeTool>;
type Catalogue = SeenTools<ListedTool>;

/** The destination of a call of a native tool. */
export function nativeDestination(server: Server, tool: ToolIdentifier): ToolDestination {
  return { server, tool, argumentsAt: "params.arguments", mayStoreResult: true };
}

/** All clients that see the same tools see the same definitions, so they are built once. */
const written = new WeakMap<Catalogue, WeakMap<Server, Promise<NativeTools>>>();

/** The tools of a server by native name. Built in slices: there may be megabytes of them. */
export function nativeToolsOf(server: Server, catalogue: Catalogue): Promise<NativeTools> {
  const byServer = written.get(catalogue) ?? new WeakMap<Server, Promise<NativeTools>>();
  written.set(catalogue, byServer);
  const tools = byServer.get(server) ?? write(server, catalogue);
  byServer.set(server, tools);
  return tools;
}

async function write(server: Server, catalogue: Catalogue): Promise<NativeTools> {
  const slices = new Slices();
  slices.begin();
  const tools = new Map<string, NativeTool>();
  for (const tool of catalogue.tools.values()) {
    const id = { ...server.place, name: tool.name };
    const name = formatToolName(id);
    tools.set(name, { server, id, text: nativeText(name, id, tool) });
    if (slices.due) await slices.rest();
  }
  return tools;
}

/** The server's definition with the native name, and its origin as a prefix and in `_meta`. */
function nativeText(name: string, id: ToolIdentifier, tool: ListedTool): string {
  const { description, _meta: meta } = tool.value;
  const origin = `[${id.toolbox}/${id.server}]`;
  return withMembers(tool.text, {
    name: JSON.stringify(name),
    description: JSON.stringify(
      typeof description === "string" ? `${origin} ${description}` : origin,
    ),
    _meta: JSON.stringify({ ...(isObject(meta) && meta), "mcp-workbench/tool": id }),
  });
}
