import type { ToolMode } from "../config/types.ts";
import { NAME, VERSION } from "../version.ts";
import type { JsonObject } from "../wire/messages.ts";
import { instructionsFor } from "./instructions.ts";
import type { ToolboxOutline } from "./toolbox-lines.ts";

const CAPABILITIES = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  completions: {},
  logging: {},
};

/** What the workbench says of itself. Depends on the configuration alone. */
export function workbenchGreeting(
  mode: ToolMode,
  toolboxes: readonly ToolboxOutline[],
): JsonObject {
  return {
    capabilities: CAPABILITIES,
    serverInfo: { name: NAME, version: VERSION },
    instructions: instructionsFor(mode, toolboxes),
  };
}
