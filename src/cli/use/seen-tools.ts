import { toolNotFound } from "../../calls/call-errors.ts";
import { LOCAL_PRINCIPAL } from "../../calls/principal.ts";
import type { SeenTools } from "../../calls/visibility.ts";
import type { Hit } from "../../search/types.ts";
import { seenBy, seenHits as hitsSeenBy } from "../../serve/surface/seen-tools.ts";
import type { Server } from "../../servers/server.ts";
import type { ListedTool } from "../../servers/tools/catalogue.ts";
import type { Scope } from "../../workbench/scopes.ts";
import type { Workbench } from "../../workbench/workbench.ts";

/** The toolboxes and servers that the policy shows on the command line. */
export function seenScope({ scopes, toolboxes }: Workbench): Scope {
  return scopes.restrict(toolboxes, LOCAL_PRINCIPAL);
}

/** The tools of a server that the policy shows on the command line. */
export function seenTools(
  { pipeline }: Workbench,
  server: Server,
  catalogue: SeenTools<ListedTool>,
): SeenTools<ListedTool> {
  return seenBy({ principal: LOCAL_PRINCIPAL, pipeline }, server, catalogue);
}

/** A tool that the policy shows on the command line; throws if there is none of this name. */
export function seenTool(
  workbench: Workbench,
  server: Server,
  at: { readonly catalogue: SeenTools<ListedTool> },
  name: string,
): ListedTool {
  const catalogue = seenTools(workbench, server, at.catalogue);
  const tool = catalogue.tools.get(name);
  if (tool === undefined) throw toolNotFound({ ...server.place, name }, { catalogue });
  return tool;
}

/** Whether the policy shows a tool that was found; undefined if it shows all. */
export function seenHits(workbench: Workbench): ((hit: Hit) => boolean) | undefined {
  const { pipeline, toolboxes: scope, catalogues } = workbench;
  return hitsSeenBy({ principal: LOCAL_PRINCIPAL, pipeline, scope }, catalogues);
}

/** What tools gain that the user used after similar searches. */
export function ownBoosts(
  { pipeline }: Workbench,
  query: string,
): Promise<ReadonlyMap<string, number> | undefined> {
  return pipeline.observers.uses.boosts(LOCAL_PRINCIPAL, query);
}
