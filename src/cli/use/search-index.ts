import type { ToolIndex } from "../../search/tool-index.ts";
import { SearchIndex } from "../../workbench/discovery/search-index.ts";
import type { Workbench } from "../../workbench/workbench.ts";

/** An index of all tools; connects only to servers that are not cached. */
export async function searchIndex(workbench: Workbench): Promise<ToolIndex> {
  const discovery = await workbench.discovery();
  await discovery.probeUnknown();
  const index = new SearchIndex(workbench);
  await index.update();
  return index.tools;
}
