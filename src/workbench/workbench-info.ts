import { TASKS_EXTENSION } from "../protocol/envelope.ts";
import type { ToolMode } from "../config/types.ts";
import type { Era } from "../protocol/client-profile.ts";
import { NAME, VERSION } from "../version.ts";
import type { JsonObject } from "../wire/messages.ts";
import { type ExampleCall, workbenchInstructions } from "./meta-tools/instructions.ts";
import type { ToolboxOutline } from "../config/outline.ts";
import { openable } from "./meta-tools/toolbox-lines.ts";

const CAPABILITIES = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  completions: {},
  logging: {},
};

/** Tasks are part of the core protocol in one era, and an extension in the other. */
const TASKS = {
  legacy: { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
  modern: { extensions: { [TASKS_EXTENSION]: {} } },
};

/** How the workbench describes itself. The same until the configuration changes. */
export function workbenchInfo(
  mode: ToolMode,
  toolboxes: readonly ToolboxOutline[],
  era: Era,
  example: ExampleCall | undefined,
): JsonObject {
  const use = mode === "dynamic" && era === "modern" ? "listed" : mode;
  return {
    capabilities: { ...CAPABILITIES, ...TASKS[era] },
    serverInfo: { name: NAME, version: VERSION },
    instructions: workbenchInstructions(use, openable(toolboxes), example),
  };
}
