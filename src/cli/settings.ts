import type { ServerSettings, WorkbenchSettings } from "../config/types.ts";
import { plural } from "./output/layout.ts";

/** Every server of a configuration, also those that are disabled or lack something. */
export function serversIn({ toolboxes }: WorkbenchSettings): readonly ServerSettings[] {
  return [...toolboxes.values()].flatMap((toolbox) => [...toolbox.servers.values()]);
}

/** How large a configuration is, in words. */
export function sizeOf(settings: WorkbenchSettings): string {
  const toolboxes = plural(settings.toolboxes.size, "toolbox", "toolboxes");
  return `${toolboxes}, ${plural(serversIn(settings).length, "server")}`;
}
