import { TASKS_EXTENSION } from "../protocol/envelope.ts";
import type { ToolMode } from "../config/types.ts";
import type { Era } from "../protocol/client-profile.ts";
import { SKILLS_EXTENSION } from "../protocol/skills-extension.ts";
import { UI_EXTENSION, supportsUi } from "../protocol/ui-extension.ts";
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
const LEGACY_TASKS = { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } };
const MODERN_TASKS = { [TASKS_EXTENSION]: {} };

const SKILLS = { [SKILLS_EXTENSION]: { directoryRead: true } };

/** Skills are declared to every client, MCP Apps to those that support them. */
function capabilitiesFor(era: Era, client: JsonObject): JsonObject {
  const ui = supportsUi(client) ? { [UI_EXTENSION]: {} } : {};
  const tasks = era === "modern" ? MODERN_TASKS : {};
  return {
    ...CAPABILITIES,
    ...(era === "legacy" && LEGACY_TASKS),
    extensions: { ...tasks, ...SKILLS, ...ui },
  };
}

/**
 * How the workbench describes itself to a client with these capabilities. The same until the
 * configuration changes.
 */
export function workbenchInfo(
  mode: ToolMode,
  toolboxes: readonly ToolboxOutline[],
  era: Era,
  example: ExampleCall | undefined,
  client: JsonObject = {},
): JsonObject {
  const use = mode === "dynamic" && era === "modern" ? "listed" : mode;
  return {
    capabilities: capabilitiesFor(era, client),
    serverInfo: { name: NAME, version: VERSION },
    instructions: workbenchInstructions(use, openable(toolboxes), example),
  };
}
