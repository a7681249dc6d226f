import { toolNotFound } from "../../calls/call-errors.ts";
import { LOCAL_PRINCIPAL } from "../../calls/principal.ts";
import type { SeenTools } from "../../calls/visibility.ts";
import type { Hit } from "../../search/types.ts";
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
  { pipeline: { visibility } }: Workbench,
  { place }: Server,
  catalogue: SeenTools<ListedTool>,
): SeenTools<ListedTool> {
  return visibility?.seen(LOCAL_PRINCIPAL, place, catalogue) ?? catalogue;
}

/** A tool that the policy shows on the command line; throws if there is none of this name. */
export function seenTool(
  workbench: Workbench,
  server: Server,
  at: SeenAt,
  name: string,
): ListedTool {
  const catalogue = seenTools(workbench, server, at.catalogue);
  const tool = catalogue.tools.get(name);
  if (tool === undefined) throw toolNotFound({ ...server.place, name }, { catalogue });
  return tool;
}

interface SeenAt {
  readonly catalogue: SeenTools<ListedTool>;
}

/** Whether the policy shows a tool that was found; undefined if it shows all. */
export function seenHits(workbench: Workbench): ((hit: Hit) => boolean) | undefined {
  if (workbench.pipeline.visibility === undefined) return undefined;
  return ({ toolbox, server: name, tool }) => {
    const server = workbench.toolboxes.get(toolbox)?.servers.get(name);
    const known = server && workbench.catalogues.known(server);
    if (server === undefined || known === undefined) return false;
    return seenTools(workbench, server, known.catalogue).tools.has(tool.name);
  };
}
