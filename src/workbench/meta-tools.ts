import type { ToolboxSettings } from "../config/types.ts";
import { describedToolbox } from "./toolbox-lines.ts";

/**
 * The tools the workbench itself offers. Their texts are read by agents at the start of every
 * conversation, so each word is paid for; they say when to use which, and depend on the
 * configuration alone.
 */

export interface MetaTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object;
  readonly annotations?: object;
}

const LOOKS_ONLY = { readOnlyHint: true, openWorldHint: false };
const text = { type: "string", minLength: 1 };

export function openToolboxTool(toolboxes: readonly ToolboxSettings[]): MetaTool {
  return {
    name: "open_toolbox",
    description: `List the tools of a toolbox with their input schemas, when a task needs several of them. \`detail\` "signatures" or "names" gives less. Toolboxes:${purposes(toolboxes)}`,
    inputSchema: object(
      {
        toolbox: choice(toolboxes.map(({ name }) => name)),
        detail: choice(["full", "signatures", "names"]),
      },
      ["toolbox"],
    ),
    annotations: LOOKS_ONLY,
  };
}

export function openNativeToolboxTool(toolboxes: readonly ToolboxSettings[]): MetaTool {
  return {
    name: "open_toolbox",
    description: `Open a toolbox to use its tools: they are added to your tool list as {toolbox}__{server}__{tool}. Toolboxes:${purposes(toolboxes)}`,
    inputSchema: object({ toolbox: choice(toolboxes.map(({ name }) => name)) }, ["toolbox"]),
    annotations: LOOKS_ONLY,
  };
}

export const CLOSE_TOOLBOX: MetaTool = {
  name: "close_toolbox",
  description: "Close a toolbox: its tools leave your tool list and its connections end.",
  inputSchema: object({ toolbox: text }, ["toolbox"]),
  annotations: LOOKS_ONLY,
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
    inputSchema: object(
      {
        query: text,
        toolbox: text,
        limit: { type: "integer", minimum: 1, maximum: 20, default: 5 },
        detail: choice(["lines", "schema"]),
      },
      ["query"],
    ),
    annotations: LOOKS_ONLY,
  };
}

export const USE_TOOL: MetaTool = {
  name: "use_tool",
  description:
    "Call a tool of any toolbox, opened or not. `tool` names it by toolbox, server and name, as search_tools and open_toolbox give them; `arguments` are the tool's own.",
  inputSchema: object(
    {
      tool: object({ toolbox: text, server: text, name: text }, ["toolbox", "server", "name"]),
      arguments: { type: "object" },
    },
    ["tool"],
  ),
};

function purposes(toolboxes: readonly ToolboxSettings[]): string {
  return toolboxes.map((toolbox) => `\n- ${describedToolbox(toolbox)}`).join("");
}

function choice(values: readonly string[]): object {
  return { type: "string", enum: values };
}

function object(properties: object, required: readonly string[]): object {
  return { type: "object", properties, required, additionalProperties: false };
}
