import type { ToolDestination } from "../../calls/destination.ts";
import type { SeenTools } from "../../calls/visibility.ts";
import type { ListedTool } from "../../servers/tools/catalogue.ts";
import type { Server } from "../../servers/server.ts";
import { Slices } from "../../servers/slices.ts";
import type { ServerRef, ToolIdentifier } from "../../calls/identifier.ts";
import { formatToolName } from "../../toolboxes/native-names.ts";
import { withMembers } from "../../wire/members.ts";
import { type JsonObject, isObject } from "../../wire/messages.ts";
import { amendUiResult } from "../apps/amend-ui.ts";
import { hasUiMeta, uiMetaFor } from "../apps/ui-meta.ts";

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
  const argumentsAt = "params.arguments";
  return { server, tool, argumentsAt, mayStoreResult: true, amend: amendUiResult };
}

/** All clients that see the same tools see the same definitions, so they are built once. */
const written = new WeakMap<Catalogue, Written>();

/** The tools of each server, for clients that support pages and for all others. */
interface Written {
  readonly withPages: WeakMap<Server, Promise<NativeTools>>;
  readonly without: WeakMap<Server, Promise<NativeTools>>;
}

/**
 * The tools of a server by native name. Built in slices: there may be megabytes of them. `showsPages`
 * if the client supports pages.
 */
export function nativeToolsOf(
  server: Server,
  catalogue: Catalogue,
  showsPages: boolean,
): Promise<NativeTools> {
  const both = written.get(catalogue) ?? { withPages: new WeakMap(), without: new WeakMap() };
  written.set(catalogue, both);
  const byServer = showsPages ? both.withPages : both.without;
  const tools = byServer.get(server) ?? write(server, catalogue, showsPages);
  byServer.set(server, tools);
  return tools;
}

async function write(
  server: Server,
  catalogue: Catalogue,
  showsPages: boolean,
): Promise<NativeTools> {
  const slices = new Slices();
  slices.begin();
  const tools = new Map<string, NativeTool>();
  for (const tool of catalogue.tools.values()) {
    const id = { ...server.place, name: tool.name };
    const name = formatToolName(id);
    tools.set(name, { server, id, text: nativeText(name, id, tool, showsPages) });
    if (slices.due) await slices.rest();
  }
  return tools;
}

/** The server's definition with the native name, and its origin as a prefix and in `_meta`. */
function nativeText(
  name: string,
  id: ToolIdentifier,
  tool: ListedTool,
  showsPages: boolean,
): string {
  const { description } = tool.value;
  const meta = metaFor(tool.value, showsPages ? id : undefined);
  const origin = `[${id.toolbox}/${id.server}]`;
  return withMembers(tool.text, {
    name: JSON.stringify(name),
    description: JSON.stringify(
      typeof description === "string" ? `${origin} ${description}` : origin,
    ),
    _meta: JSON.stringify({ ...meta, "mcp-workbench/tool": id }),
  });
}

/** `_meta` of a definition, with the URIs of clients for pages, if they see any. */
function metaFor({ _meta: meta }: JsonObject, place: ServerRef | undefined): object {
  if (!isObject(meta)) return {};
  if (!hasUiMeta(meta)) return meta;
  return JSON.parse(uiMetaFor(JSON.stringify(meta), place)) as object;
}
