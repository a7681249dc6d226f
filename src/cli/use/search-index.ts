import type { ToolIndex } from "../../search/tool-index.ts";
import { SearchIndex } from "../../workbench/discovery/search-index.ts";
import type { Workbench } from "../../workbench/workbench.ts";
import { seenScope } from "./seen-tools.ts";

/** An index of the tools of all servers that are shown; connects only to servers that are not cached. */
export async function searchIndex(workbench: Workbench): Promise<ToolIndex> {
  const { catalogues, host } = workbench;
  const toolboxes = seenScope(workbench);
  const discovery = await workbench.discovery();
  await discovery.probeUnknown(toolboxes);
  const index = new SearchIndex({ toolboxes, catalogues, host });
  await index.update();
  return index.tools;
}
