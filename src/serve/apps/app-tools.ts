import type { SeenTools } from "../../calls/visibility.ts";
import { isVisibleTo, pageOf } from "../../protocol/ui-extension.ts";
import type { Server } from "../../servers/server.ts";
import type { Catalogue, ListedTool } from "../../servers/tools/catalogue.ts";
import type { ToolDestination } from "../../calls/destination.ts";
import { formatToolName } from "../../toolboxes/native-names.ts";
import { enabledServersIn } from "../../workbench/scopes.ts";
import type { ServedClient } from "../served-client.ts";
import { nativeDestination, nativeToolsOf } from "../surface/native-definitions.ts";
import { hiddenServer, seenBy } from "../surface/seen-tools.ts";

/** The tools of servers with pages, for clients that support pages. Loaded for the first of them. */

interface UiServer {
  readonly server: Server;
  readonly catalogue: Catalogue;
}

/** The servers with pages that are known, in the order of the configuration. */
async function uiServers(client: ServedClient): Promise<UiServer[]> {
  const found = await Promise.all(
    enabledServersIn(client.scope).map(async (server) => {
      if (hiddenServer(client, server) !== undefined) return [];
      const source = client.connectionTo(server) ?? (await server.host.memory.load(server));
      return source?.catalogue.hasUi ? [{ server, catalogue: source.catalogue }] : [];
    }),
  );
  return found.flat();
}

/** The definitions of all tools with pages under native names, for a list beside the meta-tools. */
export async function uiToolTexts(client: ServedClient): Promise<string[]> {
  const texts: string[] = [];
  for (const { server, catalogue } of await uiServers(client)) {
    const seen = seenBy(client, server, catalogue);
    for (const { id, text } of (await nativeToolsOf(server, seen, true)).values()) {
      const tool = seen.tools.get(id.name);
      if (tool !== undefined && pageOf(tool.value) !== undefined) texts.push(text);
    }
  }
  return texts;
}

/**
 * The destination of a call that a page may have made, or the host for a tool with a page: by native
 * name, or by the server's own name for the tool. Several if more than one server can be meant.
 */
export async function uiDestinations(
  client: ServedClient,
  name: string,
  isUsable: (server: Server) => boolean,
): Promise<ToolDestination[]> {
  const all = (await uiServers(client)).filter(({ server }) => isUsable(server));
  const found = all.flatMap(({ server, catalogue }) => {
    const { appTools = { tools: new Map<string, ListedTool>() } } = catalogue;
    const meant = [seenBy(client, server, catalogue), seenBy(client, server, appTools)]
      .flatMap(usableTools)
      .filter((tool) => tool.ownName === name || nativeName(server, tool) === name);
    return meant.map((tool): [ListedTool, Server] => [tool, server]);
  });
  const exact = found.filter(([tool, server]) => nativeName(server, tool) === name);
  return (exact.length > 0 ? exact : found).map(([tool, server]) => ({
    ...nativeDestination(server, { ...server.place, name: tool.name }),
    reachesAppTools: true,
    // A page cannot read a description of its data.
    mayStoreResult: false,
  }));
}

/** Those that a page may call, and those that have one. */
function usableTools({ tools }: SeenTools<ListedTool>): ListedTool[] {
  return [...tools.values()].filter(
    ({ value }) => isVisibleTo("app", value) || pageOf(value) !== undefined,
  );
}

function nativeName(server: Server, { name }: ListedTool): string {
  return formatToolName({ ...server.place, name });
}

/** The servers whose tools name a page by this URI. */
export async function serversWithPage(client: ServedClient, uri: string): Promise<Server[]> {
  const all = await uiServers(client);
  return all.filter(({ catalogue }) => names(catalogue, uri)).map(({ server }) => server);
}

/** The only server with pages, to which a page belongs that no tool names. */
export async function pageOwner(client: ServedClient): Promise<Server | undefined> {
  const all = await uiServers(client);
  return all.length === 1 ? all[0]?.server : undefined;
}

function names({ tools, appTools }: Catalogue, uri: string): boolean {
  const all = [...tools.values(), ...(appTools?.tools.values() ?? [])];
  return all.some(({ value }) => pageOf(value) === uri);
}
