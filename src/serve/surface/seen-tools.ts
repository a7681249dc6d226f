import type { SeenTools } from "../../calls/visibility.ts";
import { type WorkbenchError, workbenchError } from "../../errors.ts";
import type { Server } from "../../servers/server.ts";
import type { ListedTool } from "../../servers/tools/catalogue.ts";
import type { Catalogues } from "../../workbench/catalogue/catalogues.ts";
import type { KnownTools } from "../../workbench/meta-tools/meant-tools.ts";
import type { ServedClient } from "../served-client.ts";

/** A client, as far as what it may see is concerned. */
export type Viewer = Pick<ServedClient, "principal" | "pipeline">;

/** The tools of a server that a client may see. */
export function seenBy(
  { principal, pipeline }: Viewer,
  server: Pick<Server, "place">,
  catalogue: SeenTools<ListedTool>,
): SeenTools<ListedTool> {
  return pipeline.visibility?.seen(principal, server.place, catalogue) ?? catalogue;
}

/** Whether clients see only what the user has approved of a server. */
export function isPinned({ host }: Pick<Server, "host">): boolean {
  return host.pins?.current?.isEnforced === true;
}

/** Whether nothing of a server is hidden from a client. */
export function mayUseAll(
  { pipeline, principal }: Viewer,
  { place }: Pick<Server, "place">,
): boolean {
  return pipeline.visibility?.allowsAll(principal, place) ?? true;
}

/** The error for a server that does not exist for a client; undefined if it does. */
export function hiddenServer(
  { principal, pipeline }: Viewer,
  { place }: Pick<Server, "place">,
): WorkbenchError | undefined {
  return pipeline.visibility?.hides(principal, place)
    ? workbenchError("SERVER_NOT_FOUND", place)
    : undefined;
}

/** The tools of a server that one client may see. */
export type SeeTools = (server: Server, catalogue: SeenTools<ListedTool>) => SeenTools<ListedTool>;

/** The definitions of tools as clients see them. */
export function textsOf({ tools }: SeenTools<ListedTool>): string[] {
  return Array.from(tools.values(), ({ text }) => text);
}

/** Whether a client may see a tool that was found; undefined if it may see all. */
export function seenHits(
  client: Viewer & Pick<ServedClient, "scope">,
  catalogues: Pick<Catalogues, "known">,
): ((hit: FoundTool) => boolean) | undefined {
  if (client.pipeline.visibility === undefined) return undefined;
  return ({ toolbox, server: name, tool }) => {
    const server = client.scope.get(toolbox)?.servers.get(name);
    if (server === undefined) return false;
    const known = catalogues.known(server);
    return known !== undefined && seenBy(client, server, known.catalogue).tools.has(tool.name);
  };
}

/** A tool that a search has found. */
export interface FoundTool {
  readonly toolbox: string;
  readonly server: string;
  readonly tool: { readonly name: string };
}

/** What is known of servers, without what a client may not see. */
export function knownTo(client: Viewer, known: KnownTools): KnownTools {
  if (client.pipeline.visibility === undefined) return known;
  return {
    load: async (server) => {
      const found = await known.load(server);
      return found && { catalogue: seenBy(client, server, found.catalogue) };
    },
  };
}
