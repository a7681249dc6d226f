import type { ToolboxSettings } from "../../config/types.ts";
import type { InputRule } from "./input.ts";
import { INPUT_RULES } from "./input-rules.generated.ts";
import { describedToolbox } from "./toolbox-lines.ts";

/**
 * The tools the workbench itself offers. Their texts are read by agents at the start of every
 * conversation, so each word is paid for; they say when to use which, and depend on the
 * configuration alone.
 */

export interface MetaTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: InputRule;
  readonly annotations?: object;
}

const READ_ONLY = { readOnlyHint: true, openWorldHint: false };
/** It starts servers; doing that again changes nothing. */
const OPENS = { destructiveHint: false, idempotentHint: true };
/** What servers keep in memory is lost, which is destructive, as it is by default. */
const CLOSES = { idempotentHint: true, openWorldHint: false };

export function openToolboxTool(toolboxes: readonly ToolboxSettings[]): MetaTool {
  return {
    name: "open_toolbox",
    description: `List the tools of a toolbox with their input schemas, when a task needs several of them. \`detail\` "signatures" or "names" gives less. Toolboxes:${purposes(toolboxes)}`,
    inputSchema: choosing(toolboxes, INPUT_RULES.open_toolbox),
    annotations: OPENS,
  };
}

export function openNativeToolboxTool(toolboxes: readonly ToolboxSettings[]): MetaTool {
  return {
    name: "open_toolbox",
    description: `Open a toolbox to use its tools: they are added to your tool list as {toolbox}__{server}__{tool}. Toolboxes:${purposes(toolboxes)}`,
    inputSchema: choosing(toolboxes, INPUT_RULES.close_toolbox),
    annotations: OPENS,
  };
}

export const CLOSE_TOOLBOX: MetaTool = {
  name: "close_toolbox",
  description: "Close a toolbox: its tools leave your tool list and its connections end.",
  inputSchema: INPUT_RULES.close_toolbox,
  annotations: CLOSES,
};

/** How a tool that was found is used. */
const THEN = {
  proxy: "call it with use_tool",
  dynamic: "open its toolbox to call it",
  listed: "it is in your tool list as toolbox__server__name",
};

export function searchToolsTool(then: keyof typeof THEN): MetaTool {
  return {
    name: "search_tools",
    description: `Find the right tool for a task in all toolboxes, opened or not: by what it does, its name, or words of either. Answers lines "toolbox/server/name(parameters, ? if optional) — purpose"; then ${THEN[then]}. \`detail\` "schema" gives whole definitions.`,
    inputSchema: INPUT_RULES.search_tools,
    annotations: READ_ONLY,
  };
}

export const USE_TOOL: MetaTool = {
  name: "use_tool",
  description:
    "Call a tool of any toolbox, opened or not. `tool` names it by toolbox, server and name, as search_tools and open_toolbox give them; `arguments` are the tool's own.",
  inputSchema: INPUT_RULES.use_tool,
};

function purposes(toolboxes: readonly ToolboxSettings[]): string {
  return toolboxes.map((toolbox) => `\n- ${describedToolbox(toolbox)}`).join("");
}

/** The rule with the names of the toolboxes that there are. */
function choosing(toolboxes: readonly ToolboxSettings[], rule: InputRule): InputRule {
  const toolbox = { type: "string", enum: toolboxes.map(({ name }) => name) } as const;
  return { ...rule, properties: { ...rule.properties, toolbox } };
}
